import { ServiceError } from '../../kernel/errors.ts';
import type { Database } from '../../storage/database.ts';
import { createVault } from './first-start.ts';
import type { KeySourceOptions } from './key-source.ts';
import type { Keyring } from './keyring.ts';
import { reopenVault } from './reopen.ts';
import { hasKeyedRows, listSlots, type SlotKind } from './repository.ts';

export type { KeySourceOptions } from './key-source.ts';
export { readPrivately } from './key-file.ts';
export { ephemeralKeyring, INSTANCE_KEY_NAMES, slotView } from './keyring.ts';
export type { Keyring, KeyringDescription, SlotView } from './keyring.ts';
export type { SlotRequest } from './new-slot.ts';
export { FILE_SEAL_BYTES, sealedBytes, type FileBody } from './file-seal.ts';
export { sealingSnapshotKey, withOpeningSnapshotKey, type SnapshotKeySource } from './snapshot-key.ts';
export type { SealedKey, SlotKind, SlotRecord } from './repository.ts';

export interface Unlocked {
  keyring: Keyring;
  /** Notices to print for the user. They contain no secret. */
  notices: string[];
  openedBy: SlotKind | 'memory';
  /** Records the time of the opening and the slot that opened the vault, once the start may change the store. A new vault has it recorded already. */
  noteUse?: (database: Database) => void;
}

/**
 * Opens the vault of this store, or creates it at its first start (docs/architecture.md#vault). Call it before the
 * write queue is used. Throws `sealed` when no key opens it (nothing was written), `key_file_refused` and
 * `vault_key_invalid` when a key source is unusable, `vault_damaged` when a key under an open slot doesn't open.
 * `onMade` runs in the transaction that creates the vault.
 */
export async function unlock(
  database: Database,
  options: KeySourceOptions,
  now: number,
  onMade?: (keyring: Keyring) => void,
): Promise<Unlocked> {
  const slots = listSlots(database);
  if (slots.length > 0) return reopenVault(database, { slots, options, now });
  if (hasKeyedRows(database)) {
    throw new ServiceError(
      'sealed',
      'The vault is sealed: it holds sealed keys but has no key slot left, so no key can open it; restore a backup',
    );
  }
  return createVault(database, { options, now, onMade });
}
