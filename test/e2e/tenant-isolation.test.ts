/** A thousand tenants at once see nothing of each other, over real HTTP with keys of their own. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { startKyclone, type Kyclone, type Tenant } from '../../src/testing/index.ts';

const TENANTS = 1_000;
/**
 * Fewer than the connections that a daemon serves at a time. On a busy machine a connection that waits may be dropped.
 */
const AT_A_TIME = 200;

/** What one tenant does. `spiesOn` says how many places after its own the tenant stands that it tries to spy on. */
interface Plan {
  readonly users: number;
  readonly hasBankLink: boolean;
  readonly runsUser: boolean;
  readonly spiesOn: number;
  /**
   * The names of the reads it makes and of the attacks it tries. Hundreds of tenants draw each name, and a few tenants
   * draw all.
   */
  readonly views: readonly (keyof typeof VIEWS)[];
  readonly attacks: readonly (keyof typeof ATTACKS)[];
}
const rare = fc.integer({ min: 0, max: 19 }).map((drawn) => drawn === 0);

/** What the test created for a tenant. */
interface Holding {
  readonly tenant: Tenant;
  readonly plan: Plan;
  readonly email: string;
  readonly users: readonly [string, ...string[]];
  readonly playbook: string | undefined;
  readonly onboarding: string | undefined;
  readonly link: string | undefined;
}

const VIEWS = {
  async externalId({ client }, { users: [user] }) {
    const found = await client.call('GET /users', { query: { external_id: 'customer-1' } });
    expect(found.data.map(({ id }) => id)).toEqual([user]);
  },
  async links({ client }, { link }) {
    const text = JSON.stringify(await client.call('GET /bank_links'));
    expect(text.match(/link_\w{22}/g) ?? []).toEqual(link === undefined ? [] : [link]);
  },
  async events({ name: tenant }, { onboarding, users: [user] }, kyclone) {
    const { data } = await kyclone.client.call('GET /_kyclone/events', { query: { tenant } });
    const completed = data.filter(({ kind }) => kind === 'onboarding.completed');
    expect(completed.map(({ body }) => body['fp_id'])).toEqual(onboarding === undefined ? [] : [user]);
  },
  async playbooks({ name: tenant }, { playbook }, kyclone) {
    const { data } = await kyclone.client.call('GET /_kyclone/playbooks', { query: { tenant } });
    const light = data.filter(({ name }) => name === 'Light').map(({ key }) => key);
    expect(light).toEqual(playbook === undefined ? [] : [playbook]);
  },
  async entities({ name: tenant }, { users }, kyclone) {
    const { data } = await kyclone.client.call('GET /_kyclone/entities', { query: { tenant } });
    expect(data.map(({ id }) => id).sort()).toEqual([...users].sort());
  },
} satisfies Record<string, (tenant: Tenant, own: Holding, kyclone: Kyclone) => Promise<void>>;

/** Calls with the key of one tenant for things of another. */
const ATTACKS = {
  read: (client, { params }) => notFound(client.call('GET /users/{fp_id}', { params })),
  look: (client, { params }) => notFound(client.call('GET /users/{fp_id}/vault', { params })),
  write: (client, { params }) =>
    notFound(client.call('PATCH /users/{fp_id}/vault', { params, body: { 'id.email': 'spy@example.com' } })),
  decrypt: (client, { params }) =>
    notFound(client.call('POST /users/{fp_id}/vault/decrypt', { params, body: DECRYPTION })),
  token: (client, { params }) =>
    notFound(
      client.call('POST /users/{fp_id}/client_token', {
        params,
        body: { scope: 'vault', fields: ['id.email'] },
      }),
    ),
  onboardings: (client, { params }) => notFound(client.call('GET /users/{fp_id}/onboardings', { params })),
  remove: (client, { params }) => notFound(client.call('DELETE /users/{fp_id}', { params })),
  async onboarding(client, { other: { onboarding: id } }) {
    if (id !== undefined) await notFound(client.call('GET /onboardings/{id}', { params: { id } }));
  },
  async search(client, { other }) {
    const { data } = await client.call('POST /users/search', { body: { search: other.email } });
    expect(data).toEqual([]);
  },
  async run(client, { other, mine: fp_id }) {
    if (other.playbook === undefined) return;
    const body = { key: other.playbook };
    const run = client.call('POST /users/{fp_id}/kyc', { params: { fp_id }, body });
    await expect(run).rejects.toMatchObject({ code: 'playbook_unknown' });
  },
} satisfies Record<string, (client: Client, at: Target) => Promise<void>>;

interface Target {
  readonly other: Holding;
  /** The id of the first user of `other`. */
  readonly params: { readonly fp_id: string };
  readonly mine: string;
}

const DECRYPTION = { fields: ['id.email'], reason: 'a test' };

async function notFound(call: Promise<unknown>): Promise<void> {
  await expect(call).rejects.toMatchObject({ status: 404, code: 'not_found' });
}

const some = <Name extends string>(of: Record<Name, unknown>, count: number) =>
  fc.shuffledSubarray(Object.keys(of) as Name[], { minLength: count, maxLength: count });

const aPlan: fc.Arbitrary<Plan> = fc.record({
  users: fc.integer({ min: 1, max: 2 }),
  hasBankLink: rare,
  runsUser: fc.boolean(),
  spiesOn: fc.integer({ min: 1, max: TENANTS - 1 }),
  views: some(VIEWS, 2),
  attacks: some(ATTACKS, 3),
});

test('tenants: a thousand at once see their own and nothing of each other', async () => {
  const plans = fc.array(aPlan, { minLength: TENANTS, maxLength: TENANTS });
  await fc.assert(fc.asyncProperty(plans, holds), { numRuns: 1, endOnFailure: true });
});

async function holds(plans: readonly Plan[]): Promise<void> {
  await using kyclone = await startKyclone();
  const holdings = await together(plans, (plan, index) => settle(kyclone, plan, index));
  const everyUser = holdings.flatMap(({ users }) => users);
  expect(new Set(everyUser).size).toBe(everyUser.length);
  await together(holdings, async (own, index) => {
    await seesItsOwn(kyclone, own);
    await seesNothingOf(holdings[(index + own.plan.spiesOn) % TENANTS] as Holding, own);
  });
  // No tenant changed what it could not see.
  await together(holdings, reads);
  const { data } = await kyclone.client.call('GET /users');
  expect(data).toEqual([]);
}

/** Returns the results in the order of the items; rejects with the first failure. */
async function together<Item, Result>(
  items: readonly Item[],
  act: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  const work = async () => {
    for (const [index, item] of waiting) results[index] = await act(item, index);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return results;
}

/** Creates a tenant and its data. All tenants use the same external id and the same idempotency id. */
async function settle(kyclone: Kyclone, plan: Plan, index: number): Promise<Holding> {
  const tenant = await kyclone.tenant();
  const { client } = tenant;
  const email = `tenant${index}@example.com`;
  const create = async (headers: Record<string, string>) =>
    (await client.call('POST /users', { headers })).id;
  const first = await create({ 'x-external-id': 'customer-1' });
  await client.call('PATCH /users/{fp_id}/vault', { params: { fp_id: first }, body: { 'id.email': email } });
  const more = plan.users === 1 ? [] : [await create({ 'x-idempotency-id': 'sign-up' })];
  const run = plan.runsUser ? await runUser(kyclone, tenant, first) : undefined;
  return {
    ...{ tenant, plan, email },
    users: [first, ...more],
    playbook: run?.playbook,
    onboarding: run?.onboarding,
    link: plan.hasBankLink ? await linkOf(kyclone, client, first) : undefined,
  };
}

async function runUser(kyclone: Kyclone, { name: tenant, client }: Tenant, fp_id: string) {
  const { key } = await kyclone.client.call('POST /_kyclone/playbooks', {
    query: { tenant },
    body: { name: 'Light', kind: 'kyc', requirements: [['id.email']] },
  });
  const run = await client.call('POST /users/{fp_id}/kyc', { params: { fp_id }, body: { key } });
  return { playbook: key, onboarding: run.onboarding_id };
}

async function linkOf(kyclone: Kyclone, client: Client, fp_id: string): Promise<string> {
  const { intent_token } = await kyclone.client.call('POST /_kyclone/bank_link_intents', {
    body: { fp_id, persona: 'empty' },
  });
  return (await client.call('POST /bank_links', { body: { intent_token, external_id: 'link-1' } })).id;
}

async function seesItsOwn(kyclone: Kyclone, own: Holding): Promise<void> {
  const { data, meta } = await own.tenant.client.call('GET /users');
  expect(data.map(({ id }) => id).sort()).toEqual([...own.users].sort());
  expect(meta.count).toBe(own.users.length);
  for (const name of own.plan.views) await VIEWS[name](own.tenant, own, kyclone);
}

async function reads({ tenant: { client }, users: [fp_id], email }: Holding): Promise<void> {
  const decrypted = await client.call('POST /users/{fp_id}/vault/decrypt', {
    params: { fp_id },
    body: DECRYPTION,
  });
  expect(decrypted).toEqual({ 'id.email': email });
}

async function seesNothingOf(other: Holding, { tenant: { client }, users, plan }: Holding): Promise<void> {
  const target: Target = { other, params: { fp_id: other.users[0] }, mine: users[0] };
  for (const name of plan.attacks) await ATTACKS[name](client, target);
  // Few tenants have a link, so a spy tries every call on it.
  if (other.link !== undefined) await Promise.all(linkCalls(client, other.link).map(notFound));
}

function linkCalls(client: Client, link_id: string): Promise<unknown>[] {
  const params = { link_id };
  return [
    client.call('GET /bank_links/{link_id}', { params }),
    client.call('GET /bank_links/{link_id}/accounts', { params }),
    client.call('DELETE /bank_links/{link_id}', { params }),
  ];
}
