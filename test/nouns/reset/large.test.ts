/**
 * POST /_kyclone/reset of a store so large that a new file replaces it (contract §11) has the same result as the reset
 * of a small store.
 */
import { readdirSync } from 'node:fs';
import { expect } from 'vitest';
import { ServiceError } from '../../../src/kernel/errors.ts';
import { nextTurn } from '../../../src/kernel/time/turns.ts';
import type { Database } from '../../../src/storage/database.ts';
import { aPng } from '../../support/builders.ts';
import { sendSamples } from '../../support/samples.ts';
import { SANDBOX_KEY, startService, type Parts, type TestService } from '../../support/service.ts';
import { vaultOf } from '../../support/vault-calls.ts';
import '../../support/tier-all.ts';
import { test } from '../../support/test-with.ts';

const RESET = 'POST /_kyclone/reset';
/** This many values of nearly 32 KiB, the limit of a body, exceed 2 MiB. */
const LARGE_VALUES = 72;

/** Makes a user with so much data that the store counts as large. */
async function aLargeUser(service: TestService): Promise<string> {
  const user = await service.user();
  for (let serial = 0; serial < LARGE_VALUES; serial++)
    await vaultOf(service, user).write({ [`custom.large_${serial}`]: 'x'.repeat(32_000) });
  return user;
}

const tablesOf = (database: Database) =>
  database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .pluck()
    .all() as string[];

/** Returns the rows of each table that isn't empty. */
function contentOf(database: Database): Map<string, unknown[]> {
  const tables = tablesOf(database).map((table) => {
    const rows = database.prepare(`SELECT * FROM ${table}`).all();
    return [table, rows] as const;
  });
  return new Map(tables.filter(([, rows]) => rows.length > 0));
}

/** Resets a large store; fails unless a new store has replaced the old one. */
async function resetLarge(service: TestService, parts: Parts<typeof RESET> = {}) {
  const before = service.database;
  const answer = await service.call(RESET, parts);
  // The comparison stands outside of `expect`, because printing a closed database throws.
  expect(service.database === before, 'the store is too small for this test').toBe(false);
  return answer.body.deleted;
}

test('reset: of a large store leaves what one in place leaves, and says the same', async (small) => {
  await using large = await startService();
  await sendSamples(small);
  await sendSamples(large);
  await aLargeUser(large);
  await large.flush();
  const kept = contentOf(large.database);
  const inPlace = (await small.call(RESET)).body.deleted;

  const deleted = await resetLarge(large);

  expect({ ...deleted, requests: 0 }).toEqual({
    ...inPlace,
    users: Number(inPlace['users']) + 1,
    requests: 0,
  });
  const [left, expected] = [contentOf(large.database), contentOf(small.database)];
  expect([...left.keys()]).toEqual([...expected.keys()]);
  for (const [table, rows] of left) {
    // No entity is left whose blind indexes are listed.
    const source = table === 'fingerprint_listing' ? expected : kept;
    if (table !== 'instance_values') expect(rows, table).toEqual(source.get(table));
  }
  const namesOf = (content: Map<string, unknown[]>) =>
    ((content.get('instance_values') ?? []) as { name: string }[]).map(({ name }) => name);
  expect(new Set(namesOf(left))).toEqual(
    new Set([...namesOf(expected), 'access log number', 'store position']),
  );
});

test('reset: one of a large store starts a new log, resumes the clock, frees ids and removes files', async () => {
  await using service = await startService({ seed: 'fixed' });
  const user = await aLargeUser(service);
  await service.upload(user, 'document.passport.front.image', aPng());
  await vaultOf(service, user).decrypt(['id.city']);
  await service.call('PUT /_kyclone/clock', { body: { action: 'freeze' } });
  await service.call('PATCH /_kyclone/settings', { body: { events: { extended: true } } });
  const key = await service.key({ tenant: 'elsewhere' });

  expect(await resetLarge(service)).toMatchObject({ users: 1, businesses: 0, files: 1 });

  expect(readdirSync(service.filesFolder)).toEqual([]);
  expect((await service.call('GET /_kyclone/clock')).body.mode).toBe('real');
  expect((await service.call('GET /_kyclone/settings')).body.events.extended).toBe(true);
  expect((await service.call('GET /_kyclone/access-log/verify')).body).toMatchObject({
    ok: true,
    checked: 0,
  });
  expect((await service.call('GET /users', { as: key })).body.meta.count).toBe(0);
  expect((await service.call('GET /users', { as: SANDBOX_KEY })).body.data).toEqual([]);
  expect((await service.call('GET /_kyclone/requests')).body.meta.count).toBeLessThan(8);

  const again = await service.user({ 'id.zip': '94117' });
  expect(again).toBe(user);
  expect(await vaultOf(service, again).decrypt(['id.city', 'id.zip', 'custom.large_1'])).toEqual({
    'id.city': null,
    'id.zip': '94117',
    'custom.large_1': null,
  });
  expect((await service.call('GET /_kyclone/access-log')).body.data).toMatchObject([
    { seq: 1, prev_hash: '0'.repeat(64) },
  ]);
  expect((await service.call('GET /_kyclone/access-log/verify')).body).toMatchObject({
    ok: true,
    checked: 1,
  });
});

test('reset: hard, of a large store, leaves the first keys and the settings of the start only', async () => {
  await using service = await startService({ settings: { events: { extended: true } } });
  const key = await service.key({ tenant: 'elsewhere' });
  await aLargeUser(service);
  await service.call('PATCH /_kyclone/settings', { body: { events: { extended: false } } });
  await service.call('POST /_kyclone/webhooks', { body: { url: 'http://127.0.0.1:9/hooks' } });

  expect(await resetLarge(service, { body: { hard: true } })).toMatchObject({ users: 1, businesses: 0 });

  expect((await service.send({ method: 'GET', path: '/users', as: key })).status).toBe(401);
  expect((await service.call('GET /_kyclone/api-keys')).body.meta.count).toBe(2);
  expect((await service.call('GET /_kyclone/webhooks')).body.meta.count).toBe(0);
  expect((await service.call('GET /_kyclone/settings')).body.events.extended).toBe(true);
  expect(await service.user()).toMatch(/^fp_id_/);
});

test('reset: others see all of a large store or none of it; concurrent writes are complete or absent', async (service) => {
  await aLargeUser(service);
  const businesses = 20;
  for (let serial = 0; serial < businesses; serial++) await service.business();
  const done = new AbortController();
  const seen = new Set<string>();
  const watching = (async () => {
    while (!done.signal.aborted) {
      const { counts } = (await service.call('GET /_kyclone/info')).body;
      seen.add(`${counts['businesses'] ?? 0}`);
      await nextTurn();
    }
  })();
  let created = 0;
  const externalIdOf = (serial: number) => ({ 'x-external-id': `customer-${serial}` });
  const writing = (async () => {
    while (!done.signal.aborted) await service.call('POST /users', { headers: externalIdOf(created++) });
  })();

  await Promise.all([resetLarge(service), service.call('GET /users')]);
  done.abort();
  await Promise.all([watching, writing]);

  expect([...seen].filter((count) => count !== '0' && count !== String(businesses))).toEqual([]);
  const left = (await service.call('GET /users')).body.meta.count;
  let found = 0;
  for (let serial = 0; serial < created; serial++) {
    const query = { external_id: `customer-${serial}` };
    found += (await service.call('GET /users', { query })).body.meta.count;
  }
  expect(found).toBe(left);
});

test('reset: two at once, and one beside a load, leave nothing of a large store', async (service) => {
  await aLargeUser(service);
  await Promise.all([service.call(RESET), service.call(RESET)]);
  expect((await service.call('GET /users')).body.meta.count).toBe(0);

  await aLargeUser(service);
  await service.call('PUT /_kyclone/snapshots/{name}', { params: { name: 'full' }, query: {} });
  await Promise.all([
    service.request('POST /_kyclone/snapshots/{name}/load', { params: { name: 'full' } }),
    service.call(RESET),
  ]);
  expect((await service.call('GET /users')).body.meta.count).toBeLessThan(2);
  await service.call(RESET);
  expect((await service.call('GET /users')).body.meta.count).toBe(0);
  expect((await service.call('GET /_kyclone/access-log/verify')).body.ok).toBe(true);
});

test('reset: a full disk at the exchange of a large store makes it run in place, in the current service', async (service) => {
  await aLargeUser(service);
  const { restart } = service.random;
  service.random.restart = (seed) => {
    service.random.restart = restart;
    restart(seed);
    throw new ServiceError('storage_full', 'No space is left on the disk');
  };

  const { deleted } = (await service.call(RESET)).body;

  expect(deleted).toMatchObject({ users: 1 });
  expect((await service.call('GET /users')).body.data).toEqual([]);
  await service.user();
  expect((await service.call('GET /_kyclone/access-log/verify')).body.ok).toBe(true);
});
