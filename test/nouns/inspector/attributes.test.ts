/** PATCH /_kyclone/entities/{fp_id} (contract §6, §11): what a browser or device reports about an entity. */
import { expect } from 'vitest';
import { LIVE_KEY, failureOf, type TestService } from '../../support/service.ts';
import { vaultOf } from '../../support/vault-calls.ts';
import { test } from '../../support/test-with.ts';

const PATCH = 'PATCH /_kyclone/entities/{fp_id}';
const DEVICE = 'device-8b1f0c6e';
const COOKIE = 'cookie-8b1f0c6e';

type Attributes = Readonly<Record<string, unknown>>;

const change = (service: TestService, fp_id: string, body: Attributes) =>
  service.call(PATCH, { params: { fp_id }, body });
const refused = (service: TestService, fp_id: string, body: unknown, query = {}) =>
  service.refused(PATCH, { params: { fp_id }, query, body });
const rowsOf = ({ database }: TestService) =>
  database.prepare('SELECT name, sealed FROM entity_attributes ORDER BY name').all() as {
    name: string;
    sealed: Uint8Array;
  }[];

test('attributes: are taken one by one or together, and answer {}', async (service) => {
  const fp_id = await service.user({});

  expect((await change(service, fp_id, { device_id: DEVICE })).body).toEqual({});
  expect((await change(service, fp_id, { cookie_id: COOKIE, ip_address: '203.0.113.7' })).body).toEqual({});
  expect((await change(service, fp_id, {})).body).toEqual({});

  expect(rowsOf(service).map(({ name }) => name)).toEqual(['cookie_id', 'device_id', 'ip_address']);
});

test('attributes: null removes a value, and is accepted without one; a deleted user has none', async (service) => {
  const fp_id = await service.user({});
  await change(service, fp_id, { device_id: DEVICE, ip_address: '203.0.113.7' });

  await change(service, fp_id, { device_id: null, cookie_id: null });

  expect(rowsOf(service).map(({ name }) => name)).toEqual(['ip_address']);
  await service.call('DELETE /users/{fp_id}', { params: { fp_id } });
  expect(rowsOf(service)).toEqual([]);
});

test('attributes: a label is set beside them, and all or nothing', async (service) => {
  const fp_id = await service.user({});

  await change(service, fp_id, { device_id: DEVICE, label: 'active' });
  await refused(service, fp_id, { label: 'offboard_fraud', device_id: 7 });

  const { body } = await service.call('GET /_kyclone/entities/{fp_id}', { params: { fp_id } });
  expect(body.label).toBe('active');
  expect(rowsOf(service)).toHaveLength(1);
});

test('attributes: are no part of the vault and no version of it', async (service) => {
  const fp_id = await service.user({ 'id.city': 'Enclave' });
  await change(service, fp_id, { device_id: DEVICE });
  const vault = vaultOf(service, fp_id);

  expect(await vault.present()).toEqual({ 'id.city': true });
  expect((await vault.decryptAsOf(1, ['id.city'])).version).toBe(1);
  await vault.write({ 'id.city': 'Springfield' });
  expect(rowsOf(service)).toHaveLength(1);
});

test('attributes: of a business, and of a live user', async (service) => {
  const [business, live] = [await service.business({}), await service.user({}, LIVE_KEY)];

  await change(service, business, { ip_address: '2001:db8::1' });
  expect((await refused(service, live, { device_id: DEVICE })).status).toBe(404);
  await service.call(PATCH, {
    params: { fp_id: live },
    query: { environment: 'live' },
    body: { device_id: DEVICE },
  });

  expect(rowsOf(service)).toHaveLength(2);
});

test.eachWith(['', 'localhost', '203.0.113.256', '203.0.113.7:80', '203.0.113.0/24', '[::1]', ' ::1', 7])(
  'attributes: ip_address %j is invalid',
  async (service, ip_address) => {
    const answer = await refused(service, await service.user({}), { device_id: DEVICE, ip_address });

    expect(answer).toMatchObject(failureOf(400, 'invalid_request', 'ip_address'));
    expect(rowsOf(service)).toEqual([]);
  },
);
