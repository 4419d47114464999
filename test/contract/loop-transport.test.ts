/**
 * Rules for every endpoint of the registry that apply before its body is read (contract §0.1, §0.2, §0.3, §0.6). Each
 * endpoint is asked once for each rule. `npm run torture` sends every credential in every place to all of them.
 */
import { expect, test } from 'vitest';
import '../support/tier-all.ts';
import { PERMISSIONS, SCOPES } from '../../src/contract/facts/permissions.ts';
import type { Method } from '../../src/nouns/requests/facts.ts';
import { permissionOfRoute } from '../../src/contract/facts/route-permissions.ts';
import { endpoints, splitKey } from '../../src/contract/registry.ts';
import { samples } from '../support/samples.ts';
import {
  asRefusal,
  CONTROL_TOKEN,
  HOST,
  LIVE_KEY,
  PORT,
  SANDBOX_KEY,
  type LooseParts,
  type RawRequest,
  type TestService,
} from '../support/service.ts';
import { shareStage } from '../support/shared-stage.ts';

const methods: readonly Method[] = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'];
const keyed = endpoints.filter(({ auth }) => auth.kind === 'key');
const controlled = endpoints.filter(({ auth }) => auth.kind === 'control');
const scoped = keyed.flatMap(({ key, auth }) =>
  auth.kind === 'key' && auth.scope ? [[key, auth.scope] as const] : [],
);
const permitted = keyed.flatMap(({ key, auth }) =>
  auth.kind === 'key' && auth.permission ? [[key, auth.permission] as const] : [],
);
const entityEndpoints = endpoints.filter(({ key }) => /\{fp_b?id\}/.test(key));
const keysOf = (list: readonly (typeof endpoints)[number][]) =>
  list.map((endpoint) => [endpoint.key, endpoint] as const);

const shared = shareStage();

const basic = (user: string, password = '') => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const inHeader = (key: string) => ({ 'x-service-secret-key': key });
/** The token endpoints, which loopback pages may call (contract §0.1). */
const isOpenToPages = (key: string) =>
  / \/(?:users\/vault(?:\/|$)|users\/client_token$|hosted\/browser[./])/.test(key);
const unknownKey = `sk_test_${'z'.repeat(32)}`;

/** Sends a request with each of these credentials, and expects the same 401. */
async function expectRefused(
  service: TestService,
  sample: RawRequest,
  wrong: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Promise<void> {
  for (const [name, headers] of Object.entries(wrong)) {
    const answer = await service.send({ ...sample, as: null, headers: { ...sample.headers, ...headers } });
    expect(asRefusal(answer, name), name).toMatchObject({ status: 401, code: 'unauthenticated' });
  }
}

test.each(keysOf(keyed))('%s: no key, an unknown one and other credentials are 401', async (key) => {
  const { service, token } = await shared.stage();
  await expectRefused(service, await shared.sampleOf(key), {
    missing: {},
    unknown: inHeader(unknownKey),
    'control token': bearer(CONTROL_TOKEN),
    'client token': { 'x-fp-authorization': token },
  });
});

test('POST /users: only a known key is let in, every other credential is the same 401', async () => {
  const stage = await shared.freshStage('POST /users');
  const { service } = stage;
  const disabled = await service.call('POST /_kyclone/api-keys', { body: {} });
  await service.call('PATCH /_kyclone/api-keys/{id}', {
    params: { id: disabled.body.id },
    body: { enabled: false },
  });
  const sample = { method: 'POST', path: '/users', body: {} };

  await expectRefused(service, sample, {
    malformed: inHeader('nonsense'),
    empty: inHeader(''),
    disabled: inHeader(disabled.body.key),
    'unknown as Basic': basic(unknownKey),
    'empty Basic': basic(''),
    'malformed Basic': { authorization: 'Basic %%%' },
    'key as Bearer': bearer(SANDBOX_KEY),
    'key as the password': basic('', SANDBOX_KEY),
    'control token as a key': inHeader(CONTROL_TOKEN),
    'client token as a key': inHeader(stage.token),
    'client token as Basic': basic(stage.token),
    'client token as Bearer': bearer(stage.token),
    'two keys': { ...inHeader(SANDBOX_KEY), ...basic(LIVE_KEY) },
    'a key and a Bearer token': { ...inHeader(SANDBOX_KEY), ...bearer(CONTROL_TOKEN) },
  });
  const granted = await service.send({ ...sample, as: null, headers: basic(SANDBOX_KEY, 'ignored') });
  expect(granted.status).toBe(200);
});

test.each(scoped)('%s: a key without the scope %s is 403 naming it', async (key, scope) => {
  const [service, sample] = [await shared.service(), await shared.sampleOf(key)];
  const as = await service.key({ scopes: SCOPES.filter((each) => each !== scope) });

  const answer = asRefusal(await service.send({ ...sample, as }), key);

  expect(answer).toMatchObject({ status: 403, code: 'scope_missing' });
  expect(answer.message).toContain(scope);
});

test.each(permitted)('%s: a key without the permission %s is 403 naming it', async (key, permission) => {
  const [service, sample] = [await shared.service(), await shared.sampleOf(key)];
  const others = PERMISSIONS.filter((each) => each !== permission);
  const decrypts = permission === 'decrypt:*' ? 'decrypt:id.*' : 'decrypt:*';
  const as = await service.key({ permissions: [...others, decrypts] });

  const answer = asRefusal(await service.send({ ...sample, as }), key);

  expect(answer).toMatchObject({ status: 403, code: 'permission_denied' });
  expect(answer.message).toContain(permission);
});

test.each(keysOf(controlled))(
  '%s: no control token, an unknown one and other credentials are 401',
  async (key) => {
    const { service, token } = await shared.stage();
    await expectRefused(service, await shared.sampleOf(key), {
      missing: {},
      unknown: bearer('u'.repeat(43)),
      'a key': inHeader(SANDBOX_KEY),
      'a client token': { 'x-fp-authorization': token },
    });
  },
);

test('PATCH /_kyclone/settings: only the control token is let in', async () => {
  const { service, token } = await shared.stage();
  await expectRefused(service, await shared.sampleOf('PATCH /_kyclone/settings'), {
    malformed: bearer('short'),
    'without its scheme': { authorization: CONTROL_TOKEN },
    'as Basic': basic(CONTROL_TOKEN),
    'as a key': inHeader(CONTROL_TOKEN),
    'a key as Basic': basic(SANDBOX_KEY),
    'a key as Bearer': bearer(SANDBOX_KEY),
    'a client token as Bearer': bearer(token),
  });
});

test.each(keysOf(endpoints.filter(({ auth }) => auth.kind === 'open')))(
  '%s: asks for no credential',
  async (key) => {
    const service = await shared.service();

    expect((await service.send({ ...(await shared.sampleOf(key)), as: null })).status).toBe(200);
  },
);

test.each(keysOf(endpoints))('%s: a foreign Host is 421, a foreign page 403', async (key) => {
  const [service, sample] = [await shared.service(), await shared.sampleOf(key)];
  const sent = async (headers: Record<string, string>) =>
    asRefusal(await service.send({ ...sample, headers: { ...sample.headers, ...headers } }), key);

  expect(await sent({ host: `evil.example:${PORT}` })).toMatchObject({
    status: 421,
    code: 'misdirected_request',
  });
  for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
    expect(await sent(headers)).toMatchObject({ status: 403, code: 'origin_refused' });
});

/** Returns a key with no more rights than the endpoint names. */
function leastKey(
  service: TestService,
  { key, auth }: (typeof endpoints)[number],
): Promise<string> | undefined {
  if (auth.kind !== 'key') return undefined;
  return service.key({
    scopes: auth.scope ? [auth.scope] : [],
    permissions: [
      ...(auth.permission ? [auth.permission] : []),
      ...(permissionOfRoute(key)?.toReplace ? (['vault.write'] as const) : []),
      ...(/decrypt|integrity|vault_proxy|integrations|verify|compare/.test(key) ? ['decrypt:*'] : []),
      // The key also needs the permissions that the token carries.
      ...(key.endsWith('/client_token') ? (['vault.write', 'decrypt:*'] as const) : []),
    ],
  });
}

test.each(keysOf(endpoints))(
  '%s: takes the least key, a page of its own, a slash at the end and an unknown parameter',
  async (key, endpoint) => {
    const { service, sample } = await shared.freshSample(key);
    const as = await leastKey(service, endpoint);
    const [path, query] = sample.path.split('?');

    const answer = await service.send({
      ...sample,
      ...(as !== undefined && { as }),
      path: `${path}/?${query === undefined ? '' : `${query}&`}unheard_of=1&unheard_of=2&__proto__=x&=`,
      headers: { ...sample.headers, origin: `http://${HOST}` },
    });

    expect(answer.status, answer.text).toBe(200);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual(
      isOpenToPages(key) ? ['access-control-allow-origin', 'access-control-expose-headers'] : [],
    );
  },
);

/** The first endpoint of each path. */
const paths = endpoints.filter(
  ({ key }, index) => endpoints.findIndex((each) => splitKey(each.key).path === splitKey(key).path) === index,
);

test.each(keysOf(paths))('%s: a wrong method is 405 with those of the path', async (key) => {
  const service = await shared.service();
  const { path } = splitKey(key);
  // Where an id may replace the last word of the path, the answer names the methods of both paths.
  const alike = [path, path.replace(/\/[^/{]+$/, '/{id}')];
  const there = methods.filter((method) =>
    endpoints.some((each) => alike.some((one) => each.key === `${method} ${one}`)),
  );
  const sample = await shared.sampleOf(key);

  for (const method of [...methods, 'OPTIONS'].filter((each) => !there.includes(each as Method))) {
    const answer = asRefusal(await service.send({ ...sample, method, as: null }), method);
    expect(answer, method).toMatchObject({ status: 405, code: 'method_not_allowed' });
    expect(answer.headers['allow']?.split(', ').sort()).toEqual(
      [...there, ...(there.includes('GET') ? ['HEAD'] : [])].sort(),
    );
  }
});

test.each(keysOf(endpoints.filter(({ key }) => key.startsWith('GET '))))(
  '%s: HEAD answers alike without a body',
  async (key) => {
    const [service, sample] = [await shared.service(), await shared.sampleOf(key)];
    const [get, head] = [await service.send(sample), await service.send({ ...sample, method: 'HEAD' })];

    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers['content-type']).toBe(get.headers['content-type']);
    expect(head.headers['cache-control']).toBe('no-store');
    expect(head.headers['x-request-id']).toMatch(/^req_/);
  },
);

test('HEAD /users: a refusal has no body, either', async () => {
  const service = await shared.service();
  const headers = { host: 'evil.example' };

  expect(await service.send({ method: 'HEAD', path: '/users', headers })).toMatchObject({
    status: 421,
    text: '',
  });
});

/** Returns what sends a request from another environment and from another tenant. */
async function elsewhere(
  service: TestService,
  { auth, query }: (typeof endpoints)[number],
): Promise<readonly LooseParts[]> {
  const otherTenant = await service.key({ tenant: 'elsewhere' });
  if (auth.kind === 'key') return [{ as: LIVE_KEY }, { as: otherTenant }];
  const isOfOne = 'tenant' in ((query?.['properties'] ?? {}) as object);
  return isOfOne ? [{ query: { environment: 'live' } }, { query: { tenant: 'elsewhere' } }] : [];
}

test.each(keysOf(entityEndpoints))(
  '%s: an entity that is not there for the caller is 404',
  async (key, endpoint) => {
    const [service, stage] = [await shared.service(), await shared.stage()];
    const sample: LooseParts = await samples[key](stage);
    const isOfUser = !key.includes('{fp_bid}');
    const ids = [`${isOfUser ? 'fp_id_' : 'fp_bid_'}${'0'.repeat(22)}`];
    if (endpoint.auth.kind === 'key') ids.push(isOfUser ? stage.business : stage.user);
    // One endpoint of each kind gets ids of other forms, too.
    if (/^GET \/\w+\/\{\w+\}$/.test(key)) ids.push('fp_', 'nobody', 'fp_id_%2e%2e', `fp_${'x'.repeat(600)}`);

    for (const id of ids) {
      const params = { ...sample.params, [isOfUser ? 'fp_id' : 'fp_bid']: id };
      const answer = await service.refused(key, { ...sample, params });
      expect(answer, id).toMatchObject({ status: 404, code: 'not_found' });
    }
    for (const parts of await elsewhere(service, endpoint)) {
      const answer = await service.refused(key, { ...sample, ...parts });
      expect(answer).toMatchObject({ status: 404, code: 'not_found' });
    }
  },
);

test.each(keysOf(endpoints.filter(({ key }) => /\{(id|link_id)\}/.test(key))))(
  '%s: a record that is not there for the caller is 404, and links stay as they are',
  async (key, endpoint) => {
    const service = await shared.service();
    const sample: LooseParts = await samples[key](await shared.stage());
    const foreign = await elsewhere(service, endpoint);
    const links = async () => (await service.call('GET /_kyclone/bank_links')).body;
    const before = await links();

    for (const id of ['nobody', 'link_0000000000000000000000', '%']) {
      const params = { [key.includes('{id}') ? 'id' : 'link_id']: id };
      const answer = await service.refused(key, { ...sample, params });
      expect(answer, id).toMatchObject({ status: 404, code: 'not_found' });
      if (endpoint.auth.kind === 'key') expect(answer.message).not.toContain(id);
    }
    for (const parts of foreign) {
      const answer = await service.refused(key, { ...sample, ...parts });
      expect(answer).toMatchObject({ status: 404, code: 'not_found' });
    }

    expect(await links()).toEqual(before);
  },
);
