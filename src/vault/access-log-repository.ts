/** All SQL of the access log. */
import type { Database } from '../storage/database.ts';
import { scalarStatement, statement } from '../storage/statement.ts';

export interface AccessRow {
  readonly seq: number;
  readonly fp_id: string | null;
  /** Canonical JSON of the entry without its hash. */
  readonly entry: string;
  readonly hash: Uint8Array;
}

const COLUMNS = 'seq, fp_id, entry, hash';
const ROWS_AT_A_TIME = 500;

export function findLast(database: Database): { seq: number; hash: Uint8Array } | undefined {
  return statement<[], { seq: number; hash: Uint8Array }>(
    'SELECT seq, hash FROM access_log ORDER BY seq DESC LIMIT 1',
  ).get(database);
}

const INSERT = statement<[seq: number, fp_id: string | null, entry: string, hash: Uint8Array]>(
  `INSERT INTO access_log (${COLUMNS}) VALUES (?, ?, ?, ?)`,
);

export function insertRow(database: Database, row: AccessRow): void {
  INSERT.run(database, row.seq, row.fp_id, row.entry, row.hash);
}

/** All rows in their order, a few at a time. */
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

/** Which log of the vault this is, with its proof. */
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

export interface AccessFilter {
  readonly fp_id?: string | undefined;
  readonly identifier?: string | undefined;
  readonly operation?: string | undefined;
  readonly outcome?: string | undefined;
  /** As entries write times, which sort as text. */
  readonly since?: string | undefined;
}

const MATCHES = `(@fp_id IS NULL OR fp_id = @fp_id) AND (@operation IS NULL OR operation = @operation)
  AND (@outcome IS NULL OR outcome = @outcome) AND (@since IS NULL OR at >= @since)
  AND (@identifier IS NULL OR EXISTS (
    SELECT 1 FROM json_each(entry, '$.identifiers')
    WHERE value = @identifier OR substr(value, 1, length(@identifier) + 1) = @identifier || ':'))`;

/**
 * Newest first, after the row `before`; one more than `limit`, so that the caller sees whether there is a next page.
 */
export function listAccessRows(
  database: Database,
  filter: AccessFilter,
  page: { before: number | undefined; limit: number },
): AccessRow[] {
  return statement<
    {
      before: number | null;
      limit: number;
      fp_id: string | null;
      identifier: string | null;
      operation: string | null;
      outcome: string | null;
      since: string | null;
    },
    AccessRow
  >(
    `SELECT ${COLUMNS} FROM access_log WHERE (@before IS NULL OR seq < @before) AND ${MATCHES} ORDER BY seq DESC LIMIT @limit + 1`,
  ).all(database, { ...parametersOf(filter), before: page.before ?? null, limit: page.limit });
}

export function countAccessRows(database: Database, filter: AccessFilter): number {
  return scalarStatement<
    {
      fp_id: string | null;
      identifier: string | null;
      operation: string | null;
      outcome: string | null;
      since: string | null;
    },
    number
  >(`SELECT count(*) FROM access_log WHERE ${MATCHES}`).one(database, parametersOf(filter));
}

function parametersOf(filter: AccessFilter) {
  return {
    fp_id: filter.fp_id ?? null,
    identifier: filter.identifier ?? null,
    operation: filter.operation ?? null,
    outcome: filter.outcome ?? null,
    since: filter.since ?? null,
  };
}
