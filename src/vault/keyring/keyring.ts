/**
 * The open keyring: the only holder of key-encrypting keys in the process.
 *
 * slot secret -> vault key -> root key, versioned -> entity keys, instance keys
 *
 * Every slot seals the same random vault key, and the vault key seals the root keys. Without that step a rotation would
 * have to seal the new root key for each slot, and so need every passphrase and recovery code at hand. A rotation makes
 * a leaked root key useless for data sealed afterwards and, once the entities are rewrapped, for the entity keys in the
 * store. It does not revoke the vault key from someone who had it. Nor does removing a slot revoke access from someone
 * who kept its secret and an old copy of the store.
 *
 * The store is authoritative and memory is a cache of it: a rolled-back write job leaves no version behind here.
 */
import { timestamp } from '../../kernel/time/clock.ts';
import { ServiceError, conflict } from '../../kernel/errors.ts';
import { secretBytes } from '../../kernel/ids/random.ts';
import type { Database } from '../../storage/database.ts';
import { countByRootKey } from '../entity-counts.ts';
import { derivedKey, KEY_BYTES, open, seal } from '../envelope.ts';
import { NEWEST_SEALS, sealExistingRows, updateGrantList, useGrantKey } from '../grants/index.ts';
import { requireEarlierTombstones, sealTombstones } from '../tombstones.ts';
import { type FileBody, isFileAuthentic, makeFileSeal } from './file-seal.ts';
import { newSlot, type KeyFilePlace, type SlotRequest } from './new-slot.ts';
import * as rows from './repository.ts';
import type { SealedKey, SlotKind, SlotRecord } from './repository.ts';
import { openOrNothing, openRootKey, sealRootKey } from './root-keys.ts';

/** Keys of the instance itself, created when a version that knows them first opens the vault. */
export const INSTANCE_KEY_NAMES: readonly string[] = [
  'access log',
  'fingerprints',
  'grants',
  'private values',
];

/** A slot in the form of the control plane; times are ISO 8601. */
export interface SlotView {
  id: string;
  kind: SlotKind;
  created_at: string;
  last_used_at: string | null;
}

export interface KeyringDescription {
  root_key_version: number;
  min_root_key_version: number;
  slots: SlotView[];
  entities_by_root_key_version: Record<string, number>;
}

/** Every `database` parameter is the store on which the keyring was opened. */
export interface Keyring {
  /** Whether opening it has sealed the store's rows for the first time, as for an older store. */
  readonly hasFirstSeals: boolean;
  /** The newest version, which seals new keys. */
  readonly rootKeyVersion: number;
  /**
   * Seals an entity's key for its row. Call it in the write job that stores the row: a rotation may have retired an
   * earlier version in the meantime, and the row's foreign key would then refuse it.
   */
  sealEntityKey(fpId: string, key: Uint8Array): SealedKey;
  /** Throws `vault_damaged` when the key was changed, belongs to another entity, or its root key is missing. */
  openEntityKey(fpId: string, sealed: SealedKey): Uint8Array;
  /** The 32-byte key of this name in INSTANCE_KEY_NAMES. The caller must not modify it. */
  instanceKey(name: string): Uint8Array;
  /** In a write job: adds a root key version and seals the instance keys again under it. Returns the version. */
  rotate(database: Database, now: number): number;
  /**
   * In a write job: seals up to `limit` entity keys of older versions under the newest, and returns how many. At 0 none
   * is left, and unused root keys are deleted. It may be stopped and resumed anywhere. Throws `vault_damaged` naming
   * the entity whose key doesn't open, and then changes nothing in that job.
   */
  rewrapEntityKeys(database: Database, limit: number): number;
  describe(database: Database): KeyringDescription;
  /**
   * Does the slow part of creating a slot: scrypt, the key file. Throws `invalid_request`, `vault_key_invalid` and
   * `key_file_refused`. Only the result contains the recovery code.
   */
  prepareSlot(request: SlotRequest, now: number): Promise<{ slot: SlotRecord; recovery_code?: string }>;
  /** In a write job. */
  addSlot(database: Database, slot: SlotRecord): void;
  /**
   * In a write job. Throws `not_found`, and `conflict` for the last slot. Does not delete key files and keychain
   * entries.
   */
  removeSlot(database: Database, id: string): void;
  /** For snapshots, and for stores made from them. */
  readonly snapshots: SnapshotKeys<Keyring>;
}

export function slotView({ id, kind, created_at, last_used_at }: SlotRecord): SlotView {
  return {
    id,
    kind,
    created_at: timestamp(created_at),
    last_used_at: last_used_at === null ? null : timestamp(last_used_at),
  };
}

/** A keyring whose vault key is in memory only, so its data is lost with the process. The store must be new. */
export function ephemeralKeyring(
  database: Database,
  now: number,
  onMade?: (keyring: Keyring) => void,
): Keyring {
  const vaultKey = secretBytes(KEY_BYTES);
  return database.transaction(() => {
    const made = createKeyring({ database, vaultKey, keyFilePlace: undefined, now });
    onMade?.(made);
    return made;
  })();
}

export interface OpenVault {
  database: Database;
  vaultKey: Uint8Array;
  keyFilePlace: KeyFilePlace | undefined;
  now: number;
}

/** In a transaction: creates the first root key and the instance keys of a new vault. */
export function createKeyring(vault: OpenVault): Keyring {
  const { database, vaultKey, now } = vault;
  const key = secretBytes(KEY_BYTES);
  rows.insertRootKey(database, sealRootKey(vaultKey, 1, { key }), now);
  key.fill(0);
  const keyring = openKeyring(vault);
  updateGrantList(database);
  sealTombstones(database);
  return keyring;
}

/**
 * In a transaction: opens every root and instance key, and creates missing instance keys. An older store with unsealed
 * rows gets seals and a new root key, so that data sealed later doesn't open with the old state of the store. Throws
 * `vault_damaged` when a key doesn't open.
 */
export function openKeyring({ database, vaultKey, keyFilePlace, now }: OpenVault): Keyring {
  const rootKeys = new Map<number, Uint8Array>();
  const instanceKeys = new Map<string, Uint8Array>();

  const stored = rows.listRootKeys(database);
  if (stored.length === 0) throw new ServiceError('vault_damaged', 'The vault has key slots but no root key');
  const [seals = NEWEST_SEALS, ...others] = new Set(stored.map((row) => openAndKeep(row).seals));
  if (others.length > 0) {
    throw new ServiceError('vault_damaged', 'The root keys of the vault are not of one store');
  }
  for (const { name, ...sealed } of rows.listInstanceKeys(database)) {
    instanceKeys.set(name, open(wrap('instance key', name, sealed.root_key_version), sealed.sealed_key));
  }
  for (const name of INSTANCE_KEY_NAMES) {
    if (instanceKeys.has(name)) continue;
    const key = secretBytes(KEY_BYTES);
    rows.putInstanceKey(database, { name, ...sealed('instance key', name, key) });
    instanceKeys.set(name, key);
  }

  function rootKey(version: number): Uint8Array {
    const cached = rootKeys.get(version);
    if (cached) return cached;
    const row = rows.findRootKey(database, version);
    if (!row) throw new ServiceError('vault_damaged', `The vault has no root key of version ${version}`);
    return openAndKeep(row).key;
  }

  function openAndKeep(row: rows.RootKeyRow) {
    const opened = openRootKey(vaultKey, row);
    if (!opened)
      throw new ServiceError('vault_damaged', `Root key ${row.version} of the vault does not open`);
    rootKeys.set(row.version, opened.key);
    return opened;
  }

  function wrap(kind: 'entity key' | 'instance key', name: string, version: number): Uint8Array {
    return derivedKey(rootKey(version), kind, name);
  }

  function sealed(kind: 'entity key' | 'instance key', name: string, key: Uint8Array): SealedKey {
    const version = rows.newestRootKeyVersion(database);
    return { root_key_version: version, sealed_key: seal(wrap(kind, name, version), key) };
  }

  function rewrap({ id, fp_id, ...old }: rows.EntityKeyRow): void {
    const key = keyring.openEntityKey(fp_id, old);
    rows.updateEntityKey(database, id, keyring.sealEntityKey(fp_id, key));
    key.fill(0);
  }

  const keyring: Keyring = {
    hasFirstSeals: seals === 0,
    get rootKeyVersion() {
      return rows.newestRootKeyVersion(database);
    },
    sealEntityKey: (fpId, key) => sealed('entity key', fpId, key),
    openEntityKey(fpId, { root_key_version, sealed_key }) {
      try {
        return open(wrap('entity key', fpId, root_key_version), sealed_key);
      } catch (cause) {
        if (!(cause instanceof ServiceError)) throw cause;
        throw new ServiceError('vault_damaged', `The key of ${fpId} does not open: it was changed or moved`, {
          cause,
        });
      }
    },
    instanceKey(name) {
      const key = instanceKeys.get(name);
      if (!key) throw new Error(`'${name}' is not one of INSTANCE_KEY_NAMES`);
      return key;
    },
    rotate(database, now) {
      const version = keyring.rootKeyVersion + 1;
      const key = secretBytes(KEY_BYTES);
      rows.insertRootKey(database, sealRootKey(vaultKey, version, { key }), now);
      rootKeys.set(version, key);
      for (const [name, instanceKey] of instanceKeys) {
        rows.putInstanceKey(database, { name, ...sealed('instance key', name, instanceKey) });
      }
      return version;
    },
    rewrapEntityKeys(database, limit) {
      const newest = keyring.rootKeyVersion;
      if (rows.oldestRootKeyVersion(database) === newest) return 0;
      const outdated = rows.listOutdatedEntityKeys(database, newest, limit);
      for (const row of outdated) rewrap(row);
      if (outdated.length === 0) {
        rows.deleteUnusedRootKeys(database, newest);
        const kept = new Set(rows.listRootKeys(database).map(({ version }) => version));
        for (const [version, key] of rootKeys) {
          if (kept.has(version)) continue;
          key.fill(0);
          rootKeys.delete(version);
        }
      }
      return outdated.length;
    },
    describe(database) {
      const entities = countByRootKey(database, keyring.rootKeyVersion);
      return {
        root_key_version: keyring.rootKeyVersion,
        min_root_key_version: rows.oldestRootKeyVersion(database),
        slots: rows.listSlots(database).map(slotView),
        entities_by_root_key_version: Object.fromEntries(
          entities.map((each) => [each.version, each.entities]),
        ),
      };
    },
    prepareSlot: (request, now) => newSlot({ request, vaultKey, keyFilePlace, now }),
    addSlot: (database, slot) => rows.insertSlot(database, slot),
    removeSlot(database, id) {
      const slots = rows.listSlots(database);
      if (!slots.some((slot) => slot.id === id))
        throw new ServiceError('not_found', `There is no key slot ${id}`);
      if (slots.length === 1) {
        throw conflict('The last key slot cannot be removed: nothing would open the vault');
      }
      rows.deleteSlot(database, id);
    },
    snapshots: createSnapshotKeys<Keyring>({
      database,
      vaultKey,
      reopen: (other) => openKeyring({ database: other, vaultKey, keyFilePlace, now }),
    }),
  };
  useGrantKey(database, keyring.instanceKey('grants'));
  if (seals !== NEWEST_SEALS) {
    sealExistingRows(database, seals);
    if (seals > 0) requireEarlierTombstones(database);
    sealTombstones(database);
    for (const { version } of stored)
      rows.updateRootKey(database, sealRootKey(vaultKey, version, { key: rootKey(version) }));
    keyring.rotate(database, now);
  }
  return keyring;
}

// Operations of the open vault for snapshots (contract §11). Within an instance a snapshot opens like the store. An
// exported snapshot contains its vault key, sealed under the snapshot key. An imported snapshot is sealed again under
// the local vault key, and the foreign vault key is then discarded. Key slots are never exported.

interface SnapshotKeys<Keyring> {
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

function createSnapshotKeys<Keyring>(vault: {
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
