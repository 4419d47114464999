/**
 * The vault: writes, reads and deletes the data of one entity (docs/architecture.md#vault, contract §0.11, §1).
 *
 * Everything that changes something takes the database of a write job and is synchronous, so that validation against
 * the current state and the write are one transaction; a file is sealed to disk before and only referred to in the
 * job. Values leave only through `reveal`, `masked`, `integrity` and `openFile`.
 */
import { createHmac } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { secretBytes } from '../kernel/random.ts';
import { nextTurn } from '../kernel/turns.ts';
import { MIB } from '../kernel/units.ts';
import type { BlobStore } from '../storage/blobs.ts';
import type { Database } from '../storage/database.ts';
import { readAttribute, writeAttributes } from './attributes.ts';
import { applyChanges, type Changes as StoredChanges } from './changes.ts';
import { storedText, type StoredValue } from './encoding.ts';
import { createEntityKeys } from './entity-keys.ts';
import { createEntityRecords } from './entity-records.ts';
import { KEY_BYTES } from './envelope.ts';
import { openFile, sealFile, StoredFile } from './files/index.ts';
import {
  createFingerprinter,
  indexDigest,
  refreshedFingerprints,
  storeFingerprints,
  type FingerprintMap,
} from './fingerprints.ts';
import {
  describeIdentifier,
  planDelete,
  planWrite,
  presentIdentifiers,
  readingOf,
  searchKeys,
  type IdentifierReference,
  type WritePlan,
} from './identifiers/index.ts';
import type { Keyring } from './keyring/index.ts';
import { maskedValues } from './masked.ts';
import {
  createReader,
  fingerprintedText,
  sealValue,
  type NewVault,
  type VaultEntity,
  type VaultReader,
} from './reader.ts';
import {
  deleteAllFingerprints,
  deleteFiles,
  deleteHistory,
  findValue,
  findVersionAt,
  insertValue,
  isFileName,
  listEntitiesByFingerprint,
  listEverStored,
  listFiles,
  listFilesOfEntity,
  listValues,
} from './repository.ts';
import type { Changes, ChangeSource, Vault, VaultListener, WriteOptions } from './vault-interface.ts';

export type { Attributes } from './attributes.ts';
export type { StoredValue } from './encoding.ts';
export type { MaskedValue } from './masked.ts';
export type * from './vault-interface.ts';

/** Each is up to 32 KiB, which takes a millisecond to open. */
const REFERENCES_PER_TURN = 16;
/** What one request hashes of files, which takes about a second. */
const HASHED_FILES_LIMIT_BYTES = 512 * MIB;

const NO_CHANGES: Changes = new Map();
const NO_FILES: ReadonlyMap<string, StoredFile> = new Map();

export function createVault(context: {
  keyring: Keyring;
  clock: Clock;
  blobs: BlobStore;
  listener: VaultListener;
  /** How many entities' keys stay in memory; usually two thousand. */
  keptKeys?: number;
}): Vault {
  const { keyring, clock, blobs, listener, keptKeys } = context;
  const files = listener.files;
  const entityKeys = createEntityKeys(keyring, keptKeys);
  const fingerprinterOf = createFingerprinter(keyring.instanceKey('fingerprints'));

  function readerOf(
    database: Database,
    entity: VaultEntity,
    options: { version?: number; entityKey?: Uint8Array } = {},
  ): VaultReader {
    let entityKey = options.entityKey;
    const version = options.version ?? entity.vault_version;
    return createReader({
      fp_id: entity.fp_id,
      entityKey: () => (entityKey ??= entityKeys.open(entity)),
      findValue: (identifier) => findValue(database, { entity: entity.id, identifier, version }),
      fingerprint: fingerprinterOf(entity),
    });
  }

  function plan(
    entity: NewVault,
    state: VaultReader,
    request: { changes: Changes; isCreate: boolean } & WriteOptions,
  ): WritePlan {
    const { changes, isCreate, skipLuhn } = request;
    const isLive = entity.environment === 'live';
    return planWrite({ kind: entity.kind, changes, state, isCreate, skipLuhn, isLive });
  }

  function apply(
    database: Database,
    entity: VaultEntity,
    changes: StoredChanges,
    {
      reader,
      entityKey,
      source = 'api',
    }: { reader: VaultReader; entityKey: Uint8Array; source?: ChangeSource | undefined },
  ): number {
    const fingerprint = fingerprinterOf(entity);
    return applyChanges(database, entity, changes, {
      reader,
      entityKey,
      fingerprint,
      listener: files,
      changed: (identifiers, version) => listener.changed(database, entity, { identifiers, version, source }),
      now: clock.now(),
    });
  }

  const store: Vault['store'] = (database, entity, { changes, files: sealed, skipLuhn, source }) => {
    const entityKey = entityKeys.open(entity);
    const reader = readerOf(database, entity, { entityKey });
    const { set, remove } = plan(entity, reader, { changes, isCreate: false, skipLuhn });
    const attached = [...sealed].map(([identifier, value]) => ({ identifier, value }));
    return apply(database, entity, { set: [...set, ...attached], remove }, { reader, entityKey, source });
  };

  return {
    draft(entity, { changes, skipLuhn }) {
      const entityKey = secretBytes(KEY_BYTES);
      const fingerprint = fingerprinterOf(entity);
      const reader = createReader({
        fp_id: entity.fp_id,
        entityKey: () => entityKey,
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
          const created_at = clock.now();
          for (const { identifier, sealed } of values) {
            insertValue(database, { entity: id, identifier, version, sealed, created_at });
          }
          storeFingerprints(database, id, { before: {}, after });
        },
      };
    },

    write: (database, entity, request) => store(database, entity, { ...request, files: NO_FILES }),
    store,

    validate(database, entity, { changes, skipLuhn }) {
      plan(entity, readerOf(database, entity), { changes, isCreate: false, skipLuhn });
    },

    remove(database, entity, { fields, purge }) {
      const stored = listValues(database, entity.id, entity.vault_version).map((row) => row.identifier);
      const { remove, answer } = planDelete({ kind: entity.kind, fields, stored });
      const entityKey = entityKeys.open(entity);
      const reader = readerOf(database, entity, { entityKey });
      const version = apply(database, entity, { set: [], remove }, { reader, entityKey });
      const released: string[] = [];
      if (purge) {
        const asked = fields === 'all' ? listEverStored(database, entity.id) : fields.map(canonicalName);
        for (const identifier of new Set([...remove, ...asked])) {
          deleteHistory(database, entity.id, identifier);
          released.push(...deleteFiles(database, entity.id, identifier));
          files.purged(database, entity, identifier);
        }
      }
      return { answer, version, released };
    },

    present(database, entity, version, fields) {
      const stored = listValues(database, entity.id, version).map((row) => row.identifier);
      if (!fields) return presentIdentifiers(stored);
      const names = new Set(stored);
      return fields.filter((name) => readingOf(name, (source) => names.has(source)) !== undefined);
    },

    sealFile: (upload) => sealFile(blobs, upload),
    openFile: (file) => openFile(blobs, file),
    discard: (names) => blobs.remove(names),
    async sweepFiles(database) {
      await blobs.sweep((name) => isFileName(database, name));
    },

    attach: (database, entity, { identifier, file }) =>
      store(database, entity, { changes: NO_CHANGES, files: new Map([[identifier, file]]), skipLuhn: false }),

    setAttributes(database, entity, attributes) {
      writeAttributes(database, entity, attributes, {
        entityKey: entityKeys.open(entity),
        fingerprint: fingerprinterOf(entity),
        now: clock.now(),
      });
    },

    records: (entity) => createEntityRecords(entityKeys.open(entity), entity.fp_id),

    attribute: (database, entity, name) => readAttribute(database, entity, name, entityKeys.open(entity)),

    reveal(database, entity, { references, version }) {
      const current = readerOf(database, entity, { version });
      const values = new Map<string, StoredValue | undefined>();
      for (const reference of references) {
        values.set(reference.text, resolveAsOf(database, entity, current, reference));
      }
      return values;
    },

    async integrity(database, entity, { references, signingKey }) {
      const current = readerOf(database, entity);
      const values: (readonly [string, StoredValue | undefined])[] = [];
      let fileBytes = 0;
      for (const [index, reference] of references.entries()) {
        if (index > 0 && index % REFERENCES_PER_TURN === 0) await nextTurn();
        const value = resolveAsOf(database, entity, current, reference);
        values.push([reference.text, value]);
        if (value instanceof StoredFile) fileBytes += value.bytes;
      }
      if (fileBytes > HASHED_FILES_LIMIT_BYTES) {
        throw new ServiceError(
          'invalid_request',
          `fields: the files are over ${HASHED_FILES_LIMIT_BYTES / MIB} MiB together; ask for fewer`,
        );
      }
      const hashes = new Map<string, string | undefined>();
      for (const [text, value] of values) {
        const hmac = createHmac('sha256', signingKey);
        if (value instanceof StoredFile) {
          const file = await openFile(blobs, value);
          for await (const chunk of file.chunks()) hmac.update(chunk);
        } else if (value !== undefined) hmac.update(storedText(value), 'utf8');
        hashes.set(text, value === undefined ? undefined : hmac.digest('hex'));
      }
      return hashes;
    },

    masked: (database, entity, only) =>
      maskedValues(listValues(database, entity.id, entity.vault_version), readerOf(database, entity), only),

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

    versionAt: (database, entity, time) => findVersionAt(database, entity.id, time),

    search(database, space, text) {
      const fingerprint = fingerprinterOf(space);
      const found = new Set<number>();
      const keys = searchKeys(text);
      for (const { kind, parts } of keys) {
        const digest = indexDigest(fingerprint(kind, parts));
        for (const entity of listEntitiesByFingerprint(database, digest)) found.add(entity);
      }
      return { found: [...found], identifiers: keys.map(({ kind }) => `id.${kind}`) };
    },
  };

  function resolveAsOf(
    database: Database,
    entity: VaultEntity,
    current: VaultReader,
    { identifier, version }: IdentifierReference,
  ): StoredValue | undefined {
    if (version === undefined) return current.resolve(identifier);
    if (version > entity.vault_version) return undefined;
    return readerOf(database, entity, { version }).resolve(identifier);
  }
}

function canonicalName(identifier: string): string {
  return describeIdentifier(identifier)?.canonical ?? identifier;
}

/** The version a request header asks for: 0 to current, else `invalid_request` (contract §0.11). */
export function requestedVersion(header: string | undefined, entity: VaultEntity): number {
  if (header === undefined) return entity.vault_version;
  const version = Number(header);
  if (!/^\d{1,15}$/.test(header) || version > entity.vault_version) {
    throw new ServiceError('invalid_request', 'Header x-fp-vault-version is not a version of this vault');
  }
  return version;
}
