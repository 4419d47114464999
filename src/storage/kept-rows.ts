/**
 * A cache of recently read rows. A row is cached at its second read: rows of a large store that are read once would only
 * cost memory. Sealed columns stay sealed and are opened again by each request. A cached row is dropped when any statement changes or deletes rows of its table or of a table that cascades to it, when damage of the
 * store is found, and after KEPT_MS. That limits how long an edit of the file by another program stays unnoticed.
 *
 * Rows read inside a transaction are not cached, since it may be rolled back. Missing rows are not cached either.
 */
import type { Database } from './binding.ts';
import { realTime } from '../kernel/real-time.ts';

const KEPT_MS = 5_000;

/** Tables whose rows are deleted or changed by a change of the given table. Inserts don't affect existing rows. */
const KEPT_OF: Readonly<Record<string, readonly string[]>> = {
  spaces: ['entities', 'vault_values'],
  entities: ['entities', 'vault_values'],
  vault_values: ['vault_values'],
};

interface Kept {
  since: number;
  /** By owner, then by name: two keys as they are cost less than one that is joined for each read. */
  readonly rows: Map<number, Map<string, KeptRow>>;
  count: number;
  /**
   * Hashes of the rows that were read lately, cached or not. If two rows have the same hash, one of them is cached a read
   * too early.
   */
  readonly seen: Set<number>;
}

interface KeptRow {
  readonly asOf: number;
  readonly row: object;
}

export interface KeptKey {
  /** The id of the row that it belongs to. */
  readonly owner: number;
  readonly name: string;
  /** One row of each name is kept, with the version that was asked for; 0 for a table without versions. */
  readonly asOf: number;
}

const stores = new WeakMap<Database, Map<string, Kept>>();

export interface KeptRows<Row extends object> {
  /** The row of `key` from the cache, or from `read`. It is shared and must not be modified. */
  get(database: Database, key: KeptKey, read: () => Row | undefined): Row | undefined;
}

/** Caches up to `limit` rows of the table for each store, if `small` accepts them. */
export function keptRows<Row extends object>(
  table: 'entities' | 'vault_values',
  { limit, isSmall = () => true }: { limit: number; isSmall?: (row: Row) => boolean },
): KeptRows<Row> {
  return {
    get(database, { owner, name, asOf }, read) {
      if (database.inTransaction) return read();
      const kept = keptOf(database, table);
      const known = kept.rows.get(owner)?.get(name);
      if (known?.asOf === asOf) return known.row as Row;
      const row = read();
      if (row && isSmall(row) && isSecondRead(kept, hashOf(owner, name), limit)) {
        if (kept.count >= limit) clear(kept);
        let names = kept.rows.get(owner);
        if (!names) kept.rows.set(owner, (names = new Map<string, KeptRow>()));
        if (!names.has(name)) kept.count += 1;
        names.set(name, { asOf, row });
      }
      return row;
    },
  };
}

function keptOf(database: Database, table: string): Kept {
  let tables = stores.get(database);
  if (!tables) stores.set(database, (tables = new Map<string, Kept>()));
  const now = realTime.elapsed();
  let kept = tables.get(table);
  if (!kept) tables.set(table, (kept = { since: now, rows: new Map(), count: 0, seen: new Set() }));
  if (now - kept.since >= KEPT_MS) {
    clear(kept);
    kept.since = now;
  }
  return kept;
}

function clear(kept: Kept): void {
  kept.rows.clear();
  kept.count = 0;
}

function isSecondRead({ seen }: Kept, hash: number, limit: number): boolean {
  if (seen.has(hash)) return true;
  if (seen.size >= limit) seen.clear();
  seen.add(hash);
  return false;
}

const FNV_PRIME = 16_777_619;

/** FNV-1a, of 32 bits. */
function hashOf(owner: number, name: string): number {
  let hash = owner | 0;
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), FNV_PRIME);
  return hash;
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
  for (const table of tables ?? kept.keys()) {
    const rows = kept.get(table);
    if (rows) clear(rows);
  }
}
