/**
 * The SQL for access log entries by entity. Rows are numbered from 1 without a gap; run n holds the entities of rows `n
 * * RUN_ROWS + 1` to `(n + 1) * RUN_ROWS`. Rows after the last run are scanned.
 */
import type { Database } from '../storage/database.ts';
import { scalarStatement, statement } from '../storage/statement.ts';

/** Small enough to sort or to scan within a millisecond. */
export const RUN_ROWS = 1_024;

const COUNT = scalarStatement<[], number>('SELECT coalesce(max(run) + 1, 0) FROM access_log_runs');

export function countRuns(database: Database): number {
  return COUNT.one(database);
}

/** All rows of the run must exist. */
export function insertRun(database: Database, run: number): void {
  statement<[run: number, after: number, last: number]>(
    `INSERT OR IGNORE INTO access_log_runs (run, fp_id, seq)
     SELECT ?, coalesce(fp_id, '') AS entity, seq FROM access_log WHERE seq > ? AND seq <= ? ORDER BY entity, seq`,
  ).run(database, run, run * RUN_ROWS, (run + 1) * RUN_ROWS);
}

export const deleteRuns = statement('DELETE FROM access_log_runs').run;

/** The first row that is missing from this run or misplaced in it; undefined when all agree. */
export function findMisplacedRow(database: Database, run: number): number | undefined {
  const same = `listed.seq = log.seq AND listed.fp_id = coalesce(log.fp_id, '') AND listed.run = @run`;
  const isOfRun = 'log.seq > @after AND log.seq <= @last';
  const seq = scalarStatement<{ run: number; after: number; last: number }, number | null>(
    `SELECT min(seq) FROM (
       SELECT log.seq FROM access_log AS log
       WHERE ${isOfRun} AND NOT EXISTS (SELECT 1 FROM access_log_runs AS listed WHERE ${same})
       UNION ALL
       SELECT listed.seq FROM access_log_runs AS listed WHERE listed.run = @run
         AND NOT EXISTS (SELECT 1 FROM access_log AS log WHERE ${isOfRun} AND ${same}))`,
  ).one(database, { run, after: run * RUN_ROWS, last: (run + 1) * RUN_ROWS });
  return seq ?? undefined;
}

/** A row in a run that can't exist. */
export const findRowOfNoRun = scalarStatement<[], number>(
  'SELECT seq FROM access_log_runs WHERE run < 0 LIMIT 1',
).get;

/** Afterwards `found` holds the numbers of all rows about the entity `@fp_id`; `@runs` is the number of runs. */
export const FOUND_BY_ENTITY = `WITH RECURSIVE
  runs (run) AS (SELECT @runs - 1 WHERE @runs > 0 UNION ALL SELECT run - 1 FROM runs WHERE run > 0),
  found (seq) AS (
    SELECT listed.seq FROM runs
    CROSS JOIN access_log_runs AS listed ON listed.run = runs.run AND listed.fp_id = @fp_id
    UNION ALL SELECT seq FROM access_log WHERE seq > @runs * ${RUN_ROWS} AND fp_id = @fp_id)`;
