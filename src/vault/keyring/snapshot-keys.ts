/**
 * What a snapshot needs of the open vault (contract §11). Within an instance a snapshot opens as the store does. One
 * that leaves it carries its vault key sealed under the snapshot key; one that comes in is sealed anew under the vault
 * key that is here, and the foreign vault key is nowhere afterwards. Key slots never travel.
 */
import { ServiceError } from '../../kernel/errors.ts';
import type { Database } from '../../storage/database.ts';
import { derivedKey, KEY_BYTES, open, seal } from '../envelope.ts';
import * as rows from './repository.ts';

export interface SnapshotKeys<Keyring> {
  /** The vault key, sealed under a snapshot key. */
  sealFor(snapshotKey: Uint8Array): Uint8Array;
  /** Whether the root keys of another store are sealed under this vault's key. */
  opens(other: Database): boolean;
  /**
   * Seals the root keys of another store under this vault's key, in a transaction of its own; false when `snapshotKey`
   * doesn't open `sealedVaultKey`, and nothing is written then. Throws `vault_damaged` when a root key doesn't open.
   */
  adopt(other: Database, sealedVaultKey: Uint8Array, snapshotKey: Uint8Array): boolean;
  /** Gives another store that `opens` the key slots of this one, in a transaction of its own. */
  handSlotsTo(other: Database): void;
  /** The keyring of another store that `opens`. Throws `vault_damaged`. */
  reopen(other: Database): Keyring;
}

export function rootKeyWrap(vaultKey: Uint8Array, version: number): Uint8Array {
  return derivedKey(vaultKey, 'root key', String(version));
}

export function createSnapshotKeys<Keyring>(vault: {
  readonly database: Database;
  readonly vaultKey: Uint8Array;
  readonly reopen: (other: Database) => Keyring;
}): SnapshotKeys<Keyring> {
  const { database, vaultKey } = vault;
  return {
    sealFor: (snapshotKey) => seal(snapshotWrap(snapshotKey), vaultKey),

    opens(other) {
      const stored = rows.listRootKeys(other);
      for (const { version, sealed_key } of stored) {
        const key = openOrNothing(rootKeyWrap(vaultKey, version), sealed_key);
        if (!key) return false;
        key.fill(0);
      }
      return stored.length > 0;
    },

    adopt(other, sealedVaultKey, snapshotKey) {
      const foreign = openOrNothing(snapshotWrap(snapshotKey), sealedVaultKey);
      if (foreign?.length !== KEY_BYTES) return false;
      try {
        other.transaction(() => {
          for (const { version, sealed_key } of rows.listRootKeys(other)) {
            const key = open(rootKeyWrap(foreign, version), sealed_key);
            rows.updateRootKey(other, { version, sealed_key: seal(rootKeyWrap(vaultKey, version), key) });
            key.fill(0);
          }
        })();
      } finally {
        foreign.fill(0);
      }
      return true;
    },

    handSlotsTo(other) {
      other.transaction(() => {
        rows.deleteSlots(other);
        for (const slot of rows.listSlots(database)) rows.insertSlot(other, slot);
      })();
    },

    reopen: (other) => other.transaction(() => vault.reopen(other))(),
  };
}

function snapshotWrap(snapshotKey: Uint8Array): Uint8Array {
  return derivedKey(snapshotKey, 'vault key', 'snapshot');
}

function openOrNothing(key: Uint8Array, envelope: Uint8Array): Uint8Array | undefined {
  try {
    return open(key, envelope);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'vault_damaged') return undefined;
    throw error;
  }
}
