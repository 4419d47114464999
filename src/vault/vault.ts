/**
 * The vault: writes, reads and deletes the data of one entity (DESIGN §5, contract §0.11, §1).
 *
 * Everything that changes something takes the database of a write job and is synchronous, so that validation against
 * the current state and the write are one transaction. Values leave only through `reveal`, `masked` and `integrity`.
 */
import { createHmac } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { JsonValue } from '../kernel/json.ts';
import { secretBytes } from '../kernel/random.ts';
import type { Database } from '../storage/database.ts';
import { isSameValue, storedText } from './encoding.ts';
import { createEntityKeys } from './entity-keys.ts';
import { KEY_BYTES } from './envelope.ts';
import {
  createFingerprinter,
  indexDigest,
  refreshedFingerprints,
  storeFingerprints,
  type FingerprintMap,
  type Space,
} from './fingerprints.ts';
import {
  describeIdentifier,
  maskValue,
  planDelete,
  planWrite,
  presentIdentifiers,
  readingOf,
  searchKeys,
  type IdentifierReference,
  type WritePlan,
} from './identifiers/index.ts';
import type { Keyring, SealedKey } from './keyring/index.ts';
import {
  createReader,
  sealValue,
  textOf,
  type NewVault,
  type VaultEntity,
  type VaultReader,
} from './reader.ts';
import {
  deleteAllFingerprints,
  deleteHistory,
  findValue,
  findVersionAt,
  insertValue,
  listEntitiesByFingerprint,
  listValues,
  updateVault,
} from './repository.ts';

export type Changes = ReadonlyMap<string, JsonValue>;

export interface WriteOptions {
  /** Whether the card checksum is skipped in this request (contract §0.7). */
  readonly skipLuhn: boolean;
}

export interface MaskedValue {
  readonly identifier: string;
  readonly mask: string;
  readonly type: 'text' | 'json' | 'file';
  readonly version: number;
  /** Epoch milliseconds. */
  readonly updated_at: number;
}

/** The first data of an entity that has no row yet: checked and sealed before the write job, stored within it. */
export interface VaultDraft {
  readonly version: number;
  /** For the entity's row. */
  readonly fingerprints: string;
  /** The entity key, sealed for the row under the root key of the moment. */
  sealedKey(): SealedKey;
  /** Stores the values of the row with this id. */
  store(database: Database, entity: number): void;
}

export interface Vault {
  /** Throws T120. */
  draft(entity: NewVault, request: { changes: Changes } & WriteOptions): VaultDraft;
  /** Writes and deletes together; answers the version after. Throws T120 and changes nothing then. */
  write(database: Database, entity: VaultEntity, request: { changes: Changes } & WriteOptions): number;
  /** The checks of `write` against the current state, nothing stored. */
  validate(database: Database, entity: VaultEntity, request: { changes: Changes } & WriteOptions): void;
  /** Deletes by name, with what derives from it. `purge` also destroys earlier versions. */
  remove(
    database: Database,
    entity: VaultEntity,
    request: { fields: readonly string[] | 'all'; purge: boolean },
  ): { answer: Record<string, boolean>; version: number };
  /** Names of what is present as of `version`, derived included, sorted. */
  present(database: Database, entity: VaultEntity, version: number): string[];
  /** Values by reference (`<identifier>` or `<identifier>:<version>`); undefined where absent. */
  reveal(
    database: Database,
    entity: VaultEntity,
    request: { references: readonly IdentifierReference[]; version: number },
  ): Map<string, JsonValue | undefined>;
  /** Hex HMAC-SHA256 of the stored form of each reference; undefined where absent (contract §2.8). */
  integrity(
    database: Database,
    entity: VaultEntity,
    request: { references: readonly IdentifierReference[]; signingKey: Uint8Array },
  ): Map<string, string | undefined>;
  /** Takes back what stands outside the entity's rows, in the job that deletes them. */
  forget(database: Database, entity: VaultEntity): void;
  /** The same for all entities of the store, whose rows are deleted together. */
  forgetAll(database: Database): void;
  /** What is there, masked by the rules of contract §1.2; only the named identifiers when they are given. */
  masked(database: Database, entity: VaultEntity, only?: readonly string[]): MaskedValue[];
  /** The version that was current at `time` (epoch milliseconds). */
  versionAt(database: Database, entity: VaultEntity, time: number): number;
  /** Row ids of the entities of a space that hold `text` under a searchable identifier. */
  search(database: Database, space: Space, text: string): number[];
}

export function createVault({ keyring, clock }: { keyring: Keyring; clock: Clock }): Vault {
  const entityKeys = createEntityKeys(keyring);
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

  /** Stores the plan as the next version, or nothing when it changes nothing. */
  function apply(
    database: Database,
    entity: VaultEntity,
    change: { plan: WritePlan; reader: VaultReader; entityKey: Uint8Array },
  ): number {
    const { reader, entityKey } = change;
    const set = change.plan.set.filter(({ identifier, value }) => {
      // What can't be read is not what is written: overwriting a damaged value mends it.
      const current = unlessDamaged(() => reader.read(identifier));
      return current === undefined || !isSameValue(current, value);
    });
    const remove = change.plan.remove.filter((identifier) => reader.isStored(identifier));
    if (set.length + remove.length === 0) return entity.vault_version;

    const version = entity.vault_version + 1;
    const now = clock.now();
    for (const { identifier, value } of set) {
      const sealed = sealValue(entityKey, { fp_id: entity.fp_id, identifier, version }, value);
      insertValue(database, { entity: entity.id, identifier, version, sealed, created_at: now });
      reader.put(identifier, value);
    }
    for (const identifier of remove) {
      insertValue(database, { entity: entity.id, identifier, version, sealed: null, created_at: now });
      reader.put(identifier, undefined);
    }
    const before = JSON.parse(entity.fingerprints) as FingerprintMap;
    const changed = [...set.map(({ identifier }) => identifier), ...remove];
    const after = refreshedFingerprints(before, {
      changed,
      read: textOf(reader),
      fingerprint: fingerprinterOf(entity),
    });
    storeFingerprints(database, entity.id, { before, after });
    updateVault(database, {
      entity: entity.id,
      version,
      fingerprints: JSON.stringify(after),
      updated_at: now,
    });
    return version;
  }

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
      const after = refreshedFingerprints({}, { changed, read: textOf(reader), fingerprint });
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

    write(database, entity, { changes, skipLuhn }) {
      const entityKey = entityKeys.open(entity);
      const reader = readerOf(database, entity, { entityKey });
      return apply(database, entity, {
        plan: plan(entity, reader, { changes, isCreate: false, skipLuhn }),
        reader,
        entityKey,
      });
    },

    validate(database, entity, { changes, skipLuhn }) {
      plan(entity, readerOf(database, entity), { changes, isCreate: false, skipLuhn });
    },

    remove(database, entity, { fields, purge }) {
      const stored = listValues(database, entity.id, entity.vault_version).map((row) => row.identifier);
      const { remove, answer } = planDelete({ kind: entity.kind, fields, stored });
      const entityKey = entityKeys.open(entity);
      const reader = readerOf(database, entity, { entityKey });
      const version = apply(database, entity, { plan: { set: [], remove }, reader, entityKey });
      if (purge) {
        const asked = fields === 'all' ? [] : fields;
        for (const identifier of new Set([...remove, ...asked]))
          deleteHistory(database, entity.id, identifier);
      }
      return { answer, version };
    },

    present(database, entity, version) {
      return presentIdentifiers(listValues(database, entity.id, version).map((row) => row.identifier));
    },

    reveal(database, entity, { references, version }) {
      const current = readerOf(database, entity, { version });
      const values = new Map<string, JsonValue | undefined>();
      for (const reference of references) {
        values.set(reference.text, resolveAsOf(database, entity, current, reference));
      }
      return values;
    },

    integrity(database, entity, { references, signingKey }) {
      const current = readerOf(database, entity);
      const hashes = new Map<string, string | undefined>();
      for (const reference of references) {
        const value = resolveAsOf(database, entity, current, reference);
        hashes.set(
          reference.text,
          value === undefined
            ? undefined
            : createHmac('sha256', signingKey).update(storedText(value), 'utf8').digest('hex'),
        );
      }
      return hashes;
    },

    masked(database, entity, only) {
      const rows = new Map(
        listValues(database, entity.id, entity.vault_version).map((row) => [row.identifier, row]),
      );
      const reader = readerOf(database, entity);
      const masked: MaskedValue[] = [];
      for (const identifier of presentIdentifiers(rows.keys())) {
        if (only && !only.includes(identifier)) continue;
        const value = unlessDamaged(() => reader.resolve(identifier));
        const reading = readingOf(identifier, (name) => rows.has(name));
        const sources = (reading?.sources ?? []).flatMap((name) => rows.get(name) ?? []);
        masked.push({
          identifier,
          mask: value === undefined ? DAMAGED_MASK : maskValue(identifier, value),
          type: describeIdentifier(identifier)?.storage ?? 'text',
          version: Math.max(...sources.map((row) => row.version)),
          updated_at: Math.max(...sources.map((row) => row.created_at)),
        });
      }
      return masked;
    },

    forgetAll(database) {
      entityKeys.forgetAll();
      deleteAllFingerprints(database);
    },

    forget(database, entity) {
      entityKeys.forget(entity.fp_id);
      storeFingerprints(database, entity.id, {
        before: JSON.parse(entity.fingerprints) as FingerprintMap,
        after: {},
      });
    },

    versionAt: (database, entity, time) => findVersionAt(database, entity.id, time),

    search(database, space, text) {
      const fingerprint = fingerprinterOf(space);
      const found = new Set<number>();
      for (const { kind, parts } of searchKeys(text)) {
        const digest = indexDigest(fingerprint(kind, parts));
        for (const entity of listEntitiesByFingerprint(database, digest)) found.add(entity);
      }
      return [...found];
    },
  };

  function resolveAsOf(
    database: Database,
    entity: VaultEntity,
    current: VaultReader,
    { identifier, version }: IdentifierReference,
  ): JsonValue | undefined {
    if (version === undefined) return current.resolve(identifier);
    if (version > entity.vault_version) return undefined;
    return readerOf(database, entity, { version }).resolve(identifier);
  }
}

/** What support staff see in place of a value that doesn't open; the rest of the list is still of use. */
const DAMAGED_MASK = '<damaged>';

function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'vault_damaged') return undefined;
    throw error;
  }
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
