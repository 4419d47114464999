/** The SQL for seals and for the sealed rows of any table. */
import type { Database } from '../../storage/database.ts';
import { statement } from '../../storage/statement.ts';
import { GRANT_TABLES, GRANTS, type GrantRow, type GrantTable } from './tables.ts';

export type StoredRow<Table extends GrantTable> = GrantRow<Table> & {
  readonly row: number | Uint8Array;
  readonly seal: Uint8Array | null;
};

/** Rows after the one with the key `after`, in key order. */
export function listRows<Table extends GrantTable>(
  database: Database,
  table: Table,
  { after, limit }: { after: number | Uint8Array; limit: number },
): StoredRow<Table>[] {
  const { columns, from } = GRANTS[table];
  const key = keyOf(table);
  const chosen = columns.map((column) => (column in PLACE ? column : `${table}.${column}`)).join(', ');
  return statement<[number | Uint8Array, number], StoredRow<Table>>(
    `SELECT ${key} AS row, ${table}.seal, ${chosen} FROM ${from} WHERE ${key} > ? ORDER BY ${key} LIMIT ?`,
  ).all(database, after, limit);
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
  statement<[Uint8Array, number | Uint8Array]>(
    `UPDATE ${table} SET seal = ? WHERE ${GRANTS[table].key} = ?`,
  ).run(database, seal, row);
}

/** The members of the grant list, in a fixed order. */
export function listSeals(database: Database): { table: string; id: string; seal: Uint8Array | null }[] {
  const parts = GRANT_TABLES.filter((table) => GRANTS[table].isListed).map(
    (table) => `SELECT '${table}' AS "table", id, seal FROM ${table}`,
  );
  return statement<[], { table: string; id: string; seal: Uint8Array | null }>(
    `${parts.join(' UNION ALL ')} ORDER BY 1, 2`,
  ).all(database);
}
