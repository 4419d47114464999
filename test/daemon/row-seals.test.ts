/** A store from before rows had seals. It gets them once, and no store can pass for such a store again. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aReadyUser, KYC } from '../support/builders.ts';
import { refusedStart, startKycloned, tempDir, type Kycloned } from '../support/kycloned.ts';
import { aUser, decrypt, inStore } from '../support/kycloned-calls.ts';
import {
  makeStoreOlder,
  TAKE_SESSION_RECORDS_AWAY,
  takeSealsAway,
  vaultKeyOf,
} from '../support/older-store.ts';
import { changeUnderSeal, withoutSeal } from '../support/snapshot-seals.ts';
import '../support/tier-all.ts';

const KEY = '7'.repeat(64);
const environment = { KYCLONE_VAULT_KEY: KEY };
const NAME = { 'id.first_name': 'Canary-71' };

const edit = (storeFile: string, sql: string) => inStore(storeFile, (store) => store.exec(sql));
const load = (daemon: Kycloned) => daemon.control('POST', '/_kyclone/snapshots/old/load');

/** Makes a stopped store, and the snapshot in its folder, as they were before the last seals came. */
function makeOlder({ paths: { storeFile, dataDirectory } }: Kycloned, version: 1 | 2 | 3) {
  const vaultKey = vaultKeyOf(storeFile, KEY);
  makeStoreOlder(storeFile, vaultKey, version);
  changeUnderSeal(join(dataDirectory, 'snapshots', 'old.kysnap'), vaultKey, (file) =>
    makeStoreOlder(file, vaultKey, version),
  );
  return { storeFile, vaultKey, before: readFileSync(storeFile) };
}

async function anOlderHome() {
  const home = tempDir();
  const daemon = await startKycloned({ home, environment });
  const user = await aUser(daemon, NAME);
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

async function expectServed(daemon: Kycloned, { user, key }: { user: string; key: string }) {
  expect((await decrypt(daemon, user, Object.keys(NAME))).body).toEqual(NAME);
  expect((await daemon.call('GET', '/users', { headers: { 'x-service-secret-key': key } })).status).toBe(200);
  const settings = await daemon.control('GET', '/_kyclone/settings');
  expect(settings.body['egress']).toMatchObject({ policy: 'strict' });
}

test('upgrade: tombstones that were added up by exclusive or are checked, and added up as numbers', async () => {
  const home = tempDir();
  let daemon = await startKycloned({ home, environment });
  const gone = await aUser(daemon);
  await aUser(daemon);
  await daemon.control('PUT', '/_kyclone/snapshots/old');
  await daemon.call('DELETE', `/users/${gone}`);
  await daemon.stop();
  const { storeFile, vaultKey, before } = makeOlder(daemon, 3);
  const stored = () =>
    inStore(storeFile, (store) =>
      String(store.prepare("SELECT value FROM instance_values WHERE name = 'tombstones'").pluck().get()),
    );
  const sum = () =>
    stored()
      .split(' ')
      .map((part) => part.length);
  expect(sum()).toEqual([1, 64, 64]);

  edit(storeFile, 'DELETE FROM tombstones');
  const { announced } = await refusedStart({ home, environment });
  expect(announced).toMatchObject({ code: 'vault_damaged' });
  expect(announced?.message).toContain('list of tombstones');

  writeFileSync(storeFile, before);
  daemon = await startKycloned({ home, environment });
  expect((await daemon.call('GET', `/users/${gone}`)).status).toBe(404);
  expect((await load(daemon)).status).toBe(200);
  await daemon.stop();
  expect(sum()).toEqual([1, 256, 64]);

  // The earlier form is no longer accepted, though its seal is right.
  const kept = readFileSync(storeFile);
  makeStoreOlder(storeFile, vaultKey, 3);
  const earlier = stored();
  writeFileSync(storeFile, kept);
  edit(storeFile, `UPDATE instance_values SET value = '${earlier}' WHERE name = 'tombstones'`);
  expect((await refusedStart({ home, environment })).announced?.code).toBe('vault_damaged');
});

test('upgrade: a store without seals works as before, its snapshots too, and is then one with seals', async () => {
  const older = await anOlderHome();
  const before = readFileSync(older.storeFile);
  let daemon = await startKycloned({ home: older.home, environment });
  await expectServed(daemon, older);
  const loaded = await load(daemon);
  expect(loaded.status, loaded.text).toBe(200);
  await expectServed(daemon, older);
  await daemon.stop('SIGTERM');
  daemon = await startKycloned({ home: older.home, environment });
  await expectServed(daemon, older);
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
  const forge = (file: string) =>
    edit(file, "UPDATE api_keys SET permissions = '[\"decrypt:*\"]' WHERE name = 'mine'");
  expect(await refusedAfter(forge)).toMatch(/row \S+ of table api_keys/);
  // Without a key, somebody can edit a row and remove all seals.
  await refusedAfter((file) => {
    forge(file);
    takeSealsAway(file);
  });

  // With the root and instance keys of an old copy the daemon starts, but the data can't be opened any more.
  writeFileSync(older.storeFile, upgraded);
  forge(older.storeFile);
  takeSealsAway(older.storeFile);
  const old = join(older.home, 'copy-of-the-old.db');
  writeFileSync(old, before);
  edit(
    older.storeFile,
    `PRAGMA foreign_keys = OFF; ATTACH '${old}' AS old;
      DELETE FROM root_keys; INSERT INTO root_keys SELECT * FROM old.root_keys;
      DELETE FROM instance_keys; INSERT INTO instance_keys SELECT * FROM old.instance_keys;
      UPDATE entities SET root_key_version = 1`,
  );
  daemon = await startKycloned({ home: older.home, environment });
  const read = await decrypt(daemon, older.user, ['id.first_name']);
  expect(read.body).toMatchObject({ code: 'vault_damaged' });
});

test('upgrade: a snapshot without a seal that comes into the folder later is refused', async () => {
  const older = await anOlderHome();
  const copy = join(older.home, 'copy.kysnap');
  copyFileSync(older.snapshot, copy);
  const daemon = await startKycloned({ home: older.home, environment });
  copyFileSync(copy, older.snapshot.replace('old.kysnap', 'later.kysnap'));
  const refused = await daemon.control('POST', '/_kyclone/snapshots/later/load');
  expect(refused.body).toMatchObject({ code: 'vault_damaged' });
  expect((await load(daemon)).status).toBe(200);
});

test('upgrade: a store with the first seals only gets the others once, and earlier edits are refused by name', async () => {
  const home = tempDir();
  let daemon = await startKycloned({ home, environment });
  const path = `/users/${await aUser(daemon, NAME)}`;
  const session = await daemon.call('POST', '/onboarding/session', { body: { key: KYC } });
  await daemon.control('PUT', '/_kyclone/snapshots/old');
  await daemon.stop();
  const { storeFile, before } = makeOlder(daemon, 1);

  // The upgrade checks the old seals before it makes new ones, so an edited row is refused.
  edit(storeFile, "UPDATE entities SET external_id = 'of-another'");
  const { announced } = await refusedStart({ home, environment });
  expect(announced?.code).toBe('vault_damaged');
  expect(announced?.message).toMatch(/row fp_id_\w+ of table entities/);

  writeFileSync(storeFile, before);
  daemon = await startKycloned({ home, environment });
  expect((await daemon.call('GET', path)).status).toBe(200);
  const { token } = session.body;
  const completed = await daemon.control('POST', '/_kyclone/sessions/complete', { body: { token } });
  expect(completed.body['code']).not.toBe('vault_damaged');
  expect((await load(daemon)).status).toBe(200);
  expect((await daemon.call('GET', path)).status).toBe(200);
  await daemon.stop();

  edit(storeFile, "UPDATE entities SET status = 'pass'");
  daemon = await startKycloned({ home, environment });
  expect((await daemon.call('GET', path)).body).toMatchObject({ code: 'vault_damaged' });
  await daemon.stop();
  edit(
    storeFile,
    "UPDATE entities SET status = 'none'; UPDATE onboarding_sessions SET expires_at = expires_at + 1",
  );
  daemon = await startKycloned({ home, environment });
  expect((await daemon.call('GET', path)).status).toBe(200);
  const refused = await daemon.control('POST', '/_kyclone/sessions/complete', { body: { token } });
  expect(refused.body).toMatchObject({ code: 'vault_damaged' });
  await daemon.stop();
  edit(storeFile, `${TAKE_SESSION_RECORDS_AWAY} UPDATE entities SET seal = NULL; PRAGMA user_version = 7`);
  edit(storeFile, 'ALTER TABLE decisions DROP COLUMN seal; ALTER TABLE onboardings DROP COLUMN seal');
  edit(storeFile, 'ALTER TABLE bank_links DROP COLUMN seal; ALTER TABLE bank_link_intents DROP COLUMN seal');
  edit(storeFile, 'ALTER TABLE onboarding_sessions DROP COLUMN seal');
  edit(storeFile, 'DROP INDEX idempotency_ids_by_entity; DROP INDEX playbooks_by_age');
  daemon = await startKycloned({ home, environment });
  expect((await daemon.call('GET', path)).body).toMatchObject({ code: 'vault_damaged' });
});

test('upgrade: sessions from before their records are listed and usable, and one that was edited before is refused by name', async () => {
  const home = tempDir();
  let daemon = await startKycloned({ home, environment });
  const fp_id = await aUser(daemon);
  const begun = await daemon.call('POST', '/onboarding/session', { body: { key: KYC, fp_id } });
  await daemon.call('POST', '/onboarding/session', { body: { key: KYC, user_external_id: 'customer-1' } });
  // The onboarding, from which the record takes its playbook, begins with the code.
  const page = { headers: { 'x-fp-authorization': String(begun.body['token']), authorization: '' } };
  const data = { 'id.email': 'mina@hosted.example' };
  await daemon.call('POST', '/hosted/session/identify', { ...page, body: { data } });
  await daemon.call('POST', '/hosted/session/verify', { ...page, body: { code: '000000' } });
  await daemon.control('PUT', '/_kyclone/snapshots/old');
  await daemon.stop();
  const { storeFile, before } = makeOlder(daemon, 2);

  edit(storeFile, 'UPDATE onboarding_sessions SET expires_at = expires_at + 1');
  const { announced } = await refusedStart({ home, environment });
  expect(announced?.code).toBe('vault_damaged');
  expect(announced?.message).toMatch(/row \d+ of table onboarding_sessions/);

  writeFileSync(storeFile, before);
  daemon = await startKycloned({ home, environment });
  const expectListed = async () => {
    const { body } = await daemon.control('GET', '/_kyclone/sessions');
    const sessions = body['data'] as Record<string, unknown>[];
    expect(sessions.map((session) => session['fp_id']).sort()).toEqual([fp_id, null].sort());
    for (const session of sessions) expect(session['id']).toMatch(/^ses_[0-9a-f]{22}$/);
    expect(sessions.find((session) => session['fp_id'] === fp_id)).toMatchObject({
      playbook_key: KYC,
      state: 'open',
    });
  };
  await expectListed();
  expect((await load(daemon)).status).toBe(200);
  await expectListed();
  await daemon.stop();
  daemon = await startKycloned({ home, environment });
  await expectListed();
  const completed = await daemon.control('POST', '/_kyclone/sessions/complete', {
    body: { token: begun.body['token'], data: aReadyUser() },
  });
  expect(completed.body['user']).toMatchObject({ fp_id, status: 'pass' });
});
