/**
 * Entries of the access log by entity, in runs: each is made once of a fixed number of rows, in the order of its entities,
 * and stands behind the one before. An index over all rows would change a page of its own for each row. What an older log
 * holds is put into runs with the commits to come.
 */
export const accessLogRuns = `
DROP INDEX access_log_by_entity;
-- fp_id is empty where an entry is about no single entity.
CREATE TABLE access_log_runs (
  run INTEGER NOT NULL,
  fp_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (run, fp_id, seq)
) STRICT, WITHOUT ROWID;
`;
