/** All SQL of what was deleted or revoked on purpose. Times are epoch milliseconds. A reset buries nobody. */
import { statement, type Database } from '../../storage/database.ts';

/** `disabled_key`: an API key that is there, and grants nothing. */
export type TombstoneKind = 'entity' | 'token' | 'key' | 'disabled_key';

export interface Tombstone {
  readonly kind: TombstoneKind;
  readonly id: string;
  readonly at: number;
}

/** In the write job that deletes or revokes it. */
export function bury(database: Database, { kind, id, at }: Tombstone): void {
  statement(database, 'INSERT OR IGNORE INTO tombstones (kind, id, at) VALUES (?, ?, ?)').run(kind, id, at);
}

/** It lives again, on purpose. */
export function unbury(database: Database, kind: TombstoneKind, id: string): void {
  statement(database, 'DELETE FROM tombstones WHERE kind = ? AND id = ?').run(kind, id);
}

export function listTombstones(database: Database): Tombstone[] {
  return statement(database, 'SELECT kind, id, at FROM tombstones ORDER BY kind, id').all() as Tombstone[];
}
