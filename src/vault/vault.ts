/**
 * The vault: writes, reads and deletes the data of one entity (docs/architecture.md#vault, contract §0.11, §1).
 *
 * Every change takes the database of a write job and is synchronous, so that the validation against the current state
 * and the write are one transaction. A file is sealed to disk before, and the job only references it. Values leave only
 * through `reveal`, `masked`, `integrity` and `openFile`.
 */
import type { Clock } from '../kernel/time/clock.ts';
import { secretBytes } from '../kernel/ids/random.ts';
import type { BlobStore } from '../storage/blobs.ts';
import type { Database } from '../storage/database.ts';
import { writeAttributes, type Attributes } from './attributes.ts';
import { createEntityRecords } from './entity-records.ts';
import { KEY_BYTES } from './envelope.ts';
import { sealFile, type StoredFile } from './files/index.ts';
import {
  type FingerprintListing,
  deleteAllFingerprints,
  listedUpTo,
  refreshedFingerprints,
  storeFingerprints,
  type FingerprintMap,
} from './fingerprints.ts';
import {
  describeIdentifier,
  planDelete,
  planWrite,
  replacedBy,
  type WritePlan,
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
} from './repository.ts';
import { denial, type Writer } from './access-entry.ts';
import { endAhead } from './values-ahead.ts';
import {
  applyChanges,
  storeVersion,
  type ChangeSource,
  type PlannedChange,
  type StoredChanges,
  type ValueOptions,
  type VaultChanges,
  type VaultDraft,
  type VaultListener,
  type WriteOptions,
} from './vault-changes.ts';
import { invalid } from '../kernel/errors.ts';

export type { Attributes } from './attributes.ts';
export type { StoredValue } from './reader.ts';
export type { MaskedValue } from './masked.ts';
export type { VaultListener } from './vault-changes.ts';
export type { VaultReads } from './vault-reads.ts';

export type Vault = ReturnType<typeof createVault>;

const NO_FILES: ReadonlyMap<string, StoredFile> = new Map();

export function createVault(context: {
  reading: VaultReading;
  keyring: Keyring;
  clock: Clock;
  blobs: BlobStore;
  listener: VaultListener;
  listing: FingerprintListing;
}) {
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

  /**
   * The same with sealed files in addition, by canonical identifiers that are not in `changes`, all in one version. The
   * caller has checked that these accept files, and discards the files when this throws.
   */
  function store(
    database: Database,
    entity: VaultEntity,
    request: { changes: VaultChanges; files: ReadonlyMap<string, StoredFile> } & WriteOptions,
  ): number {
    const { files: sealed, by, source } = request;
    const entityKey = entityKeys.open(entity);
    const reader = readerOf(database, entity);
    const { set, remove } = planChange(entity, reader, { ...request, uploads: [...sealed.keys()] });
    const attached = [...sealed].map(([identifier, value]) => ({ identifier, value }));
    const changes = { set: [...set, ...attached], remove };
    return apply(database, entity, changes, { reader, entityKey, by, source });
  }

  return {
    ...reads,

    /** Throws T120. */
    draft(entity: NewVault, { changes, skipLuhn }: { changes: VaultChanges } & ValueOptions): VaultDraft {
      const entityKey = secretBytes(KEY_BYTES);
      const fingerprint = fingerprinterOf(entity);
      const reader = createReader({ keyOf: unstored, findValue: () => undefined, fingerprint });
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
        store(database: Database, id: number): void {
          insertValues(database, { entity: id, version, created_at: clock.now() }, values);
          // A reused row id is already in the table's range.
          if (id > listedUpTo(database)) listing.created();
          else storeFingerprints(database, id, { before: {}, after });
        },
      };
    },

    /**
     * Writes and deletes in one step; returns the resulting version. Throws `permission_denied` and T120, and then
     * changes nothing.
     */
    write: (
      database: Database,
      entity: VaultEntity,
      request: { changes: VaultChanges } & WriteOptions,
    ): number => store(database, entity, { ...request, files: NO_FILES }),
    store,

    /** Runs the checks of `store` against the current state and stores nothing. */
    validate(database: Database, entity: VaultEntity, request: PlannedChange): void {
      planChange(entity, readerOf(database, entity), request);
    },

    /**
     * Deletes by name, including derived values. `purge` also destroys earlier versions; `released` names their files, to
     * be discarded after the commit.
     */
    remove(
      database: Database,
      entity: VaultEntity,
      { fields, purge }: { fields: readonly string[] | 'all'; purge: boolean },
    ): { answer: Record<string, boolean>; version: number; released: string[] } {
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

    /**
     * The last job of a deletion of everything whose rows were written ahead (values-ahead.ts): makes them the current
     * version, which it returns. `names`: those of all stored values.
     */
    endRemoval(database: Database, entity: VaultEntity, names: readonly string[]): number {
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

    /** Destroys the versions of these values up to `version`; returns the files to be discarded after the commit. */
    purge: purgeValues,

    /** Seals a file to disk as a stream; leaves nothing behind on failure. */
    sealFile: (upload: { contentType: string; content: AsyncIterable<Uint8Array> }) =>
      sealFile(blobs, upload),
    /** Removes sealed files that no row refers to any longer. */
    discard: (names: Iterable<string>) => blobs.remove(names),
    /** Removes files left behind by an interrupted process. Call it before anything is uploaded. */
    async sweepFiles(database: Database): Promise<void> {
      await blobs.sweep((name) => isFileName(database, { name }));
    },

    /** Sets what a browser or device would report about the entity; null removes an attribute. */
    setAttributes(database: Database, entity: VaultEntity, attributes: Attributes): void {
      writeAttributes(database, entity, attributes, {
        entityKey: entityKeys.open(entity),
        fingerprint: fingerprinterOf(entity),
        now: clock.now(),
      });
    },

    /**
     * Seals records of the entity outside of its vault. Use it within one request: deleting the entity destroys its key,
     * and records sealed afterwards never open.
     */
    records: (entity: VaultEntity) => createEntityRecords(entityKeys.open(entity), entity.fp_id),

    /** The same for all entities of the store, whose rows are deleted together. */
    forgetAll(database: Database): string[] {
      entityKeys.forgetAll();
      deleteAllFingerprints(database);
      return listFiles(database);
    },

    /** Removes data of the entity outside of its rows, in the job that deletes them; returns the files to discard. */
    forget(database: Database, entity: VaultEntity): string[] {
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
