/** All SQL of the access log. */
import type { Database } from '../storage/database.ts';
import { insertion, findValue, putValue, scalarStatement, statement } from '../storage/statement.ts';
import { deleteRuns } from './access-log-runs-repository.ts';

export interface AccessRow {
  readonly seq: number;
  readonly fp_id: string | null;
  /** Canonical JSON of the entry without its hash. */
  readonly entry: string;
  readonly hash: Uint8Array;
}

export const COLUMNS = 'seq, fp_id, entry, hash';

export const findLast = statement<[], { seq: number; hash: Uint8Array }>(
  'SELECT seq, hash FROM access_log ORDER BY seq DESC LIMIT 1',
).get;

const INSERT = insertion<[seq: number, fp_id: string | null, entry: string, hash: Uint8Array]>(
  `INSERT INTO access_log (${COLUMNS})`,
  4,
);

export function insertRows(database: Database, rows: readonly AccessRow[]): void {
  INSERT.run(
    database,
    rows.map(({ seq, fp_id, entry, hash }) => [seq, fp_id, entry, hash]),
  );
}

/** At most `limit` rows in order, from the one after `after`, or from the first, to `until`. */
export function listRowsAfter(
  database: Database,
  after: number | undefined,
  { until, limit }: { until: number; limit: number },
): AccessRow[] {
  return statement<[number, number, number], AccessRow>(
    `SELECT ${COLUMNS} FROM access_log WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?`,
  ).all(database, after ?? -Infinity, until, limit);
}

export function deleteRows(database: Database): void {
  statement('DELETE FROM access_log').run(database);
  deleteRuns(database);
}

const HEAD_NAME = 'access log head';

export function saveHead(database: Database, mac: Buffer): void {
  putValue(database, HEAD_NAME, mac.toString('hex'));
}

export function findHead(database: Database): Buffer | undefined {
  const text = findValue(database, HEAD_NAME);
  return text === undefined ? undefined : Buffer.from(text, 'hex');
}

const NUMBER_NAME = 'access log number';

/** Stores the log's number within the vault, with its proof. */
export function saveLogNumber(database: Database, text: string): void {
  putValue(database, NUMBER_NAME, text);
}

export function findLogNumber(database: Database): string | undefined {
  return findValue(database, NUMBER_NAME);
}

export const findHash = scalarStatement<[seq: number], Uint8Array>(
  'SELECT hash FROM access_log WHERE seq = ?',
).get;
