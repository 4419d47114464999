/** Snapshots that are old, new, foreign, damaged or not snapshots at all, and which present data survives a load. */
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { openBinding } from '../../../src/storage/binding.ts';
import { expect } from 'vitest';
import '../../support/tier-all.ts';
import { APPLICATION_ID } from '../../../src/storage/database.ts';
import { MIGRATIONS } from '../../../src/storage/migrations.ts';
import { aPng } from '../../support/builders.ts';
import { CONTROL_TOKEN, startService, type TestService } from '../../support/service.ts';
import { contentOf, snapshotPath } from '../../support/snapshot-samples.ts';
import { changeUnderSeal } from '../../support/snapshot-seals.ts';
import { openRootKey, sealRootKey } from '../../../src/vault/keyring/root-keys.ts';
import { bytesOf } from '../../support/store-bytes.ts';
import { test } from '../../support/test-with.ts';
import { vaultOf } from '../../support/vault-calls.ts';

const params = { name: 'before' };
const save = (service: TestService, name = 'before') =>
  service.call('PUT /_kyclone/snapshots/{name}', { params: { name }, query: { overwrite: true } });
const load = (service: TestService, name = 'before') =>
  service.call('POST /_kyclone/snapshots/{name}/load', { params: { name } });
const refusedLoad = (service: TestService, name = 'before') =>
  service.refused('POST /_kyclone/snapshots/{name}/load', { params: { name } });

const OWN_TABLES = ['snapshot_info', 'snapshot_files'];

/** The first schema with seals on rows, and the first one with seals on results. */
const WITH_ROW_SEALS = 6;
const WITH_RESULT_SEALS = 8;

/**
 * Changes a snapshot into one of an empty store, as a version with the first `version` migrations would have saved it.
 */
function makeOlder(path: string, version: number, vaultKey: Uint8Array): void {
  const saved = openBinding(path);
  const rows = (table: string) => saved.prepare(`SELECT * FROM ${table}`).all() as Record<string, unknown>[];
  const own = OWN_TABLES.map((table) =>
    String(saved.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').pluck().get(table)),
  );
  const older = openBinding(':memory:');
  for (const sql of [...MIGRATIONS.slice(0, version), ...own]) older.exec(sql);
  older.pragma(`application_id = ${APPLICATION_ID}`);
  older.pragma(`user_version = ${version}`);
  older.pragma('foreign_keys = OFF');
  const grants = version < WITH_ROW_SEALS ? [] : ['instance_keys', 'instance_values', 'api_keys'];
  for (const table of ['root_keys', 'spaces', 'access_log', 'snapshot_info', ...grants]) {
    const known = older.pragma(`table_info(${table})`) as { name: string }[];
    for (const row of rows(table)) {
      const names = known.map(({ name }) => name).filter((name) => name in row);
      const sql = `INSERT INTO ${table} (${names.join()}) VALUES (${names.map(() => '?').join()})`;
      older.prepare(sql).run(...names.map((name) => row[name]));
    }
  }
  saved.close();
  if (version < WITH_RESULT_SEALS) {
    const seals = version < WITH_ROW_SEALS ? 0 : 1;
    const root = older.prepare('SELECT version, sealed_key FROM root_keys').get() as {
      version: number;
      sealed_key: Uint8Array;
    };
    const key = openRootKey(vaultKey, root)?.key ?? new Uint8Array();
    const { sealed_key } = sealRootKey(vaultKey, root.version, { key, seals });
    older.prepare('UPDATE root_keys SET sealed_key = ?').run(sealed_key);
  }
  writeFileSync(path, bytesOf(older));
  older.close();
}

test.eachWith(MIGRATIONS.map((_, index) => index + 1))(
  'load: a snapshot of schema %i is migrated, and works',
  async (service, version) => {
    await save(service);
    changeUnderSeal(snapshotPath(service), service.vaultKey, (path) =>
      makeOlder(path, version, service.vaultKey),
    );
    const shown = await service.call('GET /_kyclone/snapshots/{name}', { params });
    expect(shown.body.schema).toBe(version);

    await load(service);

    const fp_id = await service.user({ 'id.first_name': 'Canary-71' });
    await service.upload(fp_id, 'document.passport.front.image', aPng());
    expect(await vaultOf(service, fp_id).decrypt(['id.first_name'])).toEqual({
      'id.first_name': 'Canary-71',
    });
    expect((await service.call('GET /_kyclone/access-log/verify')).body.ok).toBe(true);
    expect(service.database.pragma('user_version', { simple: true })).toBe(MIGRATIONS.length);
    const diff = await service.call('GET /_kyclone/snapshots/{name}/diff', { params });
    expect(diff.body.entities).toMatchObject([{ id: fp_id, change: 'added' }]);
  },
);

const noSnapshots: Record<string, (path: string) => void> = {
  'a text': (path) => copyFileSync(import.meta.filename, path),
  'an empty file': (path) => writeFileSync(path, ''),
  'a cut-off one': (path) => truncateSync(path, 16_384),
  'one with a page that was overwritten': (path) => {
    const database = openBinding(path);
    const sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'events'";
    const page = Number(database.prepare(sql).pluck().get());
    database.close();
    const bytes = readFileSync(path);
    bytes.fill(0xff, (page - 1) * 4_096, page * 4_096);
    writeFileSync(path, bytes);
  },
  'one with a table more': (path) => change(path, 'CREATE TABLE another (a)'),
  'one with a trigger': (path) =>
    change(path, "CREATE TRIGGER t AFTER INSERT ON entities BEGIN SELECT load_extension('x'); END"),
  'one with a view': (path) => change(path, 'CREATE VIEW v AS SELECT 1'),
  'one without an index': (path) => change(path, 'DROP INDEX api_keys_by_space'),
  "another program's": (path) => change(path, 'PRAGMA application_id = 1'),
  'one without its record': (path) => change(path, 'DELETE FROM snapshot_info'),
  'one of another vault': (path) => change(path, 'UPDATE root_keys SET sealed_key = zeroblob(60)'),
  'one of schema 0': (path) => change(path, 'PRAGMA user_version = 0'),
};
function change(path: string, sql: string): void {
  const database = openBinding(path);
  database.exec(sql);
  database.close();
}

const ways: Record<string, (service: TestService, spoil: (path: string) => void) => void> = {
  'as anybody can make it': (service, spoil) => spoil(snapshotPath(service)),
  'under a seal of this vault': (service, spoil) =>
    changeUnderSeal(snapshotPath(service), service.vaultKey, spoil),
};

test.eachWith(
  Object.entries(noSnapshots).flatMap(([what, spoil]) =>
    Object.entries(ways).map(([way, make]) => [what, way, make, spoil] as const),
  ),
)('load: %s, %s, is refused, and what there is stays', async (service, _what, _way, make, spoil) => {
  await save(service);
  const fp_id = await service.user();
  make(service, spoil);

  expect(await refusedLoad(service)).toMatchObject({ status: 503, code: 'vault_damaged' });

  expect((await service.call('GET /users')).body.data).toMatchObject([{ id: fp_id }]);
  expect(readdirSync(service.snapshotsFolder)).toEqual(['before.kysnap']);
  await service.user();
});

test('load: a link, a folder and an unfit name in the folder are no snapshots', async (service) => {
  await save(service);
  symlinkSync(snapshotPath(service), snapshotPath(service, 'link'));
  mkdirSync(snapshotPath(service, 'folder'));
  copyFileSync(snapshotPath(service), join(service.snapshotsFolder, 'Not a name.kysnap'));

  for (const name of ['link', 'folder']) expect((await refusedLoad(service, name)).code).toBe('not_found');
  for (const name of ['Not a name', '../before', '.part', ''.padEnd(65, 'a')]) {
    expect((await refusedLoad(service, name)).code).toBe('invalid_request');
  }
  expect((await service.call('GET /_kyclone/snapshots')).body.data).toMatchObject([{ name: 'before' }]);
});

test('load: keeps the present key slots; API keys are those of the snapshot', async (service) => {
  const kept = await service.key({ name: 'kept' });
  await save(service);
  const later = await service.key({ name: 'later' });
  const slot = () => service.database.prepare('SELECT id FROM keyring_slots').pluck().all();
  service.database.exec("INSERT INTO keyring_slots VALUES ('slot_71', 'recovery', '{}', x'00', 0, NULL)");

  await load(service);

  expect(slot()).toEqual(['slot_71']);
  expect((await service.send({ method: 'GET', path: '/users', as: kept })).status).toBe(200);
  expect((await service.send({ method: 'GET', path: '/users', as: later })).status).toBe(401);
  await service.user();
});

test('save: key slots are in no snapshot', async (service) => {
  service.database.exec(
    "INSERT INTO keyring_slots VALUES ('slot_71', 'passphrase', '{\"salt\":\"Canary-71\"}', x'00', 0, NULL)",
  );
  await save(service);
  for (const bytes of [readFileSync(snapshotPath(service)), await contentOf(service)]) {
    expect(bytes.includes('slot_71') || bytes.includes('Canary-71')).toBe(false);
  }
});

test('load: rules of faults are those of the snapshot, and as far as they were', async (service) => {
  const body = { match: { path: '/users' }, status: 503, times: 2 };
  await service.call('POST /_kyclone/faults', { body });
  expect((await service.send({ method: 'GET', path: '/users' })).status).toBe(503);
  await save(service);
  expect((await service.send({ method: 'GET', path: '/users' })).status).toBe(503);
  expect((await service.send({ method: 'GET', path: '/users' })).status).toBe(200);

  await load(service);

  expect((await service.send({ method: 'GET', path: '/users' })).status).toBe(503);
  expect((await service.send({ method: 'GET', path: '/users' })).status).toBe(200);
});

test('take: the key of another place does not open it, and the message says which was tried', async () => {
  await using there = await startService({ snapshotKey: '5'.repeat(64) });
  await save(there);
  const body = await contentOf(there);
  const take = (here: TestService) =>
    here.refused('PUT /_kyclone/snapshots/{name}/content', { params, body });

  await using wrong = await startService({ snapshotKey: '6'.repeat(64) });
  const refused = await take(wrong);
  expect(refused.code).toBe('vault_key_invalid');
  expect(refused.message).toContain('KYCLONE_SNAPSHOT_KEY does not open');
  expect(readdirSync(wrong.snapshotsFolder)).toEqual([]);

  await using without = await startService();
  expect((await take(without)).message).toMatch(/no key to open it.*KYCLONE_SNAPSHOT_KEY/);

  for (const unfit of ['5'.repeat(63), `${'5'.repeat(63)}g`, '']) {
    await using strict = await startService({ snapshotKey: unfit });
    const refusal = await take(strict);
    expect(refusal.code).toBe('vault_key_invalid');
    if (unfit !== '') expect(refusal.message).not.toContain(unfit);
  }
});

test('take: access log, files and private values of another vault open here', async () => {
  const snapshotKey = '5'.repeat(64);
  await using there = await startService({ snapshotKey });
  await using here = await startService({ snapshotKey, seed: 'another' });
  const fp_id = await there.user({ 'id.first_name': 'Canary-71' });
  await there.upload(fp_id, 'document.passport.front.image', aPng());
  const fields = ['id.first_name', 'document.passport.front.image'];
  const decrypt = (service: TestService) => vaultOf(service, fp_id).decrypt(fields);
  const values = await decrypt(there);
  await save(there);
  await here.request('PUT /_kyclone/snapshots/{name}/content', { params, body: await contentOf(there) });

  await load(here);

  expect(await decrypt(here)).toEqual(values);
  expect((await here.call('GET /_kyclone/access-log/verify')).body).toMatchObject({ ok: true });
  await here.call('POST /_kyclone/keyring/rotate', { query: { wait: true } });
  expect(await decrypt(here)).toEqual(values);
});

test('load, save, reset: at once each of them is done whole or refused, and none fails', async (service) => {
  const fp_id = await service.user();
  await save(service);
  const ask = (key: Parameters<TestService['request']>[0]) =>
    service.request(key, { params, ...(key.startsWith('PUT') && { query: { overwrite: true } }) });
  const replies = await Promise.all(
    [1, 2, 3].flatMap(() => [
      ask('PUT /_kyclone/snapshots/{name}'),
      ask('POST /_kyclone/snapshots/{name}/load'),
      ask('GET /_kyclone/snapshots/{name}/diff'),
      ask('GET /_kyclone/snapshots/{name}/content'),
      service.request('POST /_kyclone/reset', {}),
    ]),
  );
  expect(replies.map(({ status }) => status).filter((status) => status !== 200 && status !== 409)).toEqual(
    [],
  );
  const ids = (await service.call('GET /users')).body.data.map(({ id }) => id);
  expect([[], [fp_id]]).toContainEqual(ids);
  expect(readdirSync(service.snapshotsFolder)).toEqual(['before.kysnap']);
});

test('content: nothing is left behind when it is not read to its end', async (service) => {
  await service.user();
  await save(service);
  const { port, host } = await service.listen();
  const path = '/_kyclone/snapshots/before/content';
  const asked = request({ host, port, path, headers: { authorization: `Bearer ${CONTROL_TOKEN}` } }).end();
  await once(asked, 'response');
  asked.destroy();
  await expect
    .poll(() => readdirSync(service.snapshotsFolder), { timeout: 20_000 })
    .toEqual(['before.kysnap']);
});
