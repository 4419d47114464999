/**
 * Requests that list, search, count or show something, measured on a store of few users and on one of many: every
 * reading endpoint of the contract. The table names those with queries or bodies, and those that are left out.
 */
import { endpoints, splitKey, type EndpointKey } from '../../src/contract/registry.ts';
import { aReadyBusiness, aReadyUser, KYB, KYC } from '../support/builders.ts';
import { aLink } from './banks.ts';
import { median } from './crowds.ts';
import { caller, took, type Caller } from './calls.ts';
import type { Server } from './processes.ts';

type Key = Extract<EndpointKey, `GET ${string}` | `${string}/search`>;

/** The ids of the things that the requests show. Each store has one of each. */
type Stage = Readonly<Record<string, string>>;

/** One way to call an endpoint: a query or a body. It has a name where there are several. */
interface Asked {
  readonly name?: string;
  readonly query?: string | ((stage: Stage) => string);
  readonly body?: (stage: Stage) => unknown;
}

/** The reason for not measuring an endpoint. */
type Left = string;

const ONE_FILE: Left = 'its answer is a page or a file of its own';
const SECRET: Left = 'it takes a secret of its own and shows one entity';
const JOURNAL: Left = 'it shows one of the last 2,000 calls, which are in memory';
const ALL_OF_IT: Left = 'it reads all there is, by its purpose';

/** What is not simply asked as it is. */
const READS: Readonly<Partial<Record<Key, readonly Asked[] | Left>>> = {
  'GET /users': [{}, { name: 'by external id', query: 'external_id=the-user' }],
  'POST /users/search': [
    { name: 'for one', body: ({ email }) => ({ search: email }) },
    { name: 'for none', body: () => ({ search: 'nobody@example.com' }) },
  ],
  'GET /users/client_token': SECRET,
  'GET /users/vault/decrypt/{token}': SECRET,
  'GET /hosted/onboarding': ONE_FILE,
  'GET /hosted/bank_link': ONE_FILE,
  'GET /hosted/vault': ONE_FILE,
  'GET /hosted/flow.js': ONE_FILE,
  'GET /hosted/browser.js': ONE_FILE,
  'GET /hosted/session': SECRET,
  'GET /hosted/session/bank': SECRET,
  'GET /_kyclone/store/check': ALL_OF_IT,
  'GET /_kyclone/openapi.json': ONE_FILE,
  'GET /_kyclone/docs': ONE_FILE,
  'GET /_kyclone/form': ONE_FILE,
  'GET /_kyclone/form.js': ONE_FILE,
  'GET /_kyclone/console': ONE_FILE,
  'GET /_kyclone/console/app.js': ONE_FILE,
  'GET /_kyclone/console/app.css': ONE_FILE,
  'GET /_kyclone/access-log': [{}, { name: 'of one user', query: ({ fp_id }) => `fp_id=${fp_id}` }],
  'GET /_kyclone/access-log/verify': ALL_OF_IT,
  'GET /_kyclone/requests/{id}': JOURNAL,
  'GET /_kyclone/requests/{id}/proxy': JOURNAL,
  'GET /_kyclone/entities': [
    {},
    { name: 'of a kind', query: 'kind=user' },
    { name: 'of a status', query: 'status=pass' },
    { name: 'by id', query: ({ fp_id }) => `q=${fp_id}` },
    { name: 'by the start of an external id', query: 'q=the-' },
    { name: 'by a value', query: ({ email }) => `q=${encodeURIComponent(email ?? '')}` },
    { name: 'that are not there', query: 'q=nobody' },
  ],
  'POST /_kyclone/search': [
    { name: 'by a name', body: () => ({ search: 'jane' }) },
    { name: 'by an e-mail address', body: ({ email }) => ({ search: email }) },
    { name: 'by a date of birth', body: () => ({ search: '1/2/1990' }) },
    { name: 'by the end of a phone number', body: () => ({ search: '555 0199' }) },
    { name: 'by a part of an external id', body: () => ({ search: 'external:he-us' }) },
    { name: 'by a status', body: () => ({ search: 'status:pass' }) },
    { name: 'for none', body: () => ({ search: 'nobody at all' }) },
  ],
  'GET /_kyclone/stream': 'it never ends',
  'GET /_kyclone/snapshots/{name}/diff': ALL_OF_IT,
  'GET /_kyclone/snapshots/{name}/content': ALL_OF_IT,
};

const WARMING = 3;

/**
 * Measures each way to call each endpoint. The stores take turns request by request. `p50` is the median milliseconds of
 * each store, in the order of the stores.
 */
export async function* timeReads(
  stores: readonly { readonly server: Server; readonly home: string }[],
  requests: number,
) {
  const open: { stage: Stage; ask: Caller }[] = [];
  for (const { server, home } of stores) {
    const ask = caller(server, home);
    open.push({ stage: await setStage(ask), ask });
  }
  for (const { key } of endpoints) {
    if (!isRead(key)) continue;
    const ways = READS[key] ?? [{}];
    if (typeof ways === 'string') continue;
    for (const way of ways) {
      const times = open.map((): number[] => []);
      for (let request = -WARMING; request < requests; request++) {
        for (const [index, { stage, ask }] of open.entries()) {
          const { method, path } = requestOf(key, way, stage);
          const time = await took(() => ask(method, path, way.body?.(stage)));
          if (request >= 0) times[index]?.push(time);
        }
      }
      yield { name: way.name === undefined ? key : `${key} ${way.name}`, p50: times.map(median) };
    }
  }
  for (const { ask } of open) ask.end();
}

function isRead(key: EndpointKey): key is Key {
  return key.startsWith('GET ') || key.endsWith('/search');
}

function requestOf(key: Key, { query }: Asked, stage: Stage): { method: string; path: string } {
  const { method, path } = splitKey(key);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = stage[`${name} of ${path}`] ?? stage[name];
    if (value === undefined) throw new Error(`${key}: the stage has no ${name}`);
    return value;
  });
  const asked = typeof query === 'function' ? query(stage) : query;
  return { method, path: asked === undefined ? filled : `${filled}?${asked}` };
}

const EMAIL = 'the.user@example.com';

async function setStage(ask: Caller): Promise<Stage> {
  const idOf = (answer: unknown) => String((answer as { id: unknown }).id);
  const fp_id = idOf(await ask('POST', '/users', aReadyUser({ 'id.email': EMAIL })));
  await ask('PATCH', `/users/${fp_id}`, { external_id: 'the-user' });
  const fp_bid = idOf(await ask('POST', '/businesses', aReadyBusiness()));
  const runOf = async (path: string, key: string) =>
    ((await ask('POST', path, { key })) as { onboarding_id: string }).onboarding_id;
  const onboarding = await runOf(`/users/${fp_id}/kyc`, KYC);
  const ofBusiness = await runOf(`/businesses/${fp_bid}/kyb`, KYB);
  await ask('POST', `/users/${fp_id}/vault/decrypt`, { fields: ['id.city'], reason: 'benchmark' });
  await ask('POST', '/onboarding/session', { key: KYC });
  const [session] = ((await ask('GET', '/_kyclone/sessions')) as { data: unknown[] }).data;
  await ask('PUT', '/_kyclone/snapshots/small?overwrite=true');
  const made = async (path: string, body: unknown) => idOf(await ask('POST', path, body));
  return {
    fp_id,
    fp_bid,
    email: EMAIL,
    'onboarding_id of /users/{fp_id}/onboardings/{onboarding_id}/risk_signals': onboarding,
    'onboarding_id of /businesses/{fp_bid}/onboardings/{onboarding_id}/risk_signals': ofBusiness,
    key: KYC,
    name: 'small',
    link_id: (await aLink(ask, 'large')).id,
    'id of /onboardings/{id}': onboarding,
    'id of /_kyclone/sessions/{id}': idOf(session),
    'id of /_kyclone/outcomes/{id}': await made('/_kyclone/outcomes', {
      match: { external_id: 'nobody' },
      outcome: 'fail',
    }),
    'id of /_kyclone/proxies/{id}': await made('/_kyclone/proxies', {
      url: 'https://api.example.com/checks',
    }),
    'id of /_kyclone/faults/{id}': await made('/_kyclone/faults', {
      match: { path: '/nowhere' },
      status: 503,
    }),
    'id of /_kyclone/webhooks/{id}': await made('/_kyclone/webhooks', { url: 'http://127.0.0.1:9/hooks' }),
  };
}
