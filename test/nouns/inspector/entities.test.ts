/** GET /_kyclone/entities and one of them (contract §11): masked, and found without opening any value. */
import { expect } from 'vitest';
import { aBusiness, aReadyUser, aUser } from '../../support/builders.ts';
import { VAULT_PAGE_SIZE } from '../../../src/contract/facts/limits.ts';
import { LIVE_KEY, NOON, type TestService } from '../../support/service.ts';
import { onboardingOf } from '../../support/runs.ts';
import { vaultOf } from '../../support/vault-calls.ts';
import { test } from '../../support/test-with.ts';

const SECRETS = ['Wilhelmina', 'Oyelaran', '121121212', '4155552671', 'Evergreen', '1212'];

async function found(service: TestService, query: Record<string, string>): Promise<string[]> {
  const { body } = await service.call('GET /_kyclone/entities', { query });
  expect(body.meta.count).toBe(body.data.length);
  return body.data.map(({ id }) => id);
}

test('entities: shows users and businesses, newest first, names masked', async (service) => {
  const user = await service.user();
  service.clock.advance(1000);
  const business = await service.business(aBusiness());
  await vaultOf(service, user).write({ 'id.city': 'Springfield' });

  const reply = await service.send({ method: 'GET', path: '/_kyclone/entities' });

  expect(reply.body).toMatchObject({
    data: [
      { id: business, kind: 'business', masked_name: 'Acme Incorporated', vault_version: 1 },
      {
        id: user,
        kind: 'user',
        masked_name: 'W*** O***',
        vault_version: 2,
        external_id: null,
        label: null,
        status: 'none',
        requires_manual_review: false,
        created_at: new Date(NOON).toISOString(),
        updated_at: new Date(NOON + 1000).toISOString(),
      },
    ],
    meta: { count: 2, next: null },
  });
  for (const secret of SECRETS) expect(reply.text).not.toContain(secret);
});

test('entities: of runs at one time, as under a frozen clock, the latest is first, and the timeline has them in turn', async (service) => {
  const fp_id = await service.user(aReadyUser());
  const ids: string[] = [];
  for (const fixture_result of ['fail', 'manual_review', 'fail', 'manual_review', 'pass'] as const)
    ids.unshift(
      (await onboardingOf(service, fp_id).run({ fixture_result, allow_reonboard: true })).onboarding_id,
    );

  const params = { fp_id };
  const { onboardings } = (await service.call('GET /_kyclone/entities/{fp_id}', { params })).body;
  expect(onboardings.map(({ id }) => id)).toEqual(ids);
  const query = { kinds: 'run', page_size: 100 };
  const { data } = (await service.call('GET /_kyclone/entities/{fp_id}/timeline', { params, query })).body;
  expect([...new Set(data.map(({ id }) => id))]).toEqual(ids);
});

test('entities: q is a prefix of an id or external id, taken literally', async (service) => {
  const user = await service.user({});
  const named = await service.call('POST /users', { headers: { 'x-external-id': 'customer_1' } });

  expect(await found(service, { q: user })).toEqual([user]);
  expect(await found(service, { q: user.slice(0, 15) })).toEqual([user]);
  expect(await found(service, { q: 'cust' })).toEqual([named.body.id]);
  for (const q of ['ustomer', '%', '_', 'fp_id%', 'CUST', user.slice(1)])
    expect(await found(service, { q }), q).toEqual([]);
});

test.eachWith([
  ['id.ssn9', '121-12-1212'],
  ['id.ssn9', '121121212'],
  ['id.email', 'WILHELMINA@Oyelaran.example'],
  ['id.phone_number', '+1 415 555 2671'],
  ['id.drivers_license_number', 'D1234567'],
])('entities: q is an exact %s, however it is written: %s', async (service, _identifier, q) => {
  const user = await service.user(aUser({ 'id.drivers_license_number': 'D1234567' }));
  await service.user({ 'id.ssn9': '343343434' });

  expect(await found(service, { q })).toEqual([user]);
  expect(await found(service, { q: q.slice(0, -1) })).toEqual([]);
});

test('entities: shows one tenant and environment at a time', async (service) => {
  const elsewhere = await service.key({ tenant: 'elsewhere' });
  const ids = [
    await service.user(aUser()),
    await service.user(aUser(), LIVE_KEY),
    await service.user(aUser(), elsewhere),
  ] as const;

  for (const q of [{}, { q: '121121212' }]) {
    expect(await found(service, q)).toEqual([ids[0]]);
    expect(await found(service, { ...q, environment: 'live' })).toEqual([ids[1]]);
    expect(await found(service, { ...q, tenant: 'elsewhere' })).toEqual([ids[2]]);
  }
});

test('entities/{fp_id}: lists every identifier with its mask, type, version and time', async (service) => {
  const fp_id = await service.user({
    'id.ssn9': '121121212',
    'id.dob': '1988-12-30',
    'custom.list': [1, 2, 3],
  });
  service.clock.advance(1000);
  await vaultOf(service, fp_id).write({ 'id.email': 'wilhelmina@oyelaran.example' });

  const { body } = await service.call('GET /_kyclone/entities/{fp_id}', { params: { fp_id } });

  const [first, second] = [new Date(NOON).toISOString(), new Date(NOON + 1000).toISOString()];
  expect(body.vault).toEqual([
    { identifier: 'custom.list', mask: '<list 3>', type: 'json', version: 1, updated_at: first },
    { identifier: 'id.dob', mask: '1988-**-**', type: 'text', version: 1, updated_at: first },
    { identifier: 'id.email', mask: 'w***@oyelaran.example', type: 'text', version: 2, updated_at: second },
    { identifier: 'id.ssn4', mask: '******', type: 'text', version: 1, updated_at: first },
    { identifier: 'id.ssn9', mask: '***1212', type: 'text', version: 1, updated_at: first },
    { identifier: 'id.us_tax_id', mask: '***1212', type: 'text', version: 1, updated_at: first },
  ]);
});

test('entities/{fp_id}: counts the entries of the access log, and adds none', async (service) => {
  const fp_id = await service.user();
  await vaultOf(service, fp_id).decrypt(['id.city']);

  for (let times = 0; times < 2; times++) {
    const { body } = await service.call('GET /_kyclone/entities/{fp_id}', { params: { fp_id } });
    expect(body.access_log_entries).toBe(1);
  }
});

test('entities/{fp_id}: a live one is read in its environment', async (service) => {
  const live = await service.user({}, LIVE_KEY);

  const query = { environment: 'live' as const };
  const { body } = await service.call('GET /_kyclone/entities/{fp_id}', { params: { fp_id: live }, query });

  expect(body).toMatchObject({ id: live, sandbox_id: null });
});

test('entities/{fp_id}: the rest of a large vault follows by vault_cursor', async (service) => {
  const fp_id = await service.user({ 'id.first_name': 'Zoe' });
  const names = Array.from({ length: VAULT_PAGE_SIZE }, (_, at) => `custom.f${String(at).padStart(4, '0')}`);
  const body = Object.fromEntries(names.map((name) => [name, 'x']));
  await service.call('PATCH /users/{fp_id}/vault', { params: { fp_id }, body });
  const read = async (vault_cursor?: string) =>
    (await service.call('GET /_kyclone/entities/{fp_id}', { params: { fp_id }, query: { vault_cursor } }))
      .body;
  const first = await read();
  expect(first.vault.map(({ identifier }) => identifier)).toEqual(names);
  expect(first).toMatchObject({ vault_count: VAULT_PAGE_SIZE + 1, masked_name: 'Z***' });
  const second = await read(String(first.vault_next));
  expect(second.vault.map(({ identifier }) => identifier)).toEqual(['id.first_name']);
  expect(second).toMatchObject({ vault_count: VAULT_PAGE_SIZE + 1, vault_next: null, masked_name: 'Z***' });
  const path = `/_kyclone/entities/${fp_id}?vault_cursor=x`;
  expect(await service.send({ method: 'GET', path })).toMatchObject({ status: 400 });
});
