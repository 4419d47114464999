/** A vault over a real store in memory, without HTTP. Tests create entities in it and write to them. */
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createBlobStore } from '../../src/storage/blobs.ts';
import { frozenClock } from '../support/frozen-clock.ts';
import type { JsonValue } from '../../src/kernel/text/json.ts';
import { ensureSpace } from '../../src/nouns/api-keys/service/index.ts';
import { insertEntity } from '../../src/nouns/entities/service/repository.ts';
import { openDatabase, type Database } from '../../src/storage/database.ts';
import { StoredFile, type FileListener } from '../../src/vault/files/index.ts';
import { parseIdentifierReference } from '../../src/vault/identifiers/index.ts';
import { ephemeralKeyring } from '../../src/vault/keyring/index.ts';
import { listMore } from '../../src/vault/fingerprints.ts';
import type { NewVault, VaultEntity } from '../../src/vault/reader.ts';
import { createVaultReading } from '../../src/vault/vault-reads.ts';
import { createVault } from '../../src/vault/vault.ts';
import { tempDir } from '../support/temp-dir.ts';

export const NOON = Date.UTC(2026, 0, 31, 12);

/** A write by somebody who may do everything. */
export const WITH_ALL_RIGHTS = {
  skipLuhn: false,
  by: { kind: 'api_key', mayWrite: () => true, mayDecrypt: () => true },
} as const;

export type Data = Readonly<Record<string, JsonValue>>;

export interface SpaceName {
  readonly tenant?: string;
  readonly environment?: 'sandbox' | 'live';
}

export function aStore({ files = nobody }: { files?: FileListener } = {}) {
  const database = openDatabase(':memory:');
  onTestFinished(() => database.close());
  const clock = frozenClock(NOON);
  const keyring = ephemeralKeyring(database, NOON);
  const folder = tempDir();
  onTestFinished(() => folder[Symbol.dispose]());
  const blobs = createBlobStore({ folder: join(folder.path, 'files'), isDurable: false });
  const vault = createVault({
    reading: createVaultReading({ keyring, blobs }),
    keyring,
    clock,
    blobs,
    listing: { created: () => undefined },
    listener: { files, changed: () => undefined },
  });
  let made = 0;

  /** Creates an entity with this data and returns its fp_id. Lists its blind indexes unless `isListed` is false. */
  function create(
    data: Data = {},
    of: SpaceName & { kind?: 'user' | 'business'; isListed?: boolean } = {},
  ): string {
    const { kind = 'user', tenant = 'default', environment = 'sandbox', isListed = true } = of;
    const fp_id = `${kind === 'user' ? 'fp_id' : 'fp_bid'}_${++made}`;
    const entity: NewVault = { fp_id, kind, tenant, environment };
    const draft = vault.draft(entity, { changes: new Map(Object.entries(data)), skipLuhn: false });
    const row = insertEntity(database, {
      ...ensureSpace(database, { tenant, environment, created_at: 0 }),
      fp_id,
      kind,
      external_id: null,
      sandbox_id: null,
      created_at: 0,
      vault_version: draft.version,
      fingerprints: draft.fingerprints,
      ...draft.sealedKey(),
    });
    draft.store(database, row);
    if (isListed) listMore(database, 100);
    return fp_id;
  }

  /** Returns the entity's current row. */
  function entity(fpId: string): VaultEntity {
    return database
      .prepare(
        'SELECT entities.*, tenant, environment FROM entities JOIN spaces ON spaces.id = space WHERE fp_id = ?',
      )
      .get(fpId) as VaultEntity;
  }

  const write = (fpId: string, data: Data) =>
    vault.write(database, entity(fpId), { changes: new Map(Object.entries(data)), ...WITH_ALL_RIGHTS });

  function reveal(fpId: string, fields: readonly string[], version = entity(fpId).vault_version): Data {
    const references = fields.map(parseIdentifierReference);
    const values = vault.reveal(database, entity(fpId), { references, version });
    return Object.fromEntries(
      [...values].map(([reference, value]) => {
        if (value instanceof StoredFile) throw new Error(`${reference} holds a file`);
        return [reference, value ?? null];
      }),
    );
  }

  return { database, clock, keyring, vault, create, entity, write, reveal };
}

const nobody: FileListener = { stored: () => undefined, removed: () => undefined, purged: () => undefined };

/** Returns every row of the blind index: the digest as hex, and the row id of the entity. */
export function fingerprintRows(database: Database): { digest: string; entity: number }[] {
  return database
    .prepare('SELECT lower(hex(digest)) AS digest, entity FROM fingerprints ORDER BY 1, 2')
    .all() as { digest: string; entity: number }[];
}
