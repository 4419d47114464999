import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceError } from '../../../src/kernel/errors.ts';
import { secretBytes } from '../../../src/kernel/ids/random.ts';
import { openDatabase, type Database } from '../../../src/storage/database.ts';
import { unlock, type Keyring, type KeySourceOptions } from '../../../src/vault/keyring/index.ts';
import { contentOf } from '../../support/contents.ts';
import { tempPath as tempDir } from '../../support/temp-dir.ts';

export const NOW = Date.UTC(2026, 0, 31, 12);
export const A_KEY = '0f'.repeat(32);
export const ANOTHER_KEY = 'a5'.repeat(32);
export const A_PASSPHRASE = 'correct horse battery staple';

export interface Place {
  root: string;
  dataDirectory: string;
  storePath: string;
  /** Options without a key source and without the keychain, so the default key file is used. */
  options: KeySourceOptions;
}

/** Makes a data directory, with room for key files beside it. */
export function aPlace(): Place {
  const root = tempDir();
  const dataDirectory = join(root, 'data');
  mkdirSync(dataDirectory);
  const options: KeySourceOptions = {
    instance: 'default',
    dataDirectory,
    defaultKeyFile: join(root, 'keys', 'default.key'),
    requireKeychain: false,
    environment: {},
    noKeychain: true,
  };
  return { root, dataDirectory, storePath: join(dataDirectory, 'vault.db'), options };
}

/** Opens the store, unlocks it, runs `use` and closes the store, as one run of the daemon does. */
export async function run<T>(
  place: Place,
  changes: Partial<KeySourceOptions> = {},
  use: (opened: Awaited<ReturnType<typeof unlock>> & { database: Database }) => T | Promise<T> = () =>
    undefined as T,
  now = NOW,
): Promise<T> {
  const database = openDatabase(place.storePath);
  try {
    const opened = await unlock(database, { ...place.options, ...changes }, now);
    opened.noteUse?.(database);
    return await use({ ...opened, database });
  } finally {
    database.close();
  }
}

/** Returns the error of a run that must fail. */
export async function refusal(running: Promise<unknown>): Promise<ServiceError> {
  const error: unknown = await running.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  if (error instanceof ServiceError) return error;
  throw error;
}

/** Returns the content of a closed store. */
export const storeBytes = ({ storePath }: Place) => contentOf(storePath);

export function writeKeyFile(path: string, hex: string, mode = 0o600): void {
  writeFileSync(path, `# a key of this test\n${hex}\n`, { mode });
}

/** Adds an entity row with a key of its own, which `keyring` seals. Returns the key. */
export function addEntity(database: Database, keyring: Keyring, fpId: string): Uint8Array {
  const key = secretBytes(32);
  const sealed = keyring.sealEntityKey(fpId, key);
  database
    .prepare(
      `INSERT OR IGNORE INTO spaces (id, tenant, environment, created_at) VALUES (1, 'default', 'sandbox', 0)`,
    )
    .run();
  database
    .prepare(
      `INSERT INTO entities (fp_id, space, kind, root_key_version, sealed_key, created_at, updated_at)
       VALUES (?, 1, 'user', ?, ?, 0, 0)`,
    )
    .run(fpId, sealed.root_key_version, sealed.sealed_key);
  return key;
}

/** Opens the entity's key from its row. */
export function entityKey(database: Database, keyring: Keyring, fpId: string): Uint8Array {
  const row = database.prepare('SELECT root_key_version, sealed_key FROM entities WHERE fp_id = ?').get(fpId);
  return keyring.openEntityKey(fpId, row as Parameters<Keyring['openEntityKey']>[1]);
}
