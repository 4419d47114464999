/** Many tenants at once, in one service, see nothing of each other. Each makes every read and tries every attack. */
import { expect, test } from 'vitest';
import type { EndpointKey } from '../../src/contract/registry.ts';
import { startService, type LooseParts, type TestService } from '../support/service.ts';

const TENANTS = 12;

interface Tenant {
  readonly tenant: string;
  /** Its API key. */
  readonly as: string;
  readonly email: string;
  readonly users: readonly [string, ...string[]];
  readonly playbook: string;
  readonly onboarding: string;
  readonly link: string;
}

test('tenants: many at once see their own and nothing of each other', async () => {
  await using service = await startService();
  const numbers = Array.from({ length: TENANTS }, (_, index) => index);
  const tenants = await Promise.all(numbers.map((number) => settle(service, number)));
  const everyUser = tenants.flatMap(({ users }) => users);
  expect(new Set(everyUser).size).toBe(everyUser.length);
  await Promise.all(
    tenants.map(async (own, index) => {
      await seesItsOwn(service, own);
      await seesNothingOf(service, tenants[(index + 1) % TENANTS] as Tenant, own);
    }),
  );
  // No tenant changed what it could not see.
  for (const own of tenants) {
    await seesItsOwn(service, own);
    const params = { fp_id: own.users[0] };
    const read = { as: own.as, params, body: DECRYPTION };
    expect((await service.call('POST /users/{fp_id}/vault/decrypt', read)).body).toEqual({
      'id.email': own.email,
    });
  }
  expect((await service.call('GET /users')).body.data).toEqual([]);
});

/** Creates a tenant and its data. All tenants use the same external ids, idempotency id and name of a playbook. */
async function settle(service: TestService, number: number): Promise<Tenant> {
  const tenant = `tenant-${number}`;
  const email = `tenant${number}@example.com`;
  const as = await service.key({ tenant });
  const create = async (headers: Record<string, string>) =>
    (await service.call('POST /users', { as, headers })).body.id;
  const first = await create({ 'x-external-id': 'customer-1' });
  const params = { fp_id: first };
  await service.call('PATCH /users/{fp_id}/vault', { as, params, body: { 'id.email': email } });
  const more = number % 2 === 0 ? [] : [await create({ 'x-idempotency-id': 'sign-up' })];
  const playbook = await service.call('POST /_kyclone/playbooks', {
    query: { tenant },
    body: { name: 'Light', kind: 'kyc', requirements: [['id.email']] },
  });
  const { key } = playbook.body;
  const run = await service.call('POST /users/{fp_id}/kyc', { as, params, body: { key } });
  const intent = await service.call('POST /_kyclone/bank_link_intents', {
    body: { fp_id: first, persona: 'empty' },
  });
  const { intent_token } = intent.body;
  const link = await service.call('POST /bank_links', { as, body: { intent_token, external_id: 'link-1' } });
  return {
    ...{ tenant, as, email },
    users: [first, ...more],
    playbook: key,
    onboarding: run.body.onboarding_id,
    link: link.body.id,
  };
}

async function seesItsOwn(service: TestService, own: Tenant): Promise<void> {
  const { tenant, as, playbook, link } = own;
  const [user] = own.users;
  const sorted = [...own.users].sort();
  const idsOf = (data: readonly { id: string }[]) => data.map(({ id }) => id).sort();

  const users = (await service.call('GET /users', { as })).body;
  expect([idsOf(users.data), users.meta.count]).toEqual([sorted, sorted.length]);
  const named = await service.call('GET /users', { as, query: { external_id: 'customer-1' } });
  expect(idsOf(named.body.data)).toEqual([user]);
  const links = await service.call('GET /bank_links', { as });
  expect(JSON.stringify(links.body).match(/link_\w{22}/g)).toEqual([link]);

  const query = { tenant };
  const entities = await service.call('GET /_kyclone/entities', { query });
  expect(idsOf(entities.body.data)).toEqual(sorted);
  const playbooks = (await service.call('GET /_kyclone/playbooks', { query })).body.data;
  expect(playbooks.filter(({ name }) => name === 'Light').map(({ key }) => key)).toEqual([playbook]);
  const events = (await service.call('GET /_kyclone/events', { query })).body.data;
  const completed = events.filter(({ kind }) => kind === 'onboarding.completed');
  expect(completed.map(({ body }) => body['fp_id'])).toEqual([user]);
}

const DECRYPTION = { fields: ['id.email'], reason: 'a test' };
const ATTACKS_ON_USER: readonly [EndpointKey, body?: object][] = [
  ['GET /users/{fp_id}'],
  ['GET /users/{fp_id}/vault'],
  ['GET /users/{fp_id}/onboardings'],
  ['PATCH /users/{fp_id}/vault', { 'id.email': 'spy@example.com' }],
  ['POST /users/{fp_id}/vault/decrypt', DECRYPTION],
  ['POST /users/{fp_id}/client_token', { scope: 'vault', fields: ['id.email'] }],
  ['DELETE /users/{fp_id}'],
];
const ATTACKS_ON_LINK: readonly EndpointKey[] = [
  'GET /bank_links/{link_id}',
  'GET /bank_links/{link_id}/accounts',
  'DELETE /bank_links/{link_id}',
];

/** Calls with the key of one tenant for what belongs to another. */
async function seesNothingOf(service: TestService, other: Tenant, { as, users }: Tenant): Promise<void> {
  async function notFound(key: EndpointKey, parts: LooseParts): Promise<void> {
    expect([key, await service.refused(key, { as, ...parts })]).toMatchObject([
      key,
      { status: 404, code: 'not_found' },
    ]);
  }
  for (const [key, body] of ATTACKS_ON_USER) await notFound(key, { params: { fp_id: other.users[0] }, body });
  for (const key of ATTACKS_ON_LINK) await notFound(key, { params: { link_id: other.link } });
  await notFound('GET /onboardings/{id}', { params: { id: other.onboarding } });
  const found = await service.call('POST /users/search', { as, body: { search: other.email } });
  expect(found.body.data).toEqual([]);
  const run = { as, params: { fp_id: users[0] }, body: { key: other.playbook } };
  expect(await service.refused('POST /users/{fp_id}/kyc', run)).toMatchObject({ code: 'playbook_unknown' });
}
