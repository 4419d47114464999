/** All SQL of the keyring. Times are milliseconds since the Unix epoch. */
import type { SlotKind } from '../../nouns/control/facts.ts';
import type { Database } from '../../storage/database.ts';
import { scalarStatement, statement } from '../../storage/statement.ts';
import { bytes, integer, optional, table, text, textOf, type RowOf } from '../../storage/table.ts';

export type { SlotKind };

const SLOTS = table(
  'keyring_slots',
  {
    id: text,
    kind: textOf<SlotKind>(),
    parameters: text,
    sealed_vault_key: bytes,
    created_at: integer,
    last_used_at: optional(integer),
  },
  { key: ['id'] },
);
const ROOT_KEYS = table(
  'root_keys',
  { version: integer, sealed_key: bytes, created_at: integer },
  { key: ['version'] },
);
const INSTANCE_KEYS = table(
  'instance_keys',
  { name: text, root_key_version: integer, sealed_key: bytes },
  { key: ['name'] },
);

/** The vault key sealed for one holder. `parameters` is JSON and holds no secret. */
export type SlotRecord = RowOf<typeof SLOTS>;
export type RootKeyRow = Pick<RowOf<typeof ROOT_KEYS>, 'version' | 'sealed_key'>;
/** A stored key: sealed for its context under this version of the root key. */
export type SealedKey = Omit<RowOf<typeof INSTANCE_KEYS>, 'name'>;

export const listSlots = SLOTS.all('ORDER BY created_at, id');
export const insertSlot = SLOTS.insert;

/** `path`: where its key file is now. */
export function updateSlotLastUsed(database: Database, id: string, now: number, path?: string): void {
  const moved = path !== undefined && { parameters: JSON.stringify({ path }) };
  SLOTS.set(database, { id }, { last_used_at: now, ...moved });
}

export const deleteSlot = SLOTS.delete<[id: string]>('id = ?');
export const deleteSlots = SLOTS.delete();

/** Whether anything in the store depends on an existing key. */
export function hasKeyedRows(database: Database): boolean {
  const sql = 'SELECT EXISTS (SELECT 1 FROM root_keys) OR EXISTS (SELECT 1 FROM entities)';
  return scalarStatement<[], number>(sql).get(database) === 1;
}

export const listRootKeys = ROOT_KEYS.all('ORDER BY version');
export const findRootKey = ROOT_KEYS.first<[version: number]>('WHERE version = ?');

export const newestRootKeyVersion = scalarStatement<[], number>('SELECT max(version) FROM root_keys').one;

export const oldestRootKeyVersion = scalarStatement<[], number>('SELECT min(version) FROM root_keys').one;

export function insertRootKey(database: Database, row: RootKeyRow, now: number): void {
  ROOT_KEYS.insert(database, { ...row, created_at: now });
}

export function updateRootKey(database: Database, { version, sealed_key }: RootKeyRow): void {
  ROOT_KEYS.set(database, { version }, { sealed_key });
}

/** Deletes the versions below `newest` that are no longer used. */
export const deleteUnusedRootKeys = ROOT_KEYS.delete<[newest: number]>(
  `version < ? AND NOT EXISTS (SELECT 1 FROM entities WHERE root_key_version = version)
     AND version NOT IN (SELECT root_key_version FROM instance_keys)`,
);

export const listInstanceKeys = INSTANCE_KEYS.all('ORDER BY name');

/** Inserts the key, or replaces its sealed form. */
export const putInstanceKey = INSTANCE_KEYS.put;

export interface EntityKeyRow extends SealedKey {
  id: number;
  fp_id: string;
}

/** Entities whose key is sealed under a version older than `newest`. */
export const listOutdatedEntityKeys = statement<
  [newest: number, limit: number],
  EntityKeyRow
>(`SELECT id, fp_id, root_key_version, sealed_key FROM entities INDEXED BY entities_by_root_key
    WHERE root_key_version < ? ORDER BY root_key_version, id LIMIT ?`).all;

export function updateEntityKey(database: Database, id: number, sealed: SealedKey): void {
  const sql = 'UPDATE entities SET root_key_version = ?, sealed_key = ? WHERE id = ?';
  statement<[number, Uint8Array, number]>(sql).run(database, sealed.root_key_version, sealed.sealed_key, id);
}
