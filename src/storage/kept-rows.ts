/**
 * A cache of recently read rows. Sealed columns stay sealed and are opened again by each request. A cached row is
 * dropped when any statement changes or deletes rows of its table or of a table that cascades to it, when damage of the
 * store is found, and after KEPT_MS. That limits how long an edit of the file by another program stays unnoticed.
 *
 * Rows read inside a transaction are not cached, since it may be rolled back. Missing rows are not cached either.
 */
import type { Database } from './binding.ts';

const KEPT_MS = 5_000;

/** Tables whose rows are deleted or changed by a change of the given table. Inserts don't affect existing rows. */
const KEPT_OF: Readonly<Record<string, readonly string[]>> = {
  spaces: ['entities', 'vault_values'],
  entities: ['entities', 'vault_values'],
  vault_values: ['vault_values'],
};

interface Kept {
  since: number;
  readonly rows: Map<string, object>;
}

const stores = new WeakMap<Database, Map<string, Kept>>();

export interface KeptRows<Row extends object> {
  /** The row of `key` from the cache, or from `read`. It is shared and must not be modified. */
  get(database: Database, key: string, read: () => Row | undefined): Row | undefined;
}

/** Caches up to `limit` rows of the table for each store, if `small` accepts them. */
export function keptRows<Row extends object>(
  table: 'entities' | 'vault_values',
  { limit, isSmall = () => true }: { limit: number; isSmall?: (row: Row) => boolean },
): KeptRows<Row> {
  return {
    get(database, key, read) {
      if (database.inTransaction) return read();
      const kept = keptOf(database, table);
      const known = kept.rows.get(key) as Row | undefined;
      if (known) return known;
      const row = read();
      if (row && isSmall(row)) {
        if (kept.rows.size >= limit) kept.rows.clear();
        kept.rows.set(key, row);
      }
      return row;
    },
  };
}

function keptOf(database: Database, table: string): Kept {
  let tables = stores.get(database);
  if (!tables) stores.set(database, (tables = new Map<string, Kept>()));
  const now = performance.now();
  let kept = tables.get(table);
  if (!kept) tables.set(table, (kept = { since: now, rows: new Map() }));
  if (now - kept.since >= KEPT_MS) {
    kept.rows.clear();
    kept.since = now;
  }
  return kept;
}

const CHANGE = /\b(?:UPDATE(?:\s+OR\s+[A-Z]+)?|DELETE\s+FROM|REPLACE\s+INTO)\s+(\w+)/gi;

/** The tables whose cached rows a statement invalidates. */
export function outdatedBy(sql: string): readonly string[] {
  return [...sql.matchAll(CHANGE)].flatMap(([, table = '']) => KEPT_OF[table.toLowerCase()] ?? []);
}

/** Drops all cached rows of these tables; of every table when none are named. */
export function forgetRows(database: Database, tables?: readonly string[]): void {
  const kept = stores.get(database);
  if (!kept) return;
  for (const table of tables ?? kept.keys()) kept.get(table)?.rows.clear();
}
