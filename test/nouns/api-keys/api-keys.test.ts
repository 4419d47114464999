/** API keys (contract §0.2, §0.3, §11). */
import { expect } from 'vitest';
import { PERMISSIONS, SCOPES } from '../../../src/contract/facts/permissions.ts';
import { LIVE_KEY, NOON, SANDBOX_KEY, startService, type TestService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';

const CREATE = 'POST /_kyclone/api-keys';
const CHANGE = 'PATCH /_kyclone/api-keys/{id}';

const list = async (
  service: TestService,
  query: { tenant?: string; environment?: 'sandbox' | 'live' } = {},
) => (await service.call('GET /_kyclone/api-keys', { query })).body.data;
const statusOf = async (service: TestService, as: string) =>
  (await service.send({ method: 'GET', path: '/users', as })).status;

test('api-keys: an instance begins with one sandbox and one live key that may do everything', async (service) => {
  const keys = await list(service);

  expect(keys.map(({ environment }) => environment).sort()).toEqual(['live', 'sandbox']);
  for (const key of keys) {
    expect(key).toMatchObject({ tenant: 'default', enabled: true, scopes: SCOPES });
    expect(key.permissions).toEqual([...PERMISSIONS, 'decrypt:*']);
  }
});

test('api-keys: a new key is shown in full once, and is for the sandbox of tenant default', async (service) => {
  const { body } = await service.call(CREATE);

  expect(body).toMatchObject({
    tenant: 'default',
    environment: 'sandbox',
    enabled: true,
    last_used_at: null,
    id: expect.stringMatching(/^key_[0-9A-Za-z]{22}$/) as string,
    key: expect.stringMatching(/^sk_test_[0-9A-Za-z]{32}$/) as string,
    created_at: new Date(NOON).toISOString(),
  });
  expect(body.key.startsWith(body.prefix)).toBe(true);
  const { key, ...record } = body;
  expect(await list(service)).toContainEqual(record);
  expect(JSON.stringify(await list(service))).not.toContain(key);
  expect(await statusOf(service, key)).toBe(200);
});

test('api-keys: a key is unpredictable whatever the seed', async () => {
  await using one = await startService({ seed: 'same' });
  await using two = await startService({ seed: 'same' });

  expect(await one.key()).not.toBe(await two.key());
});

test('api-keys: is stored as a digest only', async (service) => {
  const key = await service.key({ key: `sk_test_${'f'.repeat(32)}` });

  const rows = service.database.prepare('SELECT * FROM api_keys').all() as Record<string, unknown>[];

  const text = rows.flatMap((row) =>
    Object.values(row).map((value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value),
    ),
  );
  expect(text.join('\n')).not.toContain(key);
});

test('api-keys: decrypts known identifiers and families of them, no others', async (service) => {
  const { id } = (await service.call(CREATE)).body;
  for (const pattern of [
    '*',
    'id.ssn9',
    'custom.x',
    'custom.last login',
    'custom.Straße.*',
    'card.hayes.number',
    'bank.*',
    'bank.main.*',
    'document.passport.*',
  ])
    await service.key({ permissions: [`decrypt:${pattern}`] });

  for (const pattern of ['NAME', 'NAME of one', 'id.nope', 'id', 'ids.*', 'id.first.*', 'document.pass.*']) {
    const body = { permissions: ['review', `decrypt:${pattern}`] };
    const refusal = { status: 400, code: 'invalid_request' };
    const created = await service.refused(CREATE, { body });
    expect(created).toMatchObject(refusal);
    expect(created.message).toContain(`Unknown identifier: ${pattern}`);
    expect(await service.refused(CHANGE, { params: { id }, body })).toMatchObject(refusal);
  }
});

test('api-keys: a fixed value is taken when it fits, from 24 characters on', async (service) => {
  for (const request of [
    { key: `sk_test_${'a'.repeat(16)}` },
    { key: `sk_live_${'a'.repeat(16)}`, environment: 'live' as const },
    { key: `sk_test_${'b'.repeat(128)}` },
  ]) {
    expect((await service.call(CREATE, { body: request })).body.key).toBe(request.key);
    expect(await statusOf(service, request.key)).toBe(200);
  }
});

test.eachWith([
  [{ key: `sk_live_${'a'.repeat(16)}` }],
  [{ key: `sk_test_${'a'.repeat(16)}`, environment: 'live' }],
  [{ key: `sk_test_${'a'.repeat(15)}` }],
  [{ key: `pk_test_${'a'.repeat(16)}` }],
  [{ key: `sk_test_${'a'.repeat(15)}-` }],
  [{ tenant: 'Upper' }],
  [{ permissions: ['decrypt:'] }],
  [{ permissions: ['decrypt:id city'] }],
  [{ permissions: ['decrypt:i*'] }],
  [{ permissions: ['decrypt:id.*.x'] }],
  [{ permissions: ['decrypt:.*'] }],
])('api-keys: %j is 400', async (service, body) => {
  expect(await service.refused(CREATE, { body })).toMatchObject({ status: 400, code: 'invalid_request' });
  expect(await list(service)).toHaveLength(2);
});

test('api-keys: a value that is known already is 409', async (service) => {
  for (const body of [{ key: SANDBOX_KEY }, { key: SANDBOX_KEY, tenant: 'elsewhere' }]) {
    expect(await service.refused(CREATE, { body })).toMatchObject({ status: 409, code: 'conflict' });
  }
  expect(await list(service, { tenant: 'elsewhere' })).toEqual([]);
});

test('api-keys: a new tenant name makes a tenant that shares nothing', async (service) => {
  const as = await service.key({ tenant: 'elsewhere' });
  const theirs = await service.call('POST /users', { as, headers: { 'x-external-id': 'customer-1' } });
  const ours = await service.call('POST /users', { headers: { 'x-external-id': 'customer-1' } });

  expect(theirs.body.id).not.toBe(ours.body.id);
  expect((await service.call('GET /users', { as })).body.data).toEqual([theirs.body]);
  expect((await service.call('GET /users')).body.data).toEqual([ours.body]);
});

test('api-keys: lists by tenant and environment', async (service) => {
  await service.key({ tenant: 'elsewhere', environment: 'live' });

  expect(await list(service, { tenant: 'elsewhere' })).toHaveLength(1);
  expect(await list(service, { environment: 'live' })).toHaveLength(2);
  expect(await list(service, { tenant: 'elsewhere', environment: 'sandbox' })).toEqual([]);
  expect(await list(service, { tenant: 'nobody' })).toEqual([]);
});

test('api-keys: a key that is disabled is 401 at once, and works again when enabled', async (service) => {
  const { body } = await service.call(CREATE);
  const params = { id: body.id };

  const disabled = await service.call(CHANGE, { params, body: { enabled: false } });
  expect(disabled.body.enabled).toBe(false);
  expect(await statusOf(service, body.key)).toBe(401);

  await service.call(CHANGE, { params, body: { enabled: true } });
  expect(await statusOf(service, body.key)).toBe(200);
});

test('api-keys: PATCH changes the sent members only, at once', async (service) => {
  const { body } = await service.call(CREATE, { body: { name: 'before', permissions: ['vault.write'] } });
  const params = { id: body.id };

  const changed = await service.call(CHANGE, { params, body: { name: 'after', scopes: [] } });

  expect(changed.body).toMatchObject({
    id: body.id,
    name: 'after',
    scopes: [],
    permissions: ['vault.write'],
  });
  expect(await statusOf(service, body.key)).toBe(403);
  expect((await service.call(CHANGE, { params, body: {} })).body).toMatchObject({ name: 'after' });
});

test('api-keys: a deleted key is 401 at once and gone from the list', async (service) => {
  const { body } = await service.call(CREATE);

  expect((await service.call('DELETE /_kyclone/api-keys/{id}', { params: { id: body.id } })).body).toEqual(
    {},
  );

  expect(await statusOf(service, body.key)).toBe(401);
  expect((await list(service)).map(({ id }) => id)).not.toContain(body.id);
  expect((await service.refused('DELETE /_kyclone/api-keys/{id}', { params: { id: body.id } })).status).toBe(
    404,
  );
});

test('api-keys: shows when a key was last used, by the clock of the instance', async (service) => {
  service.clock.advance(5000);
  await statusOf(service, LIVE_KEY);
  const used = async () => (await list(service, { environment: 'live' }))[0]?.last_used_at;
  expect(await used()).toBe(new Date(NOON + 5000).toISOString());

  await service.flush();

  expect(await used()).toBe(new Date(NOON + 5000).toISOString());
});

test('api-keys: a refused credential does not count as use', async (service) => {
  await statusOf(service, `${LIVE_KEY}x`);

  expect((await list(service)).map(({ last_used_at }) => last_used_at)).toEqual([null, null]);
});
