/** All SQL of the keyring. Times are milliseconds since the Unix epoch. */
import type { SlotKind } from '../../contract/facts/control.ts';
import type { Database } from '../../storage/database.ts';
import { scalarStatement, statement } from '../../storage/statement.ts';

export type { SlotKind };

/** A row of `keyring_slots`: the vault key sealed for one holder. `parameters` is JSON and holds no secret. */
export interface SlotRecord {
  id: string;
  kind: SlotKind;
  parameters: string;
  sealed_vault_key: Uint8Array;
  created_at: number;
  last_used_at: number | null;
}

export interface RootKeyRow {
  version: number;
  sealed_key: Uint8Array;
}

/** A stored key: sealed for its context under this version of the root key. */
export interface SealedKey {
  root_key_version: number;
  sealed_key: Uint8Array;
}

export function listSlots(database: Database): SlotRecord[] {
  return statement<[], SlotRecord>('SELECT * FROM keyring_slots ORDER BY created_at, id').all(database);
}

export function insertSlot(database: Database, slot: SlotRecord): void {
  statement<SlotRecord>(`INSERT INTO keyring_slots (id, kind, parameters, sealed_vault_key, created_at, last_used_at)
     VALUES (@id, @kind, @parameters, @sealed_vault_key, @created_at, @last_used_at)`).run(database, slot);
}

export function updateSlotLastUsed(database: Database, id: string, now: number): void {
  statement<[number, string]>('UPDATE keyring_slots SET last_used_at = ? WHERE id = ?').run(
    database,
    now,
    id,
  );
}

export function deleteSlot(database: Database, id: string): void {
  statement<[string]>('DELETE FROM keyring_slots WHERE id = ?').run(database, id);
}

export function deleteSlots(database: Database): void {
  statement('DELETE FROM keyring_slots').run(database);
}

/** Whether anything in the store depends on an existing key. */
export function hasKeyedRows(database: Database): boolean {
  const sql = 'SELECT EXISTS (SELECT 1 FROM root_keys) OR EXISTS (SELECT 1 FROM entities)';
  return scalarStatement<[], number>(sql).get(database) === 1;
}

export function listRootKeys(database: Database): RootKeyRow[] {
  return statement<[], RootKeyRow>('SELECT version, sealed_key FROM root_keys ORDER BY version').all(
    database,
  );
}

export function findRootKey(database: Database, version: number): RootKeyRow | undefined {
  const sql = 'SELECT version, sealed_key FROM root_keys WHERE version = ?';
  return statement<[number], RootKeyRow>(sql).get(database, version);
}

export function newestRootKeyVersion(database: Database): number {
  return scalarStatement<[], number>('SELECT max(version) FROM root_keys').one(database);
}

export function oldestRootKeyVersion(database: Database): number {
  return scalarStatement<[], number>('SELECT min(version) FROM root_keys').one(database);
}

export function insertRootKey(database: Database, row: RootKeyRow, now: number): void {
  const sql = 'INSERT INTO root_keys (version, sealed_key, created_at) VALUES (?, ?, ?)';
  statement<[number, Uint8Array, number]>(sql).run(database, row.version, row.sealed_key, now);
}

export function updateRootKey(database: Database, { version, sealed_key }: RootKeyRow): void {
  statement<[Uint8Array, number]>('UPDATE root_keys SET sealed_key = ? WHERE version = ?').run(
    database,
    sealed_key,
    version,
  );
}

/** Deletes the versions below `newest` that are no longer used. */
export function deleteUnusedRootKeys(database: Database, newest: number): void {
  statement<[number]>(`DELETE FROM root_keys WHERE version < ?
       AND NOT EXISTS (SELECT 1 FROM entities WHERE root_key_version = version)
       AND version NOT IN (SELECT root_key_version FROM instance_keys)`).run(database, newest);
}

export function listInstanceKeys(database: Database): (SealedKey & { name: string })[] {
  const sql = 'SELECT name, root_key_version, sealed_key FROM instance_keys ORDER BY name';
  return statement<[], SealedKey & { name: string }>(sql).all(database);
}

/** Inserts the key, or replaces its sealed form. */
export function putInstanceKey(database: Database, name: string, sealed: SealedKey): void {
  statement<
    [string, number, Uint8Array]
  >(`INSERT INTO instance_keys (name, root_key_version, sealed_key) VALUES (?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET root_key_version = excluded.root_key_version, sealed_key = excluded.sealed_key`).run(
    database,
    name,
    sealed.root_key_version,
    sealed.sealed_key,
  );
}

export interface EntityKeyRow extends SealedKey {
  id: number;
  fp_id: string;
}

/** Entities whose key is sealed under a version older than `newest`. */
export function listOutdatedEntityKeys(database: Database, newest: number, limit: number): EntityKeyRow[] {
  const sql = `SELECT id, fp_id, root_key_version, sealed_key FROM entities INDEXED BY entities_by_root_key
    WHERE root_key_version < ? ORDER BY root_key_version, id LIMIT ?`;
  return statement<[number, number], EntityKeyRow>(sql).all(database, newest, limit);
}

export function updateEntityKey(database: Database, id: number, sealed: SealedKey): void {
  const sql = 'UPDATE entities SET root_key_version = ?, sealed_key = ? WHERE id = ?';
  statement<[number, Uint8Array, number]>(sql).run(database, sealed.root_key_version, sealed.sealed_key, id);
}
