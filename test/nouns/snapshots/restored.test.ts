/** A snapshot restores what was deleted or revoked since. The result lists it, and the caller can leave it out. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { countLastCopies, RECORDS_PER_TURN } from '../../../src/nouns/snapshots/service/restored.ts';
import { openDatabase, type Database } from '../../../src/storage/database.ts';
import { addTombstone } from '../../../src/vault/tombstones.ts';
import { turnsDuring } from '../../support/event-turns.ts';
import type { TestService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';

const params = { name: 'before' };
const save = (service: TestService, name = 'before') =>
  service.call('PUT /_kyclone/snapshots/{name}', { params: { name } });
const load = async (service: TestService, keep_revoked?: boolean) =>
  (await service.call('POST /_kyclone/snapshots/{name}/load', { params, query: { keep_revoked } })).body
    .revived;

/** Makes two things of each kind; the first of them is deleted or revoked after the save. */
async function aWorld(service: TestService) {
  const [gone, kept] = [await service.user({ 'id.first_name': 'Canary-71' }), await service.user()];
  const [key, disabled] = [await service.key({ name: 'deleted' }), await service.key({ name: 'disabled' })];
  const token = await service.token(kept, { scope: 'decrypt', fields: ['id.first_name'] });
  const ofGone = await service.token(gone, { scope: 'decrypt', fields: ['id.first_name'] });
  await save(service);
  const keys = (await service.call('GET /_kyclone/api-keys')).body.data;
  const idOf = (wanted: string) => String(keys.find(({ name }) => name === wanted)?.id);
  const { body } = await service.call('GET /_kyclone/entities/{fp_id}', { params: { fp_id: kept } });
  await service.call('DELETE /_kyclone/tokens/{id}', { params: { id: String(body.tokens[0]?.id) } });
  await service.call('DELETE /users/{fp_id}', { params: { fp_id: gone } });
  await service.call('DELETE /_kyclone/api-keys/{id}', { params: { id: idOf('deleted') } });
  await service.call('PATCH /_kyclone/api-keys/{id}', {
    params: { id: idOf('disabled') },
    body: { enabled: false },
  });
  const living = async () => ({
    gone: (await service.send({ method: 'GET', path: `/users/${gone}` })).status,
    kept: (await service.send({ method: 'GET', path: `/users/${kept}` })).status,
    key: (await service.send({ method: 'GET', path: '/users', as: key })).status,
    disabled: (await service.send({ method: 'GET', path: '/users', as: disabled })).status,
    token: (await service.request('GET /users/client_token', { as: token })).status,
    ofGone: (await service.request('GET /users/client_token', { as: ofGone })).status,
  });
  return { gone, living };
}

const DEAD = { gone: 404, kept: 200, key: 401, disabled: 401, token: 401, ofGone: 401 };
const ALIVE = { gone: 200, kept: 200, key: 200, disabled: 200, token: 200, ofGone: 200 };
const NOTHING = { entities: 0, tokens: 0, keys: 0 };

test('load: restores deleted and revoked items, and the response counts them', async (service) => {
  const { living } = await aWorld(service);
  expect(await living()).toEqual(DEAD);

  expect(await load(service)).toEqual({ entities: 1, tokens: 2, keys: 2 });

  expect(await living()).toEqual(ALIVE);
  expect(await load(service)).toEqual(NOTHING);
});

test('load: keep_revoked leaves it dead, now and when the snapshot is loaded again', async (service) => {
  const { living, gone } = await aWorld(service);

  expect(await load(service, true)).toEqual(NOTHING);

  expect(await living()).toEqual(DEAD);
  const rows = service.database.prepare(
    'SELECT count(*) FROM vault_values v JOIN entities e ON e.id = v.entity WHERE fp_id = ?',
  );
  expect(rows.pluck().get(gone)).toBe(0);
  expect((await service.call('POST /users/search', { body: { search: 'Canary-71' } })).body.data).toEqual([]);
  expect(await load(service, true)).toEqual(NOTHING);
  expect(await living()).toEqual(DEAD);
  expect(await load(service)).toEqual({ entities: 1, tokens: 2, keys: 2 });
});

test('load: later entities, and those removed by a reset, are neither counted as revived nor omitted', async (service) => {
  const fp_id = await service.user();
  await save(service);
  await service.call('POST /_kyclone/reset', {});
  expect(await load(service, true)).toEqual(NOTHING);
  expect((await service.call('GET /users')).body.data).toMatchObject([{ id: fp_id }]);
});

test('delete: lists what no other snapshot can restore', async (service) => {
  await aWorld(service);
  const remove = async (name: string) =>
    (await service.call('DELETE /_kyclone/snapshots/{name}', { params: { name } })).body.final;
  await save(service, 'after');
  expect(await remove('after')).toEqual(NOTHING);
  await service.call('POST /_kyclone/snapshots/{name}/load', { params, query: { keep_revoked: false } });
  await save(service, 'twin');
  const [user] = (await service.call('GET /users')).body.data;
  await service.call('DELETE /users/{fp_id}', { params: { fp_id: String(user?.id) } });
  expect(await remove('before')).toEqual(NOTHING);
  expect(await remove('twin')).toMatchObject({ entities: 1 });
});

test('delete: a snapshot that does not open is named as not counted, unless nothing had to be looked for', async (service) => {
  await aWorld(service);
  for (const name of ['twin', 'broken', 'empty']) await save(service, name);
  const path = join(service.snapshotsFolder, 'broken.kysnap');
  writeFileSync(path, readFileSync(path).fill(0, 4_096, 8_192));
  const remove = async (name: string) =>
    (await service.call('DELETE /_kyclone/snapshots/{name}', { params: { name } })).body;
  expect(await remove('empty')).toEqual({ final: NOTHING, unreadable: [] });
  const unreadable = [
    { name: 'broken', problem: 'The snapshot was changed after it was saved; it was not used' },
  ];
  expect(await remove('before')).toEqual({ final: { entities: 1, tokens: 2, keys: 2 }, unreadable });
  expect(await remove('broken')).toEqual({ final: NOTHING, unreadable });
});

test('delete: looks into one other snapshot at a time, some records in each turn, and into none without need', async (service) => {
  const gone = RECORDS_PER_TURN + 1;
  for (let at = 0; at < gone; at++)
    addTombstone(service.database, { kind: 'entity', id: `fp_id_${at}`, at: service.clock.now() });
  let opened = 0;
  const others = async function* () {
    for (let other = 0; other < 3; other++) {
      opened += 1;
      await Promise.resolve();
      yield service.database;
    }
  };
  const look = (one: Database) =>
    turnsDuring(() => countLastCopies(service.database, one, others(), service.clock.now()));

  expect((await look(service.database)).turns).toBeGreaterThanOrEqual(2);
  expect(opened).toBe(0);

  const store = openDatabase(':memory:');
  store.exec(`INSERT INTO root_keys VALUES (1, x'00', 0); INSERT INTO spaces VALUES (1, 'a', 'sandbox', 0);
    WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${gone - 1})
    INSERT INTO entities (fp_id, space, kind, root_key_version, sealed_key, created_at, updated_at)
    SELECT 'fp_id_' || n, 1, 'user', 1, x'00', 0, 0 FROM numbers`);
  const { result, turns } = await look(store);
  store.close();
  expect(result).toEqual({ entities: gone, tokens: 0, keys: 0 });
  expect(opened).toBe(3);
  // Twice for those in the snapshot, and twice for each other one.
  expect(turns).toBeGreaterThanOrEqual(2 + 3 * 2);
});
