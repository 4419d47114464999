/** The SQL of seals: of rows as they are, whatever table they are in. */
import { statement, type Database } from '../../storage/database.ts';
import { GRANT_TABLES, GRANTS, type GrantRow, type GrantTable } from './tables.ts';

export type StoredRow<Table extends GrantTable> = GrantRow<Table> & {
  readonly row: number | Uint8Array;
  readonly seal: Uint8Array | null;
};

/** After the one whose key is `after`, by that key. */
export function listRows<Table extends GrantTable>(
  database: Database,
  table: Table,
  { after, limit }: { after: unknown; limit: number },
): StoredRow<Table>[] {
  const { columns, from } = GRANTS[table];
  const key = keyOf(table);
  const chosen = columns.map((column) => (column in PLACE ? column : `${table}.${column}`)).join(', ');
  return statement(
    database,
    `SELECT ${key} AS row, ${table}.seal, ${chosen} FROM ${from} WHERE ${key} > ? ORDER BY ${key} LIMIT ?`,
  ).all(after, limit) as StoredRow<Table>[];
}

/** Columns of `spaces`. */
const PLACE = { tenant: true, environment: true };

function keyOf(table: GrantTable): string {
  return `${table}.${GRANTS[table].key}`;
}

export function updateSeal(
  database: Database,
  table: GrantTable,
  row: number | Uint8Array,
  seal: Uint8Array,
): void {
  statement(database, `UPDATE ${table} SET seal = ? WHERE ${GRANTS[table].key} = ?`).run(seal, row);
}

/** What the list of grants is made of, in an order of its own. */
export function listSeals(database: Database): { table: string; id: string; seal: Uint8Array | null }[] {
  const parts = GRANT_TABLES.filter((table) => GRANTS[table].isListed).map(
    (table) => `SELECT '${table}' AS "table", id, seal FROM ${table}`,
  );
  return statement(database, `${parts.join(' UNION ALL ')} ORDER BY 1, 2`).all() as {
    table: string;
    id: string;
    seal: Uint8Array | null;
  }[];
}

export function findValue(database: Database, name: string): string | undefined {
  return statement(database, 'SELECT value FROM instance_values WHERE name = ?').pluck().get(name) as
    string | undefined;
}

export function putValue(database: Database, name: string, value: string): void {
  statement(
    database,
    'INSERT INTO instance_values (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  ).run(name, value);
}

export function deleteValue(database: Database, name: string): void {
  statement(database, 'DELETE FROM instance_values WHERE name = ?').run(name);
}
