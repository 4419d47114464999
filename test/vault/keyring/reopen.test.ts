import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../src/storage/database.ts';
import { unlock, type KeySourceOptions } from '../../../src/vault/keyring/index.ts';
import {
  A_KEY,
  A_PASSPHRASE,
  addEntity,
  ANOTHER_KEY,
  aPlace,
  entityKey,
  NOW,
  refusal,
  run,
  storeBytes,
  writeKeyFile,
  type Place,
} from './keyring-fixture.ts';
import '../../support/tier-all.ts';

/** Makes a vault with one entity. `changes` are changes of the options. */
async function aVault(changes: Partial<KeySourceOptions> = {}): Promise<Place & { key: Uint8Array }> {
  const place = aPlace();
  const key = await run(place, changes, ({ database, keyring }) =>
    addEntity(database, keyring, 'fp_id_jane'),
  );
  return { ...place, key };
}

/** Returns the error of a run that must fail. The run must not change a byte of the store, and must not make a key. */
async function refusalWithoutTrace(place: Place, changes: Partial<KeySourceOptions> = {}) {
  const before = storeBytes(place);
  const hadKeyFile = existsSync(place.options.defaultKeyFile);
  const error = await refusal(run(place, changes));
  expect(storeBytes(place).equals(before)).toBe(true);
  expect(existsSync(place.options.defaultKeyFile)).toBe(hadKeyFile);
  return error;
}

test.each([
  ['key_file', {}],
  ['environment', { environment: { key: A_KEY } }],
  ['passphrase', { environment: { passphrase: A_PASSPHRASE } }],
] as const)('reopen: the %s slot opens entity and instance keys again', async (kind, changes) => {
  const place = aPlace();
  const first = await run(place, changes, ({ database, keyring, openedBy }) => {
    expect(openedBy).toBe(kind);
    return {
      entity: addEntity(database, keyring, 'fp_id_jane'),
      log: Buffer.from(keyring.instanceKey('access log')),
    };
  });
  await run(place, changes, ({ database, keyring, openedBy, notices }) => {
    expect(openedBy).toBe(kind);
    expect(notices).toEqual([]);
    expect(entityKey(database, keyring, 'fp_id_jane')).toEqual(first.entity);
    expect(Buffer.from(keyring.instanceKey('access log'))).toEqual(first.log);
    expect(keyring.instanceKey('fingerprints')).not.toEqual(keyring.instanceKey('access log'));
  });
});

test('reopen: an upper-case environment key is the same key', async () => {
  const place = await aVault({ environment: { key: A_KEY } });
  await run(place, { environment: { key: A_KEY.toUpperCase() } });
});

test('reopen: a passphrase in another Unicode form is the same passphrase', async () => {
  const place = await aVault({ environment: { passphrase: 'Zürich caf\u00e9' } });
  await run(place, { environment: { passphrase: 'Zu\u0308rich cafe\u0301' } });
});

test('reopen: last_used_at is the time of the last opening', async () => {
  const place = await aVault();
  const slots = await run(
    place,
    {},
    ({ database, keyring }) => keyring.describe(database).slots,
    NOW + 60_000,
  );
  expect(slots).toMatchObject([
    { created_at: '2026-01-31T12:00:00.000Z', last_used_at: '2026-01-31T12:01:00.000Z' },
  ]);
});

test('reopen: a missing key file never makes a new one and leaves the store as it is', async () => {
  const place = await aVault();
  const path = place.options.defaultKeyFile;
  renameSync(path, `${path}.lost`);
  const error = await refusalWithoutTrace(place);
  expect(error).toMatchObject({ code: 'sealed' });
  expect(error.message).toContain(`the key file ${path} does not exist`);
  expect(error.message).toContain('--key-file');
  renameSync(`${path}.lost`, path);
  await run(place, {}, ({ database, keyring }) =>
    expect(entityKey(database, keyring, 'fp_id_jane')).toEqual(place.key),
  );
});

test('reopen: a key file that moved is found by --key-file', async () => {
  const place = await aVault();
  const keyFile = join(place.root, 'moved.key');
  renameSync(place.options.defaultKeyFile, keyFile);
  await run(place, { keyFile }, ({ openedBy }) => expect(openedBy).toBe('key_file'));
});

test('reopen: a key file that moved with its home is found at the standard place, which its slot then notes', async () => {
  const place = await aVault();
  const moved = { defaultKeyFile: join(place.root, 'new-home.key') };
  renameSync(place.options.defaultKeyFile, moved.defaultKeyFile);
  await run(place, moved, ({ notices }) => expect(notices.join()).toContain('does not exist'));
  await run(place, {}, ({ notices }) => expect(notices).toEqual([]));
});

test('reopen: an explicit key file that does not exist is refused, though the slot has its own', async () => {
  const place = await aVault();
  const keyFile = join(place.root, 'absent.key');
  const error = await refusalWithoutTrace(place, { keyFile });
  expect(error).toMatchObject({ code: 'key_file_refused' });
  expect(error.message).toContain(`${keyFile} does not exist, and no new key is made`);
  expect(existsSync(keyFile)).toBe(false);
});

test('reopen: a wrong key file is sealed in clear words', async () => {
  const place = await aVault();
  const path = place.options.defaultKeyFile;
  rmSync(path);
  writeKeyFile(path, ANOTHER_KEY);
  const error = await refusalWithoutTrace(place);
  expect(error).toMatchObject({ code: 'sealed' });
  expect(error.message).toContain(`the key file ${path} is not the key of its slot any more`);
  expect(error.message).not.toContain(ANOTHER_KEY);
});

test.each([
  [
    'environment key',
    { environment: { key: A_KEY } },
    { environment: { key: ANOTHER_KEY } },
    'KYCLONE_VAULT_KEY is not',
  ],
  [
    'passphrase',
    { environment: { passphrase: A_PASSPHRASE } },
    { environment: { passphrase: `${A_PASSPHRASE}!` } },
    'KYCLONE_VAULT_PASSPHRASE is not',
  ],
] as const)(
  'reopen: a wrong %s is sealed in clear words and shows nothing',
  async (_name, right, wrong, text) => {
    const place = await aVault(right);
    const error = await refusalWithoutTrace(place, wrong);
    expect(error).toMatchObject({ code: 'sealed' });
    expect(error.message).toContain(text);
    expect(error.message).not.toContain(Object.values(wrong.environment)[0]);
  },
);

test('reopen: without the environment key the message names the variable', async () => {
  const place = await aVault({ environment: { key: A_KEY } });
  const error = await refusalWithoutTrace(place);
  expect(error).toMatchObject({ code: 'sealed' });
  expect(error.message).toContain('no key was given');
  expect(error.message).toContain('any one of: KYCLONE_VAULT_KEY');
});

test("reopen: a wrong given source falls back to the slot's own, with a notice", async () => {
  const place = await aVault();
  await run(place, { environment: { key: ANOTHER_KEY } }, ({ openedBy, notices }) => {
    expect(openedBy).toBe('key_file');
    expect(notices).toEqual(['KYCLONE_VAULT_KEY is not a key of this vault.']);
  });
});

test('reopen: an empty variable is refused, not taken as absent', async () => {
  const place = await aVault();
  for (const environment of [{ key: '' }, { passphrase: '' }]) {
    expect(await refusalWithoutTrace(place, { environment })).toMatchObject({ code: 'vault_key_invalid' });
  }
});

test('reopen: --require-keychain opens a vault of another kind with a notice', async () => {
  const place = await aVault();
  const notices = await run(place, { requireKeychain: true }, (opened) => opened.notices);
  expect(notices.join()).toContain('opened by its key_file slot');
});

test.each(['root_keys', 'entities'])(
  'reopen: a store with %s but no slots is sealed for ever',
  async (table) => {
    const place = await aVault();
    const database = openDatabase(place.storePath);
    database.pragma('foreign_keys = OFF');
    for (const other of ['keyring_slots', 'root_keys', 'entities', 'instance_keys']) {
      if (other !== table) database.prepare(`DELETE FROM ${other}`).run();
    }
    database.close();
    for (const changes of [{}, { environment: { key: A_KEY } }]) {
      const error = await refusalWithoutTrace(place, changes);
      expect(error).toMatchObject({ code: 'sealed' });
      expect(error.message).toContain('no key slot');
    }
  },
);

test.each([
  ['root_keys', 'sealed_key'],
  ['instance_keys', 'sealed_key'],
])('reopen: a changed byte in %s is vault_damaged, and nothing is written', async (table, column) => {
  const place = await aVault();
  const database = openDatabase(place.storePath);
  const sealed = Buffer.from(database.prepare(`SELECT ${column} FROM ${table}`).pluck().get() as Uint8Array);
  sealed[40] = (sealed[40] ?? 0) ^ 1;
  database.prepare(`UPDATE ${table} SET ${column} = ?`).run(sealed);
  database.close();
  expect(await refusalWithoutTrace(place)).toMatchObject({ code: 'vault_damaged' });
});

test('reopen: a vault key that is moved to another slot does not open there', async () => {
  const place = await aVault({ environment: { key: A_KEY, passphrase: A_PASSPHRASE } });
  const database = openDatabase(place.storePath);
  database.exec(`UPDATE keyring_slots SET sealed_vault_key =
    (SELECT sealed_vault_key FROM keyring_slots WHERE kind = 'passphrase') WHERE kind = 'environment'`);
  database.close();
  expect(await refusalWithoutTrace(place, { environment: { key: A_KEY } })).toMatchObject({ code: 'sealed' });
});

test('reopen: damaged scrypt parameters are refused before they cost anything', async () => {
  const place = await aVault({ environment: { passphrase: A_PASSPHRASE } });
  const database = openDatabase(place.storePath);
  for (const change of [{ n: 2 ** 30 }, { n: 1000 }, { r: -1 }, { p: 1e6 }, { salt: '' }, { kdf: 'none' }]) {
    const stored = database.prepare('SELECT parameters FROM keyring_slots').pluck().get() as string;
    const changed = JSON.stringify({ ...(JSON.parse(stored) as object), ...change });
    database.prepare('UPDATE keyring_slots SET parameters = ?').run(changed);
    const options = { ...place.options, environment: { passphrase: A_PASSPHRASE } };
    await expect(unlock(database, options, NOW)).rejects.toMatchObject({ code: 'vault_damaged' });
    database.prepare('UPDATE keyring_slots SET parameters = ?').run(stored);
  }
  database.close();
});
