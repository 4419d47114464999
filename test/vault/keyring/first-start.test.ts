import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { openDatabase } from '../../../src/storage/database.ts';
import { unlock } from '../../../src/vault/keyring/index.ts';
import { newRecoveryCode } from '../../../src/vault/keyring/recovery-code.ts';
import { tempPath as tempDir } from '../../support/temp-dir.ts';
import { A_KEY, A_PASSPHRASE, aPlace, NOW, refusal, run, writeKeyFile } from './keyring-fixture.ts';

afterEach(() => vi.unstubAllEnvs());

test('first start: without a keychain the key is in a file outside the data directory, and the notice says what for', async () => {
  const place = aPlace();
  const path = place.options.defaultKeyFile;
  await run(place, {}, ({ openedBy, notices, keyring, database }) => {
    expect(openedBy).toBe('key_file');
    expect(notices[0]).toBe('The OS keychain cannot be used: KYCLONE_NO_KEYCHAIN is set.');
    expect(notices[1]).toContain(path);
    expect(notices[1]).toContain('It protects copies of the data directory');
    expect(notices[1]).toContain('It does not protect against anyone who can read files as this user');
    expect(keyring.describe(database)).toEqual({
      root_key_version: 1,
      min_root_key_version: 1,
      slots: [
        {
          id: expect.stringMatching(/^slot_[0-9A-Za-z]{22}$/) as string,
          kind: 'key_file',
          created_at: '2026-01-31T12:00:00.000Z',
          last_used_at: '2026-01-31T12:00:00.000Z',
        },
      ],
      entities_by_root_key_version: {},
    });
  });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
});

test('first start: the default key file of a vault that was deleted is used again, not overwritten', async () => {
  const place = aPlace();
  await run(place);
  const before = readFileSync(place.options.defaultKeyFile);
  const other = { ...place, storePath: `${place.storePath}.second` };
  const notices = await run(other, {}, (opened) => opened.notices);
  expect(notices.join(' ')).toContain('the one that was already in the file');
  expect(readFileSync(place.options.defaultKeyFile)).toEqual(before);
});

test('first start: an explicit key file that does not exist is made', async () => {
  const place = aPlace();
  const keyFile = join(place.root, 'mine.key');
  expect(await run(place, { keyFile }, ({ openedBy }) => openedBy)).toBe('key_file');
  expect(existsSync(keyFile)).toBe(true);
  expect(existsSync(place.options.defaultKeyFile)).toBe(false);
});

test('first start: an explicit key file that is not fit for use is refused and no vault is made', async () => {
  const place = aPlace();
  const keyFile = join(place.root, 'mine.key');
  writeKeyFile(keyFile, A_KEY, 0o644);
  expect(await refusal(run(place, { keyFile }))).toMatchObject({
    code: 'key_file_refused',
    message: expect.stringContaining(`chmod 600 ${keyFile}`) as string,
  });
  await run(place, { environment: { key: A_KEY } }, ({ openedBy }) => expect(openedBy).toBe('environment'));
});

test.each([
  ['empty', ''],
  ['too short', A_KEY.slice(1)],
  ['too long', `${A_KEY}0`],
  ['not hexadecimal', `${A_KEY.slice(1)}g`],
  ['with a line end', `${A_KEY}\n`],
  ['with a prefix', `0x${A_KEY.slice(2)}`],
])('first start: an environment key that is %s is refused, without showing it', async (_name, key) => {
  const place = aPlace();
  const error = await refusal(run(place, { environment: { key } }));
  expect(error).toMatchObject({ code: 'vault_key_invalid' });
  expect(error.message).toContain('64 hexadecimal characters');
  if (key) expect(error.message).not.toContain(key);
  expect(existsSync(place.options.defaultKeyFile)).toBe(false);
});

test.each([
  ['empty', ''],
  ['of seven characters', 'seven77'],
  ['a recovery code of some other vault', newRecoveryCode().code],
])('first start: a passphrase that is %s is refused', async (_name, passphrase) => {
  const place = aPlace();
  expect(await refusal(run(place, { environment: { passphrase } }))).toMatchObject({
    code: 'vault_key_invalid',
  });
});

test('first start: a key file in the data directory is refused, given or by default', async () => {
  const place = aPlace();
  const inside = join(place.dataDirectory, 'vault.key');
  for (const changes of [{ keyFile: inside }, { defaultKeyFile: inside }]) {
    expect(await refusal(run(place, changes))).toMatchObject({ code: 'key_file_refused' });
    expect(existsSync(inside)).toBe(false);
  }
});

test('first start: each source that is given gets a slot, and a bad one keeps the others from being made', async () => {
  const place = aPlace();
  const keyFile = join(place.root, 'mine.key');
  await refusal(run(place, { keyFile, environment: { key: A_KEY, passphrase: 'short' } }));
  expect(existsSync(keyFile)).toBe(false);

  const slots = await run(
    place,
    { keyFile, environment: { key: A_KEY, passphrase: A_PASSPHRASE } },
    ({ keyring, database }) => keyring.describe(database).slots,
  );
  expect(slots.map(({ kind }) => kind).sort()).toEqual(['environment', 'key_file', 'passphrase']);
  for (const changes of [
    { keyFile },
    { environment: { key: A_KEY } },
    { environment: { passphrase: A_PASSPHRASE } },
  ]) {
    expect(await run(place, changes, ({ keyring }) => keyring.rootKeyVersion)).toBe(1);
  }
});

test('first start: --require-keychain refuses when the keychain cannot be used, saying why, and makes nothing', async () => {
  const place = aPlace();
  const error = await refusal(run(place, { requireKeychain: true }));
  expect(error).toMatchObject({ code: 'sealed' });
  expect(error.message).toContain('KYCLONE_NO_KEYCHAIN is set');
  expect(existsSync(place.options.defaultKeyFile)).toBe(false);
});

test('first start: --require-keychain with another source is a contradiction', async () => {
  const place = aPlace();
  const error = await refusal(run(place, { requireKeychain: true, environment: { key: A_KEY } }));
  expect(error).toMatchObject({ code: 'sealed' });
  expect(error.message).toContain('choose one');
});

test('first start: a commit that fails leaves a key file that the next start uses, and no vault', async () => {
  const place = aPlace();
  const database = openDatabase(place.storePath);
  database.exec(
    `CREATE TEMP TRIGGER fail BEFORE INSERT ON main.root_keys BEGIN SELECT RAISE(ABORT, 'no'); END`,
  );
  await expect(unlock(database, place.options, NOW)).rejects.toThrow('no');
  expect(database.prepare('SELECT count(*) FROM keyring_slots').pluck().get()).toBe(0);
  database.close();
  const left = readFileSync(place.options.defaultKeyFile);
  await run(place);
  expect(readFileSync(place.options.defaultKeyFile)).toEqual(left);
});

test('first start: the same key file wraps the keys of two vaults differently', async () => {
  const place = aPlace();
  const other = { ...place, storePath: `${place.storePath}.second` };
  const key = await run(place, {}, ({ keyring }) => Buffer.from(keyring.instanceKey('fingerprints')));
  await run(other, {}, ({ keyring }) =>
    expect(Buffer.from(keyring.instanceKey('fingerprints'))).not.toEqual(key),
  );
});

test.runIf(process.platform === 'linux')(
  'first start: a session bus that never answers is given up, and the process keeps working meanwhile',
  async () => {
    const socket = join(tempDir(), 'bus');
    const server = createServer(() => undefined);
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    onTestFinished(() => void server.close());
    vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', `unix:path=${socket}`);
    const place = aPlace();
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 20);
    const notices = await run(place, { noKeychain: false, keychainLimitMs: 500 }, (opened) => opened.notices);
    clearInterval(ticking);
    expect(notices[0]).toBe('The OS keychain cannot be used: it did not answer within 0.5 s.');
    expect(ticks).toBeGreaterThan(0);
    expect(existsSync(place.options.defaultKeyFile)).toBe(true);
  },
);

test.runIf(process.platform === 'linux')(
  'first start: without a Secret Service the kernel keyring is not used instead',
  async () => {
    vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', 'unix:path=/nonexistent');
    const place = aPlace();
    expect(await run(place, { noKeychain: false }, (opened) => opened.openedBy)).toBe('key_file');
    const strict = { ...place, storePath: `${place.storePath}.second` };
    const error = await refusal(run(strict, { noKeychain: false, requireKeychain: true }));
    expect(error).toMatchObject({ code: 'sealed' });
    expect(error.message).toMatch(/the OS keychain cannot be used: .*D-?Bus/i);
  },
);
