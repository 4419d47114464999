/** A thousand tenants at once see nothing of each other (issue 7), through real HTTP with keys of their own. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { startKyclone, type Kyclone, type Tenant } from '../../src/testing/index.ts';

const TENANTS = 1_000;

/** What one tenant does, and whom it tries to spy on: so many places further on. */
interface Plan {
  readonly users: number;
  readonly hasBankLink: boolean;
  readonly runsUser: boolean;
  readonly spiesOn: number;
}
const aPlan: fc.Arbitrary<Plan> = fc.record({
  users: fc.integer({ min: 1, max: 3 }),
  hasBankLink: fc.integer({ min: 0, max: 19 }).map((drawn) => drawn === 0),
  runsUser: fc.boolean(),
  spiesOn: fc.integer({ min: 1, max: TENANTS - 1 }),
});

/** What a tenant has, as far as the test put it there. */
interface Holding {
  readonly tenant: Tenant;
  readonly plan: Plan;
  readonly email: string;
  readonly users: readonly [string, ...string[]];
  readonly playbook: string;
  readonly onboarding: string | undefined;
  readonly link: string | undefined;
}

test(
  'tenants: a thousand at once see their own and nothing of each other',
  { timeout: 400_000 },
  async () => {
    const plans = fc.array(aPlan, { minLength: TENANTS, maxLength: TENANTS });
    await fc.assert(fc.asyncProperty(plans, holds), { numRuns: 1, endOnFailure: true });
  },
);

async function holds(plans: readonly Plan[]): Promise<void> {
  await using kyclone = await startKyclone();
  const holdings = await Promise.all(plans.map((plan, index) => settle(kyclone, plan, index)));
  const everyUser = holdings.flatMap(({ users }) => users);
  expect(new Set(everyUser).size).toBe(everyUser.length);
  await Promise.all(
    holdings.map(async (own, index) => {
      await seesItsOwn(kyclone, own);
      await seesNothingOf(holdings[(index + own.plan.spiesOn) % TENANTS] as Holding, own);
    }),
  );
  // Nobody changed what they could not see.
  await Promise.all(holdings.map(reads));
  const { data } = await kyclone.client.call('GET /users');
  expect(data).toEqual([]);
}

/** The same external id and the same idempotency id for all. */
async function settle(kyclone: Kyclone, plan: Plan, index: number): Promise<Holding> {
  const tenant = await kyclone.tenant();
  const { client } = tenant;
  const email = `tenant${index}@example.com`;
  const create = async (headers: Record<string, string>) =>
    (await client.call('POST /users', { headers })).id;
  const first = await create({ 'x-external-id': 'customer-1' });
  await client.call('PATCH /users/{fp_id}/vault', { params: { fp_id: first }, body: { 'id.email': email } });
  const more: string[] = [];
  for (let count = 1; count < plan.users; count++) {
    more.push(await create({ 'x-idempotency-id': `sign-up-${count}` }));
  }
  const { key: playbook } = await kyclone.client.call('POST /_kyclone/playbooks', {
    query: { tenant: tenant.name },
    body: { name: 'Light', kind: 'kyc', requirements: [['id.email']] },
  });
  const run = { params: { fp_id: first }, body: { key: playbook } };
  const onboarding = plan.runsUser ? await client.call('POST /users/{fp_id}/kyc', run) : undefined;
  return {
    tenant,
    plan,
    email,
    users: [first, ...more],
    playbook,
    onboarding: onboarding?.onboarding_id,
    link: plan.hasBankLink ? await linkOf(kyclone, tenant.client, first) : undefined,
  };
}

async function linkOf(kyclone: Kyclone, client: Client, fp_id: string): Promise<string> {
  const { intent_token } = await kyclone.client.call('POST /_kyclone/bank_link_intents', {
    body: { fp_id, persona: 'empty' },
  });
  return (await client.call('POST /bank_links', { body: { intent_token, external_id: 'link-1' } })).id;
}

async function seesItsOwn(kyclone: Kyclone, own: Holding): Promise<void> {
  const { client, name: tenant } = own.tenant;
  const [user] = own.users;
  const { data, meta } = await client.call('GET /users');
  expect(data.map(({ id }) => id).sort()).toEqual([...own.users].sort());
  expect(meta.count).toBe(own.users.length);
  const found = await client.call('GET /users', { query: { external_id: 'customer-1' } });
  expect(found.data.map(({ id }) => id)).toEqual([user]);
  await reads(own);
  const links = await client.call('GET /bank_links');
  expect(JSON.stringify(links).match(/link_\w{22}/g) ?? []).toEqual(own.link === undefined ? [] : [own.link]);

  const query = { tenant };
  const events = await kyclone.client.call('GET /_kyclone/events', { query });
  const told = events.data.filter(({ kind }) => kind === 'onboarding.completed');
  expect(told.map(({ body }) => body['fp_id'])).toEqual(own.onboarding === undefined ? [] : [user]);
  const playbooks = await kyclone.client.call('GET /_kyclone/playbooks', { query });
  const light = playbooks.data.filter(({ name }) => name === 'Light');
  expect(light.map(({ key }) => key)).toEqual([own.playbook]);
  const entities = await kyclone.client.call('GET /_kyclone/entities', { query });
  expect(entities.data.map(({ id }) => id).sort()).toEqual([...own.users].sort());
}

async function reads(own: Holding): Promise<void> {
  const decrypted = await own.tenant.client.call('POST /users/{fp_id}/vault/decrypt', {
    params: { fp_id: own.users[0] },
    body: { fields: ['id.email'], reason: 'a test' },
  });
  expect(decrypted).toEqual({ 'id.email': own.email });
}

async function seesNothingOf(other: Holding, { tenant: { client }, users: [mine] }: Holding): Promise<void> {
  const [fp_id] = other.users;
  const params = { fp_id };
  const decryption = { fields: ['id.email'], reason: 'a test' };
  const refused: Promise<unknown>[] = [
    client.call('GET /users/{fp_id}', { params }),
    client.call('GET /users/{fp_id}/vault', { params }),
    client.call('PATCH /users/{fp_id}/vault', { params, body: { 'id.email': 'spy@example.com' } }),
    client.call('POST /users/{fp_id}/vault/decrypt', { params, body: decryption }),
    client.call('POST /users/{fp_id}/client_token', {
      params,
      body: { scope: 'vault', fields: ['id.email'] },
    }),
    client.call('GET /users/{fp_id}/onboardings', { params }),
    client.call('DELETE /users/{fp_id}', { params }),
    ...(other.onboarding === undefined
      ? []
      : [client.call('GET /onboardings/{id}', { params: { id: other.onboarding } })]),
    ...(other.link === undefined ? [] : linkCalls(client, other.link)),
  ];
  for (const answer of await Promise.allSettled(refused)) {
    expect(answer).toMatchObject({ status: 'rejected', reason: { status: 404, code: 'not_found' } });
  }
  const run = client.call('POST /users/{fp_id}/kyc', {
    params: { fp_id: mine },
    body: { key: other.playbook },
  });
  await expect(run).rejects.toMatchObject({ code: 'playbook_unknown' });
  const { data } = await client.call('POST /users/search', { body: { search: other.email } });
  expect(data).toEqual([]);
}

function linkCalls(client: Client, link_id: string): Promise<unknown>[] {
  const params = { link_id };
  return [
    client.call('GET /bank_links/{link_id}', { params }),
    client.call('GET /bank_links/{link_id}/accounts', { params }),
    client.call('DELETE /bank_links/{link_id}', { params }),
  ];
}
