/**
 * Operations of the open vault for snapshots (contract §11). Within an instance a snapshot opens like the store. An
 * exported snapshot contains its vault key, sealed under the snapshot key. An imported snapshot is sealed again under
 * the local vault key, and the foreign vault key is then discarded. Key slots are never exported.
 */
import type { Database } from '../../storage/database.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { derivedKey, KEY_BYTES, seal } from '../envelope.ts';
import { isFileAuthentic, makeFileSeal, type FileBody } from './file-seal.ts';
import { openOrNothing, openRootKey, sealRootKey } from './root-keys.ts';
import * as rows from './repository.ts';

export interface SnapshotKeys<Keyring> {
  /** The vault key, sealed under a snapshot key. */
  sealFor(snapshotKey: Uint8Array): Uint8Array;
  /** The seal for the end of a snapshot file; with a snapshot key other vaults can verify it, too. */
  sealFile(body: FileBody, snapshotKey?: Uint8Array): Buffer;
  /**
   * Whether a file is unchanged since it was sealed; undefined when neither this vault's key nor the given one opens
   * the seal.
   */
  isFileAuthentic(trailer: Uint8Array, body: FileBody, snapshotKey?: Uint8Array): boolean | undefined;
  /** The key for files beside the store; it never changes for a vault. */
  readonly anchorKey: Uint8Array;
  /** Whether this vault's key opens the root keys of another store. */
  opens(other: Database): boolean;
  /**
   * Seals the root keys of another store under this vault's key, in a transaction of its own. Returns false, and writes
   * nothing, when `snapshotKey` doesn't open `sealedVaultKey`. Throws `vault_damaged` when a root key doesn't open.
   */
  adopt(other: Database, sealedVaultKey: Uint8Array, snapshotKey: Uint8Array): boolean;
  /** Copies the key slots of this store to another store that it `opens`, in a transaction of its own. */
  handSlotsTo(other: Database): void;
  /** The keyring of another store that it `opens`. Throws `vault_damaged`. */
  reopen(other: Database): Keyring;
}

export function createSnapshotKeys<Keyring>(vault: {
  readonly database: Database;
  readonly vaultKey: Uint8Array;
  readonly reopen: (other: Database) => Keyring;
}): SnapshotKeys<Keyring> {
  const { database, vaultKey } = vault;
  return {
    sealFor: (snapshotKey) => seal(snapshotWrap(snapshotKey), vaultKey),
    anchorKey: derivedKey(vaultKey, 'access log anchor'),
    sealFile: (body, snapshot) => makeFileSeal(body, { vault: vaultKey, snapshot }),
    isFileAuthentic: (trailer, body, snapshotKey) =>
      isFileAuthentic(
        trailer,
        body,
        snapshotKey ? { key: snapshotKey, holder: 'snapshot key' } : { key: vaultKey, holder: 'vault' },
      ),

    opens(other) {
      const stored = rows.listRootKeys(other);
      for (const row of stored) {
        const opened = openRootKey(vaultKey, row);
        if (!opened) return false;
        opened.key.fill(0);
      }
      return stored.length > 0;
    },

    adopt(other, sealedVaultKey, snapshotKey) {
      const foreign = openOrNothing(snapshotWrap(snapshotKey), sealedVaultKey);
      if (foreign?.length !== KEY_BYTES) return false;
      try {
        other.transaction(() => {
          for (const row of rows.listRootKeys(other)) {
            const opened = openRootKey(foreign, row);
            if (!opened) throw new ServiceError('vault_damaged', `Root key ${row.version} does not open`);
            rows.updateRootKey(other, sealRootKey(vaultKey, row.version, opened));
            opened.key.fill(0);
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
