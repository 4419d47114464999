/** All SQL of the keyring. Times are milliseconds since the Unix epoch. */
import { statement, type Database } from '../../storage/database.ts';

export type SlotKind = 'keychain' | 'passphrase' | 'key_file' | 'environment' | 'recovery';

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

/** A key as it is stored: sealed for its context under this version of the root key. */
export interface SealedKey {
  root_key_version: number;
  sealed_key: Uint8Array;
}

export function listSlots(database: Database): SlotRecord[] {
  return statement(database, 'SELECT * FROM keyring_slots ORDER BY created_at, id').all() as SlotRecord[];
}

export function insertSlot(database: Database, slot: SlotRecord): void {
  statement(
    database,
    `INSERT INTO keyring_slots (id, kind, parameters, sealed_vault_key, created_at, last_used_at)
     VALUES (@id, @kind, @parameters, @sealed_vault_key, @created_at, @last_used_at)`,
  ).run(slot);
}

export function updateSlotLastUsed(database: Database, id: string, now: number): void {
  statement(database, 'UPDATE keyring_slots SET last_used_at = ? WHERE id = ?').run(now, id);
}

export function deleteSlot(database: Database, id: string): void {
  statement(database, 'DELETE FROM keyring_slots WHERE id = ?').run(id);
}

export function deleteSlots(database: Database): void {
  statement(database, 'DELETE FROM keyring_slots').run();
}

/** Whether anything in the store depends on a key that must already exist. */
export function hasKeyedRows(database: Database): boolean {
  const sql = 'SELECT EXISTS (SELECT 1 FROM root_keys) OR EXISTS (SELECT 1 FROM entities)';
  return statement(database, sql).pluck().get() === 1;
}

export function listRootKeys(database: Database): RootKeyRow[] {
  return statement(
    database,
    'SELECT version, sealed_key FROM root_keys ORDER BY version',
  ).all() as RootKeyRow[];
}

export function findRootKey(database: Database, version: number): RootKeyRow | undefined {
  const sql = 'SELECT version, sealed_key FROM root_keys WHERE version = ?';
  return statement(database, sql).get(version) as RootKeyRow | undefined;
}

export function newestRootKeyVersion(database: Database): number {
  return statement(database, 'SELECT max(version) FROM root_keys').pluck().get() as number;
}

export function oldestRootKeyVersion(database: Database): number {
  return statement(database, 'SELECT min(version) FROM root_keys').pluck().get() as number;
}

export function insertRootKey(database: Database, row: RootKeyRow, now: number): void {
  const sql = 'INSERT INTO root_keys (version, sealed_key, created_at) VALUES (?, ?, ?)';
  statement(database, sql).run(row.version, row.sealed_key, now);
}

export function updateRootKey(database: Database, { version, sealed_key }: RootKeyRow): void {
  statement(database, 'UPDATE root_keys SET sealed_key = ? WHERE version = ?').run(sealed_key, version);
}

/** Deletes the versions below `newest` that seal nothing any more. */
export function deleteUnusedRootKeys(database: Database, newest: number): void {
  statement(
    database,
    `DELETE FROM root_keys WHERE version < ?
       AND version NOT IN (SELECT root_key_version FROM entities)
       AND version NOT IN (SELECT root_key_version FROM instance_keys)`,
  ).run(newest);
}

export function listInstanceKeys(database: Database): (SealedKey & { name: string })[] {
  const sql = 'SELECT name, root_key_version, sealed_key FROM instance_keys ORDER BY name';
  return statement(database, sql).all() as (SealedKey & { name: string })[];
}

/** Inserts the key, or replaces its sealed form. */
export function putInstanceKey(database: Database, name: string, sealed: SealedKey): void {
  statement(
    database,
    `INSERT INTO instance_keys (name, root_key_version, sealed_key) VALUES (?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET root_key_version = excluded.root_key_version, sealed_key = excluded.sealed_key`,
  ).run(name, sealed.root_key_version, sealed.sealed_key);
}

export interface EntityKeyRow extends SealedKey {
  id: number;
  fp_id: string;
}

/** Entities after row id `after` whose key is sealed under a version older than `newest`, by row id. */
export function listOutdatedEntityKeys(
  database: Database,
  { newest, after, limit }: { newest: number; after: number; limit: number },
): EntityKeyRow[] {
  const sql = `SELECT id, fp_id, root_key_version, sealed_key FROM entities
    WHERE id > ? AND root_key_version < ? ORDER BY id LIMIT ?`;
  return statement(database, sql).all(after, newest, limit) as EntityKeyRow[];
}

export function updateEntityKey(database: Database, id: number, sealed: SealedKey): void {
  const sql = 'UPDATE entities SET root_key_version = ?, sealed_key = ? WHERE id = ?';
  statement(database, sql).run(sealed.root_key_version, sealed.sealed_key, id);
}

export function countEntitiesByRootKeyVersion(database: Database): { version: number; entities: number }[] {
  const sql = `SELECT root_key_version AS version, count(*) AS entities FROM entities
    GROUP BY root_key_version ORDER BY root_key_version`;
  return statement(database, sql).all() as { version: number; entities: number }[];
}
