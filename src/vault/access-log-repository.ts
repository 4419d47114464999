/** All SQL of the access log. */
import type { Database } from '../storage/database.ts';
import { insertion } from '../storage/insertion.ts';
import { scalarStatement, statement } from '../storage/statement.ts';
import { deleteRuns } from './access-log-runs-repository.ts';

export interface AccessRow {
  readonly seq: number;
  readonly fp_id: string | null;
  /** Canonical JSON of the entry without its hash. */
  readonly entry: string;
  readonly hash: Uint8Array;
}

export const COLUMNS = 'seq, fp_id, entry, hash';
const ROWS_AT_A_TIME = 500;

export function findLast(database: Database): { seq: number; hash: Uint8Array } | undefined {
  return statement<[], { seq: number; hash: Uint8Array }>(
    'SELECT seq, hash FROM access_log ORDER BY seq DESC LIMIT 1',
  ).get(database);
}

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

/** All rows in order, read in small batches. */
export function* iterateRows(database: Database): Generator<AccessRow> {
  const next = statement<[number], AccessRow>(
    `SELECT ${COLUMNS} FROM access_log WHERE seq > ? ORDER BY seq LIMIT ${ROWS_AT_A_TIME}`,
  );
  let last = -Infinity;
  let rows: AccessRow[];
  do {
    rows = next.all(database, last);
    yield* rows;
    last = rows.at(-1)?.seq ?? last;
  } while (rows.length === ROWS_AT_A_TIME);
}

export function deleteRows(database: Database): void {
  statement('DELETE FROM access_log').run(database);
  deleteRuns(database);
}

const HEAD_NAME = 'access log head';

export function saveHead(database: Database, mac: Buffer): void {
  statement<[string, string]>(
    'INSERT INTO instance_values (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  ).run(database, HEAD_NAME, mac.toString('hex'));
}

export function findHead(database: Database): Buffer | undefined {
  const text = scalarStatement<[string], string>('SELECT value FROM instance_values WHERE name = ?').get(
    database,
    HEAD_NAME,
  );
  return text === undefined ? undefined : Buffer.from(text, 'hex');
}

const NUMBER_NAME = 'access log number';

/** Stores the log's number within the vault, with its proof. */
export function saveLogNumber(database: Database, text: string): void {
  statement<[string, string]>(
    'INSERT INTO instance_values (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  ).run(database, NUMBER_NAME, text);
}

export function findLogNumber(database: Database): string | undefined {
  return scalarStatement<[string], string>('SELECT value FROM instance_values WHERE name = ?').get(
    database,
    NUMBER_NAME,
  );
}

export function findHash(database: Database, seq: number): Uint8Array | undefined {
  return scalarStatement<[number], Uint8Array>('SELECT hash FROM access_log WHERE seq = ?').get(
    database,
    seq,
  );
}
