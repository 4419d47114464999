/**
 * The vault: writes, reads and deletes the data of one entity (docs/architecture.md#vault, contract §0.11, §1).
 *
 * Every change takes the database of a write job and is synchronous, so that the validation against the current state
 * and the write are one transaction. A file is sealed to disk before, and the job only references it. Values leave only
 * through `reveal`, `masked`, `integrity` and `openFile`.
 */
import type { Clock } from '../kernel/clock.ts';
import { secretBytes } from '../kernel/random.ts';
import type { BlobStore } from '../storage/blobs.ts';
import type { Database } from '../storage/database.ts';
import { writeAttributes } from './attributes.ts';
import { createEntityRecords } from './entity-records.ts';
import { KEY_BYTES, unlessDamaged } from './envelope.ts';
import { sealFile, StoredFile, type FileListener } from './files/index.ts';
import {
  type FingerprintListing,
  deleteAllFingerprints,
  listedUpTo,
  refreshedFingerprints,
  storeFingerprints,
  type FingerprintMap,
  type Fingerprint,
} from './fingerprints.ts';
import {
  describeIdentifier,
  planDelete,
  planWrite,
  replacedBy,
  type WritePlan,
  mayBeFile,
} from './identifiers/index.ts';
import type { Keyring } from './keyring/index.ts';
import type { VaultReading } from './vault-reads.ts';
import {
  createReader,
  fingerprintedText,
  sealValue,
  type NewVault,
  type VaultEntity,
  type VaultReader,
  isSameValue,
  type StoredValue,
} from './reader.ts';
import {
  deleteFiles,
  deleteHistory,
  findValue,
  insertValues,
  isFileName,
  listEverStored,
  listFileVersions,
  listFiles,
  listFilesOfEntity,
  listStoredNames,
  insertFile,
  isFileVersion,
  updateVault,
} from './repository.ts';
import { denial, type Writer } from './access-entry.ts';
import { endAhead, dropAhead } from './values-ahead.ts';
import type {
  ChangeSource,
  PlannedChange,
  ValueOptions,
  Vault,
  VaultChanges,
  VaultListener,
} from './vault-interface.ts';
import { invalid } from '../kernel/errors.ts';

export type { Attributes } from './attributes.ts';
export type { StoredValue } from './reader.ts';
export type { MaskedValue } from './masked.ts';
export type * from './vault-interface.ts';

const NO_FILES: ReadonlyMap<string, StoredFile> = new Map();

export function createVault(context: {
  reading: VaultReading;
  keyring: Keyring;
  clock: Clock;
  blobs: BlobStore;
  listener: VaultListener;
  listing: FingerprintListing;
}): Vault {
  const { keyring, clock, blobs, listener, listing } = context;
  const { reads, readerOf, entityKeys, fingerprinterOf } = context.reading;
  const files = listener.files;

  function plan(
    entity: NewVault,
    state: VaultReader,
    request: { changes: VaultChanges; isCreate: boolean } & ValueOptions,
  ): WritePlan {
    const { changes, isCreate, skipLuhn } = request;
    const isLive = entity.environment === 'live';
    return planWrite({ kind: entity.kind, changes, state, isCreate, skipLuhn, isLive });
  }

  /** The plan of a change of an existing vault. Every change passes here, whatever its route. */
  function planChange(
    entity: VaultEntity,
    state: VaultReader,
    { changes, uploads = [], skipLuhn, by }: PlannedChange,
  ): WritePlan {
    const stored = uploads.filter((identifier) => state.isStored(identifier));
    const refusal = denial(by, 'write', [...replacedBy(changes, state), ...stored]);
    if (refusal) throw refusal;
    return plan(entity, state, { changes, isCreate: false, skipLuhn });
  }

  function apply(
    database: Database,
    entity: VaultEntity,
    changes: StoredChanges,
    {
      reader,
      entityKey,
      by,
      source = 'api',
    }: {
      reader: VaultReader;
      entityKey: Uint8Array;
      by: Writer | undefined;
      source?: ChangeSource | undefined;
    },
  ): number {
    const fingerprint = fingerprinterOf(entity);
    return applyChanges(database, entity, changes, {
      reader,
      entityKey,
      fingerprint,
      mayCompare: (identifier) => by?.mayDecrypt(identifier) ?? false,
      listener: files,
      changed: (identifiers, version) => listener.changed(database, entity, { identifiers, version, source }),
      now: clock.now(),
    });
  }

  function purgeValues(
    database: Database,
    entity: VaultEntity,
    names: Iterable<string>,
    version: number,
  ): string[] {
    const released: string[] = [];
    for (const identifier of names) {
      deleteHistory(database, { entity: entity.id, version }, identifier);
      released.push(...deleteFiles(database, { entity: entity.id, version }, identifier));
      // A value that was written since stays.
      if (findValue(database, { entity: entity.id, identifier, version: Infinity }) === undefined)
        files.purged(database, entity, identifier);
    }
    return released;
  }

  const store: Vault['store'] = (database, entity, request) => {
    const { files: sealed, by, source } = request;
    const entityKey = entityKeys.open(entity);
    const reader = readerOf(database, entity);
    const { set, remove } = planChange(entity, reader, { ...request, uploads: [...sealed.keys()] });
    const attached = [...sealed].map(([identifier, value]) => ({ identifier, value }));
    const changes = { set: [...set, ...attached], remove };
    return apply(database, entity, changes, { reader, entityKey, by, source });
  };

  return {
    ...reads,

    draft(entity, { changes, skipLuhn }) {
      const entityKey = secretBytes(KEY_BYTES);
      const fingerprint = fingerprinterOf(entity);
      const reader = createReader({
        keyOf: unstored,
        findValue: () => undefined,
        fingerprint,
      });
      const { set } = plan(entity, reader, { changes, isCreate: true, skipLuhn });
      const version = set.length === 0 ? 0 : 1;
      const values = set.map(({ identifier, value }) => {
        reader.put(identifier, value);
        return {
          identifier,
          sealed: sealValue(entityKey, { fp_id: entity.fp_id, identifier, version }, value),
        };
      });
      const changed = set.map(({ identifier }) => identifier);
      const after = refreshedFingerprints({}, { changed, read: fingerprintedText(reader), fingerprint });
      return {
        version,
        fingerprints: JSON.stringify(after),
        sealedKey: () => keyring.sealEntityKey(entity.fp_id, entityKey),
        store(database, id) {
          insertValues(database, { entity: id, version, created_at: clock.now() }, values);
          // A reused row id is already in the table's range.
          if (id > listedUpTo(database)) listing.created();
          else storeFingerprints(database, id, { before: {}, after });
        },
      };
    },

    write: (database, entity, request) => store(database, entity, { ...request, files: NO_FILES }),
    store,

    validate(database, entity, request) {
      planChange(entity, readerOf(database, entity), request);
    },

    remove(database, entity, { fields, purge }) {
      const stored = listStoredNames(database, entity.id, entity.vault_version);
      const { remove, answer } = planDelete({ kind: entity.kind, fields, stored });
      const entityKey = entityKeys.open(entity);
      const reader = readerOf(database, entity);
      const version = apply(database, entity, { set: [], remove }, { reader, entityKey, by: undefined });
      if (!purge) return { answer, version, released: [] };
      const asked = fields === 'all' ? listEverStored(database, entity.id) : fields.map(canonicalName);
      const released = purgeValues(database, entity, new Set([...remove, ...asked]), version);
      return { answer, version, released };
    },

    endRemoval(database, entity, names) {
      const version = entity.vault_version + 1;
      for (const file of listFileVersions(database, entity.id)) {
        const { identifier } = file;
        const row = findValue(database, { entity: entity.id, identifier, version: entity.vault_version });
        if (row?.version === file.version && row.sealed) files.removed(database, entity, file);
      }
      endAhead(database, entity.id);
      storeVersion(database, entity, {
        version,
        changed: names,
        read: () => undefined,
        fingerprint: fingerprinterOf(entity),
        now: clock.now(),
      });
      listener.changed(database, entity, { identifiers: names, version, source: 'api' });
      return version;
    },

    purge: purgeValues,

    sealFile: (upload) => sealFile(blobs, upload),
    discard: (names) => blobs.remove(names),
    async sweepFiles(database) {
      await blobs.sweep((name) => isFileName(database, name));
    },

    setAttributes(database, entity, attributes) {
      writeAttributes(database, entity, attributes, {
        entityKey: entityKeys.open(entity),
        fingerprint: fingerprinterOf(entity),
        now: clock.now(),
      });
    },

    records: (entity) => createEntityRecords(entityKeys.open(entity), entity.fp_id),

    forgetAll(database) {
      entityKeys.forgetAll();
      deleteAllFingerprints(database);
      return listFiles(database);
    },

    forget(database, entity) {
      entityKeys.forget(entity.fp_id);
      storeFingerprints(database, entity.id, {
        before: JSON.parse(entity.fingerprints) as FingerprintMap,
        after: {},
      });
      return listFilesOfEntity(database, entity.id);
    },
  };
}

/** Nothing of a draft is in the store, so nothing of it is opened. */
function unstored(): never {
  throw new Error('a draft has no stored values');
}

function canonicalName(identifier: string): string {
  return describeIdentifier(identifier)?.canonical ?? identifier;
}

/** The version that a request header asks for: 0 to the current one, else `invalid_request` (contract §0.11). */
export function requestedVersion(header: string | undefined, entity: VaultEntity): number {
  if (header === undefined) return entity.vault_version;
  const version = Number(header);
  if (!/^\d{1,15}$/.test(header) || version > entity.vault_version) {
    throw invalid('Header x-fp-vault-version is not a version of this vault');
  }
  return version;
}

// Stores the results of a write or a deletion as one version: values, tombstones, files and blind indexes.

interface StoredChanges {
  readonly set: readonly { readonly identifier: string; readonly value: StoredValue }[];
  readonly remove: readonly string[];
}

interface ChangeContext {
  readonly reader: VaultReader;
  readonly entityKey: Uint8Array;
  readonly fingerprint: Fingerprint;
  /** Whether the result may depend on the stored value: an equal one is then no change. */
  readonly mayCompare: (identifier: string) => boolean;
  readonly listener: FileListener;
  /** Called once everything is stored, with canonical names. */
  readonly changed: (identifiers: readonly string[], version: number) => void;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Stores the changes as the next version, or nothing if there are none; returns the resulting version. */
function applyChanges(
  database: Database,
  entity: VaultEntity,
  changes: StoredChanges,
  { reader, entityKey, fingerprint, mayCompare, listener, changed: report, now }: ChangeContext,
): number {
  const set = changes.set.filter(({ identifier, value }) => {
    if (!mayCompare(identifier)) return true;
    // A damaged value counts as different, so that overwriting it repairs it.
    const current = unlessDamaged(() => reader.read(identifier));
    return current === undefined || !isSameValue(current, value);
  });
  const remove = changes.remove.filter((identifier) => reader.isStored(identifier));
  if (set.length + remove.length === 0) return entity.vault_version;

  dropAhead(database, entity);
  const version = entity.vault_version + 1;
  const values: { identifier: string; sealed: Uint8Array | null }[] = [];
  for (const { identifier, value } of set) {
    if (value instanceof StoredFile) {
      insertFile(database, { name: value.blob, entity: entity.id, identifier, version });
      listener.stored(database, entity, { identifier, version, at: now });
    } else noteRemoved(identifier);
    const sealed = sealValue(entityKey, { fp_id: entity.fp_id, identifier, version }, value);
    values.push({ identifier, sealed });
    reader.put(identifier, value);
  }
  for (const identifier of remove) {
    noteRemoved(identifier);
    values.push({ identifier, sealed: null });
    reader.put(identifier, undefined);
  }
  insertValues(database, { entity: entity.id, version, created_at: now }, values);
  const changed = [...set.map(({ identifier }) => identifier), ...remove];
  storeVersion(database, entity, { version, changed, read: fingerprintedText(reader), fingerprint, now });
  report(changed, version);
  return version;

  /** Checks the row, not the value, so that a file with a damaged descriptor is removed, too. */
  function noteRemoved(identifier: string): void {
    if (!mayBeFile(identifier)) return;
    const current = reader.rowOf(identifier)?.version;
    if (current === undefined) return;
    const file = { identifier, version: current };
    if (isFileVersion(database, { entity: entity.id, ...file })) listener.removed(database, entity, file);
  }
}

/** Makes `version` the current one, with the fingerprints of the changed values. */
function storeVersion(
  database: Database,
  entity: VaultEntity,
  {
    version,
    changed,
    read,
    fingerprint,
    now,
  }: {
    readonly version: number;
    readonly changed: readonly string[];
    readonly read: (identifier: string) => string | undefined;
    readonly fingerprint: Fingerprint;
    readonly now: number;
  },
): void {
  const before = JSON.parse(entity.fingerprints) as FingerprintMap;
  const after = refreshedFingerprints(before, { changed, read, fingerprint });
  storeFingerprints(database, entity.id, { before, after });
  updateVault(database, {
    entity: entity.id,
    version,
    fingerprints: JSON.stringify(after),
    updated_at: now,
  });
}
