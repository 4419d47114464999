/**
 * Ids of records that were deleted or revoked on purpose. A reset adds none. The set of them is authenticated: their
 * seals are added up, and the sum has a seal of its own, so that each change costs the same, however many there are.
 */
import type { Database } from '../storage/database.ts';
import { scalarStatement, statement } from '../storage/statement.ts';
import { addToSum, requireSum, startSum } from './grants/index.ts';

/** `disabled_key`: an existing API key that grants nothing. */
export type TombstoneKind = 'entity' | 'token' | 'key' | 'disabled_key';

export interface Tombstone {
  readonly kind: TombstoneKind;
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Call it in the write job that deletes or revokes the record. */
export function bury(database: Database, { kind, id, at }: Tombstone): void {
  const sql = 'INSERT OR IGNORE INTO tombstones (kind, id, at) VALUES (?, ?, ?)';
  if (statement<[string, string, number]>(sql).run(database, kind, id, at).changes === 1)
    addToSum(database, SUM, textOf(kind, id, at));
}

/** Removes a tombstone when the record is valid again on purpose. */
export function unbury(database: Database, kind: TombstoneKind, id: string): void {
  const sql = 'DELETE FROM tombstones WHERE kind = ? AND id = ? RETURNING at';
  const at = scalarStatement<[string, string], number>(sql).get(database, kind, id);
  if (at !== undefined) addToSum(database, SUM, textOf(kind, id, at), 'taken out');
}

export function isBuried(database: Database, kind: TombstoneKind, id: string): boolean {
  const sql = 'SELECT 1 FROM tombstones WHERE kind = ? AND id = ?';
  return scalarStatement<[string, string], 1>(sql).get(database, kind, id) !== undefined;
}

/** Throws `vault_damaged` when another program has added or removed one. */
export function listTombstones(database: Database): Tombstone[] {
  const rows = readTombstones(database);
  requireSum(database, SUM, textsOf(rows));
  return rows;
}

/** Call it in the transaction that creates a store, or adds seals to an older one. */
export function sealTombstones(database: Database): void {
  startSum(database, SUM, textsOf(readTombstones(database)));
}

const SUM = 'tombstones';

function readTombstones(database: Database): Tombstone[] {
  return statement<[], Tombstone>('SELECT kind, id, at FROM tombstones ORDER BY kind, id').all(database);
}

function textsOf(rows: readonly Tombstone[]): string[] {
  return rows.map(({ kind, id, at }) => textOf(kind, id, at));
}

function textOf(kind: TombstoneKind, id: string, at: number): string {
  return JSON.stringify([kind, id, at]);
}
