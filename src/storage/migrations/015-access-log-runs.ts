/**
 * Access log entries by entity, in sorted runs. Each run is built once from a fixed number of rows, sorted by entity,
 * and appended to the earlier ones. An index over all rows would change a separate page for each row. Entries from
 * before the upgrade are added to runs with later commits.
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
