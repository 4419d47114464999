/** A store from before rows carried seals: it gets them once, and no store can pass for one again. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { expect, test } from 'vitest';
import { refusedStart, startKycloned, tempDir, type Kycloned } from '../support/kycloned.ts';
import { makeStoreOlder, takeSealsAway, vaultKeyOf } from '../support/older-store.ts';
import { withoutSeal } from '../support/snapshot-seals.ts';

const LONG_MS = 240_000;
const KEY = '7'.repeat(64);
const environment = { KYCLONE_VAULT_KEY: KEY };

async function anOlderHome() {
  const home = tempDir();
  const daemon = await startKycloned({ home, environment });
  const made = await daemon.call('POST', '/users', { body: { 'id.first_name': 'Canary-71' } });
  const user = String(made.body['id']);
  const body = { name: 'mine', permissions: ['vault.write'] };
  const key = String((await daemon.control('POST', '/_kyclone/api-keys', { body })).body['key']);
  await daemon.control('PATCH', '/_kyclone/settings', { body: { egress: { policy: 'strict' } } });
  await daemon.control('PUT', '/_kyclone/snapshots/old');
  await daemon.stop('SIGTERM');
  const { storeFile, dataDirectory } = daemon.paths;
  const snapshot = join(dataDirectory, 'snapshots', 'old.kysnap');
  const vaultKey = vaultKeyOf(storeFile, KEY);
  withoutSeal(snapshot);
  makeStoreOlder(storeFile, vaultKey);
  makeStoreOlder(snapshot, vaultKey);
  return { home, user, key, storeFile, snapshot };
}

async function expectSound(daemon: Kycloned, { user, key }: { user: string; key: string }) {
  const fields = { fields: ['id.first_name'], reason: 'a test' };
  const read = await daemon.call('POST', `/users/${user}/vault/decrypt`, { body: fields });
  expect(read.body).toEqual({ 'id.first_name': 'Canary-71' });
  const headers = { 'x-service-secret-key': key };
  expect((await daemon.call('GET', '/users', { headers })).status).toBe(200);
  const settings = await daemon.control('GET', '/_kyclone/settings');
  expect(settings.body['egress']).toMatchObject({ policy: 'strict' });
}

test(
  'upgrade: a store without seals works as before, its snapshots too, and is then one with seals',
  { timeout: LONG_MS },
  async () => {
    const older = await anOlderHome();
    const before = readFileSync(older.storeFile);
    let daemon = await startKycloned({ home: older.home, environment });
    await expectSound(daemon, older);
    expect((await daemon.control('POST', '/_kyclone/snapshots/old/load')).status).toBe(200);
    await expectSound(daemon, older);
    await daemon.stop('SIGTERM');
    daemon = await startKycloned({ home: older.home, environment });
    await expectSound(daemon, older);
    await daemon.stop('SIGTERM');

    const upgraded = readFileSync(older.storeFile);
    const refusedAfter = async (edit: (file: string) => void) => {
      writeFileSync(older.storeFile, upgraded);
      edit(older.storeFile);
      const { announced, code } = await refusedStart({ home: older.home, environment });
      expect(code).not.toBe(0);
      expect(announced?.code).toBe('vault_damaged');
      return announced?.message;
    };
    const forge = (file: string) => {
      const store = new BetterSqlite3(file);
      store.exec("UPDATE api_keys SET permissions = '[\"decrypt:*\"]' WHERE name = 'mine'");
      store.close();
    };
    expect(await refusedAfter(forge)).toMatch(/row \S+ of table api_keys/);
    // All that can be done without a key, and that with a copy of the old store at hand.
    await refusedAfter((file) => {
      forge(file);
      takeSealsAway(file);
    });

    // With the root and instance keys of an old copy it starts, and nothing of the data opens any more.
    writeFileSync(older.storeFile, upgraded);
    forge(older.storeFile);
    takeSealsAway(older.storeFile);
    const old = join(older.home, 'copy-of-the-old.db');
    writeFileSync(old, before);
    const store = new BetterSqlite3(older.storeFile);
    store.exec(`PRAGMA foreign_keys = OFF; ATTACH '${old}' AS old;
      DELETE FROM root_keys; INSERT INTO root_keys SELECT * FROM old.root_keys;
      DELETE FROM instance_keys; INSERT INTO instance_keys SELECT * FROM old.instance_keys;
      UPDATE entities SET root_key_version = 1`);
    store.close();
    daemon = await startKycloned({ home: older.home, environment });
    const fields = { fields: ['id.first_name'], reason: 'a test' };
    const read = await daemon.call('POST', `/users/${older.user}/vault/decrypt`, { body: fields });
    expect(read.body).toMatchObject({ code: 'vault_damaged' });
  },
);

test(
  'upgrade: a snapshot without a seal that comes into the folder later is refused',
  { timeout: LONG_MS },
  async () => {
    const older = await anOlderHome();
    const copy = join(older.home, 'copy.kysnap');
    copyFileSync(older.snapshot, copy);
    const daemon = await startKycloned({ home: older.home, environment });
    copyFileSync(copy, older.snapshot.replace('old.kysnap', 'later.kysnap'));
    const refused = await daemon.control('POST', '/_kyclone/snapshots/later/load');
    expect(refused.body).toMatchObject({ code: 'vault_damaged' });
    expect((await daemon.control('POST', '/_kyclone/snapshots/old/load')).status).toBe(200);
  },
);
