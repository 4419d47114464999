/**
 * Reads a vault and changes nothing. It calls no change listeners, so that listeners may use it; vault.ts uses it for
 * writes, too. Values leave only through `reveal`, `masked`, `integrity` and `openFile`.
 */
import { createHmac } from 'node:crypto';
import { ServiceError } from '../kernel/errors.ts';
import { nextTurn } from '../kernel/turns.ts';
import { MIB } from '../kernel/units.ts';
import type { BlobStore } from '../storage/blobs.ts';
import type { Database } from '../storage/database.ts';
import { readAttribute } from './attributes.ts';
import { storedText, type StoredValue } from './encoding.ts';
import { createEntityKeys } from './entity-keys.ts';
import { openFile, StoredFile } from './files/index.ts';
import { listEntitiesByFingerprint } from './fingerprints-repository.ts';
import { createFingerprinter, indexDigest } from './fingerprints.ts';
import { presentIdentifiers, readingOf, searchKeys, type IdentifierReference } from './identifiers/index.ts';
import type { Keyring } from './keyring/index.ts';
import { maskedValues } from './masked.ts';
import { createReader, type VaultEntity, type VaultReader } from './reader.ts';
import { findValue, findVersionAt, listStoredNames, listValues } from './repository.ts';
import type { VaultReads } from './vault-interface.ts';

/** Each is up to 32 KiB, which takes a millisecond to open. */
const REFERENCES_PER_TURN = 16;
/** The most file bytes that one request may hash, which takes about a second. */
const HASHED_FILES_LIMIT_BYTES = 512 * MIB;

/** The reads, and the parts shared with the writing vault. */
export type VaultReading = ReturnType<typeof createVaultReading>;

export function createVaultReading(context: {
  keyring: Keyring;
  blobs: BlobStore;
  /** The number of entity keys kept in memory; by default two thousand. */
  keptKeys?: number;
}) {
  const { keyring, blobs, keptKeys } = context;
  const entityKeys = createEntityKeys(keyring, { entities: keptKeys });
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

  const reads: VaultReads = {
    present(database, entity, version, fields) {
      if (!fields) return presentIdentifiers(listStoredNames(database, entity.id, version));
      return fields.filter(reads.presence(database, entity, version));
    },

    presence(database, entity, version) {
      const stored = new Set(listStoredNames(database, entity.id, version));
      return (identifier) => readingOf(identifier, (source) => stored.has(source)) !== undefined;
    },

    attribute: (database, entity, name) => readAttribute(database, entity, name, entityKeys.open(entity)),

    reveal(database, entity, { references, version }) {
      const current = readerOf(database, entity, version);
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

    openFile: (file) => openFile(blobs, file),

    versionAt: (database, entity, time) => findVersionAt(database, entity.id, time),

    search(database, space, text) {
      const all = reads.searchBy(database, space, text);
      const found = new Set(all.flatMap((each) => each.found));
      return { found: [...found], identifiers: all.map(({ kind }) => `id.${kind}`) };
    },

    searchBy(database, space, text) {
      const fingerprint = fingerprinterOf(space);
      return searchKeys(text).map(({ kind, parts }) => {
        const digest = indexDigest(fingerprint(kind, parts));
        return { kind, found: listEntitiesByFingerprint(database, digest) };
      });
    },
  };
  return { reads, readerOf, entityKeys, fingerprinterOf };
}
