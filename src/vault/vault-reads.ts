/**
 * Reads a vault and changes nothing. It calls no change listeners, so that listeners may use it; vault.ts uses it for
 * writes, too. Values leave only through `reveal`, `masked`, `integrity` and `openFile`.
 */
import { createHmac } from 'node:crypto';
import { ServiceError, invalid } from '../kernel/errors.ts';
import { inTurns, nextTurn } from '../kernel/time/turns.ts';
import { MIB } from '../kernel/numbers/units.ts';
import type { BlobStore } from '../storage/blobs.ts';
import { type Database, nextTurnOf } from '../storage/database.ts';
import { type AttributeName, readAttribute } from './attributes.ts';
import {
  storedText,
  type StoredValue,
  createReader,
  fingerprintedText,
  valueKey,
  type VaultEntity,
  type VaultReader,
} from './reader.ts';
import { openFile, StoredFile } from './files/index.ts';
import {
  listEntitiesByFingerprint,
  createFingerprinter,
  indexDigest,
  refreshedFingerprints,
  type FingerprintMap,
  type FingerprintSpace,
} from './fingerprints.ts';
import {
  findPresent,
  fingerprintedIdentifiers,
  presentIdentifiers,
  readingOf,
  searchKeys,
  type IdentifierReference,
} from './identifiers/index.ts';
import type { Keyring } from './keyring/index.ts';
import { maskedValue, type MaskedValue } from './masked.ts';
import { findValue, findVersionAt, listNamesAfter, listStoredNames } from './repository.ts';

/** Each is up to 32 KiB, which takes a millisecond to open. */
const REFERENCES_PER_TURN = 16;
/** The most file bytes that one request may hash, which takes about a second. */
const HASHED_FILES_LIMIT_BYTES = 512 * MIB;

/** For an entity that is found by a value that it doesn't have: somebody changed the blind indexes. */
export function misleadingIndex({ fp_id }: { readonly fp_id: string }): ServiceError {
  return new ServiceError(
    'vault_damaged',
    `A blind index of the store names ${fp_id}, which doesn't have the value: restore the store from a copy or a snapshot`,
  );
}

const NAMES_PER_TURN = 250;

/** The names of all values that were stored by `version` and of those that are stored then; yields after some. */
function* findNames(
  database: Database,
  entity: number,
  version: number,
): Generator<void, { stored: string[]; ever: string[] }> {
  const [stored, ever]: [string[], string[]] = [[], []];
  for (let after: string | undefined = ''; after !== undefined;) {
    const part = { after, limit: NAMES_PER_TURN };
    const some = listNamesAfter(database, { entity, version }, part);
    for (const { name, isStored } of some) {
      ever.push(name);
      if (isStored) stored.push(name);
    }
    after = some.length === NAMES_PER_TURN ? some.at(-1)?.name : undefined;
    if (after !== undefined) yield;
  }
  return { stored, ever };
}

/** The reads, and the parts shared with the writing vault. */
export type VaultReading = ReturnType<typeof createVaultReading>;
/** Operations that change nothing. */
export type VaultReads = VaultReading['reads'];

export function createVaultReading({ keyring, blobs }: { keyring: Keyring; blobs: BlobStore }) {
  const entityKeys = createEntityKeys(keyring);
  const fingerprinterOf = createFingerprinter(keyring.instanceKey('fingerprints'));

  function readerOf(database: Database, entity: VaultEntity, version = entity.vault_version): VaultReader {
    return createReader({
      keyOf: (identifier, stored) => entityKeys.ofValue(entity, identifier, stored),
      findValue: (identifier) => findValue(database, { entity: entity.id, identifier, version }),
      fingerprint: fingerprinterOf(entity),
    });
  }

  function resolveAsOf(
    database: Database,
    entity: VaultEntity,
    current: VaultReader,
    { identifier, version }: IdentifierReference,
  ): StoredValue | undefined {
    if (version === undefined) return current.resolve(identifier);
    if (version > entity.vault_version) return undefined;
    return readerOf(database, entity, version).resolve(identifier);
  }

  const reads = {
    /**
     * Names of the values present as of `version`, including derived ones, sorted. With `fields`, those of them that are
     * present, including aliases.
     */
    present(database: Database, entity: VaultEntity, version: number, fields?: readonly string[]): string[] {
      if (!fields) return presentIdentifiers(listStoredNames(database, entity.id, version));
      return fields.filter(reads.presence(database, entity, version));
    },

    /**
     * Returns a function that says whether an identifier is present as of `version`, including derived ones and aliases.
     * It reads the vault once.
     */
    presence(database: Database, entity: VaultEntity, version: number): (identifier: string) => boolean {
      const stored = new Set(listStoredNames(database, entity.id, version));
      return (identifier) => readingOf(identifier, (source) => stored.has(source)) !== undefined;
    },

    /** The attribute; undefined when it isn't set, or was removed. */
    attribute: (database: Database, entity: VaultEntity, name: AttributeName) =>
      readAttribute(database, entity, name, entityKeys.open(entity)),

    /** Values by reference (`<identifier>` or `<identifier>:<version>`); undefined where absent. */
    reveal(
      database: Database,
      entity: VaultEntity,
      { references, version }: { references: readonly IdentifierReference[]; version: number },
    ): Map<string, StoredValue | undefined> {
      const current = readerOf(database, entity, version);
      const values = new Map<string, StoredValue | undefined>();
      for (const reference of references) {
        values.set(reference.text, resolveAsOf(database, entity, current, reference));
      }
      return values;
    },

    /**
     * Hex HMAC-SHA256 of the stored form of each reference, in the version of `entity`; undefined where absent (contract
     * §2.8). Works on a few at a time and yields in between. Throws `invalid_request` when the files exceed 512 MiB
     * together.
     */
    async integrity(
      database: Database,
      entity: VaultEntity,
      { references, signingKey }: { references: readonly IdentifierReference[]; signingKey: Uint8Array },
    ): Promise<Map<string, string | undefined>> {
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
        throw invalid(
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

    /** The sorted names of the values stored as of `version`, of those present, and of all ever stored; in slices. */
    async namesInTurns(
      database: Database,
      entity: VaultEntity,
      version: number,
    ): Promise<{ stored: string[]; present: string[]; ever: string[] }> {
      const turn = () => nextTurnOf(database);
      const names = await inTurns(findNames(database, entity.id, version), turn);
      return { ...names, present: await inTurns(findPresent(names.stored), turn) };
    },

    /** `present` for all names, in slices. */
    presentInTurns: async (database: Database, entity: VaultEntity, version: number): Promise<string[]> =>
      (await reads.namesInTurns(database, entity, version)).present,

    /** Those of the identifiers that are present, masked by the rules of contract §1.2. */
    masked(database: Database, entity: VaultEntity, identifiers: readonly string[]): MaskedValue[] {
      const reader = readerOf(database, entity);
      return identifiers.flatMap((identifier) => maskedValue(identifier, reader) ?? []);
    },

    /**
     * At most `limit` of the present values after the name `after`, masked and sorted by name, and the number of all.
     * Works in slices: a value whose history is destroyed meanwhile is left out.
     */
    async maskedPage(
      database: Database,
      entity: VaultEntity,
      { after, limit }: { after: string | undefined; limit: number },
    ) {
      const present = await reads.presentInTurns(database, entity, entity.vault_version);
      const start = after === undefined ? 0 : present.findIndex((name) => name > after);
      const names = start === -1 ? [] : present.slice(start, start + limit);
      const values: MaskedValue[] = [];
      for (let at = 0; at < names.length; at += REFERENCES_PER_TURN) {
        if (at > 0) await nextTurnOf(database);
        values.push(...reads.masked(database, entity, names.slice(at, at + REFERENCES_PER_TURN)));
      }
      const last = names.at(-1);
      return {
        values,
        count: present.length /** The name after which the next page starts; undefined on the last one. */,
        next: last === present.at(-1) ? undefined : last,
      };
    },

    /** The bytes of the file, each chunk verified before it is released. Throws `vault_damaged`. */
    openFile: (file: StoredFile) => openFile(blobs, file),

    /** The version that was current at `time` (epoch milliseconds). */
    versionAt: (database: Database, entity: VaultEntity, time: number) =>
      findVersionAt(database, entity.id, entity.vault_version, time),

    /**
     * Row ids of the entities of a space that have `text` under a searchable identifier, and the identifiers that it
     * could be.
     */
    search(database: Database, space: FingerprintSpace, text: string) {
      const all = reads.searchBy(database, space, text);
      const found = new Set(all.flatMap((each) => each.found));
      return {
        found: [...found],
        identifiers: all.map(({ kind }) => `id.${kind}`),
        /** Call it before naming one that was found. Throws `vault_damaged` when it doesn't have the text. */
        confirm: (entity: VaultEntity): void => {
          for (const each of all) each.confirm(entity);
        },
      };
    },

    /** The same, separately for each kind of value that the text could be. */
    searchBy(database: Database, space: FingerprintSpace, text: string) {
      const fingerprint = fingerprinterOf(space);
      return searchKeys(text).map(({ kind, parts }) => {
        const digest = indexDigest(fingerprint(kind, parts));
        const found = listEntitiesByFingerprint(database, digest);
        return {
          kind,
          found,
          /** As that of `search`, for this kind. */
          confirm: (entity: VaultEntity): void => {
            if (!found.includes(entity.id)) return;
            if (!reads.fingerprintsOf(database, entity, kind).has(digest.toString('hex')))
              throw misleadingIndex(entity);
          },
        };
      });
    },

    /** The blind indexes of a kind, made anew from the opened values of the entity's slots: digests in hex. */
    fingerprintsOf(database: Database, entity: VaultEntity, kind: string): ReadonlySet<string> {
      const stored = Object.entries(JSON.parse(entity.fingerprints) as FingerprintMap);
      const ofKind = stored.filter(([slot]) => slot === kind || slot.startsWith(`${kind}/`));
      const identifiers = ofKind.flatMap(([slot]) =>
        fingerprintedIdentifiers(kind, slot.slice(kind.length + 1)),
      );
      // An attribute of a device has no value in the vault.
      if (identifiers.length === 0) return new Set(ofKind.map(([, digest]) => digest));
      const anew = refreshedFingerprints(
        {},
        {
          changed: identifiers,
          read: fingerprintedText(readerOf(database, entity)),
          fingerprint: fingerprinterOf(entity),
        },
      );
      return new Set(ofKind.flatMap(([slot]) => anew[slot] ?? []));
    },
  };
  return { reads, readerOf, entityKeys, fingerprinterOf };
}

interface SealedEntity {
  readonly fp_id: string;
  readonly root_key_version: number;
  readonly sealed_key: Uint8Array;
}

interface Limits {
  /** 64 KiB of keys: enough for what is worked on at a time. */
  readonly entities?: number | undefined;
  /** As many as rows of values are kept (docs/decisions/0014); one more, and all of them are derived again. */
  readonly values?: number | undefined;
}

interface Kept {
  /** The sealed form shows whether the row still has this key. */
  readonly sealed: Buffer;
  /** The row's own bytes that were compared with it last: a kept row comes again as the same object. */
  seen: Uint8Array;
  readonly key: Uint8Array;
  readonly values: Map<string, { readonly version: number; readonly key: Uint8Array }>;
}

/**
 * A cache of recently opened entity keys, so that the key of a busy entity isn't unsealed for every request. Each keeps
 * the derived keys of its values that were read; they are erased together.
 */
export function createEntityKeys(keyring: Keyring, { entities = 2_048, values = 8_192 }: Limits = {}) {
  /** In the order of opening. */
  const kept = new Map<string, Kept>();
  let keptValues = 0;

  function forget(fpId: string): void {
    const known = kept.get(fpId);
    if (!known) return;
    known.key.fill(0);
    forgetValues(known);
    kept.delete(fpId);
  }

  function forgetValues(known: Kept): void {
    for (const { key } of known.values.values()) key.fill(0);
    keptValues -= known.values.size;
    known.values.clear();
  }

  function opened(entity: SealedEntity): Kept {
    const known = kept.get(entity.fp_id);
    if (known?.seen === entity.sealed_key) return known;
    if (known?.sealed.equals(entity.sealed_key)) {
      known.seen = entity.sealed_key;
      return known;
    }
    const key = keyring.openEntityKey(entity.fp_id, entity);
    if (known) forgetValues(known);
    const [oldest] = kept.size >= entities ? kept : [];
    if (oldest) {
      forgetValues(oldest[1]);
      kept.delete(oldest[0]);
    }
    const fresh = { sealed: Buffer.from(entity.sealed_key), seen: entity.sealed_key, key, values: new Map() };
    kept.set(entity.fp_id, fresh);
    return fresh;
  }

  return {
    /** Overwrites the keys of a deleted entity. */
    forget,
    forgetAll: (): void => {
      for (const fpId of kept.keys()) forget(fpId);
    },
    /** Throws `vault_damaged`. */
    open: (entity: SealedEntity): Uint8Array => opened(entity).key,
    /** The key of one stored value. Throws `vault_damaged`. */
    ofValue(entity: SealedEntity, identifier: string, version: number): Uint8Array {
      const own = opened(entity);
      const known = own.values.get(identifier);
      if (known?.version === version) return known.key;
      const key = valueKey(own.key, { fp_id: entity.fp_id, identifier, version });
      if (keptValues >= values) for (const each of kept.values()) forgetValues(each);
      if (!own.values.has(identifier)) keptValues += 1;
      own.values.set(identifier, { version, key });
      return key;
    },
  };
}
