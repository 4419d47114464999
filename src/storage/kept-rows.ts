/**
 * Rows that were read a moment ago, kept in memory for the requests that read them again. Sealed columns stay sealed, and
 * are opened anew by each request. A row is given out until any statement changes or deletes rows of its table, or of
 * a table whose deletions take them along, until damage of the store is met, and for KEPT_MS at most: after that, an edit
 * of the file that went past this service shows as it would without.
 *
 * Nothing is kept of what is read within a transaction: it may be rolled back. Absent rows are not kept.
 */
import type { Database } from './binding.ts';

const KEPT_MS = 5_000;

/** By the table: those whose rows go when rows of it go or change. New rows change none that is there. */
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
  /** The row of `key`, as kept or as `read` finds it. It is shared: nobody may change it. */
  get(database: Database, key: string, read: () => Row | undefined): Row | undefined;
}

/** Keeps up to `limit` rows of the table for each store, of those that are `small`. */
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

/** The tables whose kept rows a statement makes untrue. */
export function outdatedBy(sql: string): readonly string[] {
  return [...sql.matchAll(CHANGE)].flatMap(([, table = '']) => KEPT_OF[table.toLowerCase()] ?? []);
}

/** All rows of these tables; of every table when none are named. */
export function forgetRows(database: Database, tables?: readonly string[]): void {
  const kept = stores.get(database);
  if (!kept) return;
  for (const table of tables ?? kept.keys()) kept.get(table)?.rows.clear();
}
