/**
 * Ids of records that were deleted or revoked on purpose. A reset adds none. The set of them is authenticated: their
 * digests are added up, and the sum has a seal of its own, so that each change costs the same, however many there are.
 */
import { nextTurn } from '../kernel/time/turns.ts';
import type { Database } from '../storage/database.ts';
import { exists, scalarStatement, statement } from '../storage/statement.ts';
import { addToSum, beginSum, requireEarlierSum, requireSum, startSum } from './grants/index.ts';

/** `disabled_key`: an existing API key that grants nothing. */
export type TombstoneKind = 'entity' | 'token' | 'key' | 'disabled_key';

export interface Tombstone {
  readonly kind: TombstoneKind;
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Call it in the write job that deletes or revokes the record. */
export function addTombstone(database: Database, { kind, id, at }: Tombstone): void {
  const sql = 'INSERT OR IGNORE INTO tombstones (kind, id, at) VALUES (?, ?, ?)';
  if (statement<[string, string, number]>(sql).run(database, kind, id, at).changes === 1)
    addToSum(database, SUM, textOf(kind, id, at));
}

/** Removes a tombstone when the record is valid again on purpose. */
export function removeTombstone(database: Database, kind: TombstoneKind, id: string): void {
  const sql = 'DELETE FROM tombstones WHERE kind = ? AND id = ? RETURNING at';
  const at = scalarStatement<[string, string], number>(sql).get(database, kind, id);
  if (at !== undefined) addToSum(database, SUM, textOf(kind, id, at), 'taken out');
}

export const hasTombstone = exists<[kind: TombstoneKind, id: string]>(
  'SELECT 1 FROM tombstones WHERE kind = ? AND id = ?',
);

/** Throws `vault_damaged` when another program has added or removed one. */
export function listTombstones(database: Database): Tombstone[] {
  const rows = readTombstones(database);
  requireSum(database, SUM, textsOf(rows));
  return rows;
}

/** Tombstones that are read and authenticated at a time. */
const TOMBSTONES_PER_TURN = 1_000;

/**
 * `listTombstones` in slices, for requests. Those that are added or removed meanwhile may be among them or not. Throws
 * as `listTombstones`.
 */
export async function listTombstonesInTurns(database: Database): Promise<Tombstone[]> {
  for (;;) {
    const rows: Tombstone[] = [];
    const sum = beginSum(database, SUM);
    for (let some: Tombstone[] | undefined; some === undefined || some.length === TOMBSTONES_PER_TURN;) {
      some = readTombstones(database, { after: rows.at(-1), limit: TOMBSTONES_PER_TURN });
      rows.push(...some);
      sum.add(textsOf(some));
      await nextTurn();
    }
    if (sum.isStill()) {
      sum.require();
      return rows;
    }
  }
}

/**
 * Call it in the transaction that adds seals to an older store, before `sealTombstones`. Throws as `listTombstones`,
 * for a sum of an earlier version.
 */
export function requireEarlierTombstones(database: Database): void {
  requireEarlierSum(database, SUM, textsOf(readTombstones(database)));
}

/** Call it in the transaction that creates a store, or adds seals to an older one. */
export function sealTombstones(database: Database): void {
  startSum(database, SUM, textsOf(readTombstones(database)));
}

const SUM = 'tombstones';

/** In order, starting after a tombstone; a negative limit is none. */
function readTombstones(
  database: Database,
  { after, limit }: { after?: Tombstone | undefined; limit: number } = { limit: -1 },
): Tombstone[] {
  return statement<[string, string, number], Tombstone>(
    'SELECT kind, id, at FROM tombstones WHERE (kind, id) > (?, ?) ORDER BY kind, id LIMIT ?',
  ).all(database, after?.kind ?? '', after?.id ?? '', limit);
}

function textsOf(rows: readonly Tombstone[]): string[] {
  return rows.map(({ kind, id, at }) => textOf(kind, id, at));
}

function textOf(kind: TombstoneKind, id: string, at: number): string {
  return JSON.stringify([kind, id, at]);
}
