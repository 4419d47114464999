/** Rules for every endpoint of the registry that apply before its body is read (contract §0.1, §0.2, §0.3, §0.6). */
import { expect, test } from 'vitest';
import { PERMISSIONS, SCOPES } from '../../src/contract/facts/permissions.ts';
import type { Method } from '../../src/contract/facts/requests.ts';
import { endpoints, splitKey } from '../../src/contract/registry.ts';
import { samples, setStage, type Stage } from '../support/samples.ts';
import {
  asRaw,
  asRefusal,
  CONTROL_TOKEN,
  HOST,
  LIVE_KEY,
  PORT,
  SANDBOX_KEY,
  startService,
  type RawRequest,
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
const entityEndpoints = keyed.filter(({ key }) => /\{fp_b?id\}/.test(key));
const keysOf = (list: readonly (typeof endpoints)[number][]) =>
  list.map((endpoint) => [endpoint.key, endpoint] as const);

/** The shared service is for requests that are refused, and for requests that read. */
const shared = shareStage();

async function sampleOf(stage: Stage, key: (typeof endpoints)[number]['key']): Promise<RawRequest> {
  return asRaw(key, await samples[key](stage));
}

const basic = (user: string, password = '') => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const inHeader = (key: string) => ({ 'x-service-secret-key': key });
/** The token endpoints, which loopback pages may call (contract §0.1). */
const isOpenToPages = (key: string) => / \/users\/vault(?:\/|$)/.test(key);
const unknownKey = `sk_test_${'z'.repeat(32)}`;

test.each(keysOf(keyed))(
  '%s: only a known key is let in, every other credential is the same 401',
  async (key) => {
    await using service = await startService();
    const stage = await setStage(service);
    const sample = await sampleOf(stage, key);
    const disabled = await service.call('POST /_kyclone/api-keys', { body: {} });
    await service.call('PATCH /_kyclone/api-keys/{id}', {
      params: { id: disabled.body.id },
      body: { enabled: false },
    });
    const wrong: Record<string, Record<string, string>> = {
      missing: {},
      malformed: inHeader('nonsense'),
      empty: inHeader(''),
      unknown: inHeader(unknownKey),
      disabled: inHeader(disabled.body.key),
      'unknown as Basic': basic(unknownKey),
      'empty Basic': basic(''),
      'malformed Basic': { authorization: 'Basic %%%' },
      'key as Bearer': bearer(SANDBOX_KEY),
      'key as the password': basic('', SANDBOX_KEY),
      'control token': bearer(CONTROL_TOKEN),
      'control token as a key': inHeader(CONTROL_TOKEN),
      'client token': { 'x-fp-authorization': stage.token },
      'client token as a key': inHeader(stage.token),
      'client token as Basic': basic(stage.token),
      'client token as Bearer': bearer(stage.token),
      'two keys': { ...inHeader(SANDBOX_KEY), ...basic(LIVE_KEY) },
      'a key and a Bearer token': { ...inHeader(SANDBOX_KEY), ...bearer(CONTROL_TOKEN) },
    };

    const withHeaders = (headers: Record<string, string>) =>
      service.send({ ...sample, as: null, headers: { ...sample.headers, ...headers } });
    for (const [name, headers] of Object.entries(wrong)) {
      const answer = asRefusal(await withHeaders(headers), name);
      expect(answer, name).toMatchObject({ status: 401, code: 'unauthenticated' });
    }
    const granted = await withHeaders(basic(SANDBOX_KEY, 'ignored'));
    expect(granted.status).toBe(200);
  },
);

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

test.each(keysOf(keyed))('%s: a key needs no more than what the endpoint names', async (key, { auth }) => {
  await using service = await startService();
  const sample = await sampleOf(await setStage(service), key);
  const { scope, permission } = auth as Extract<typeof auth, { kind: 'key' }>;
  const as = await service.key({
    scopes: scope ? [scope] : [],
    permissions: [
      ...(permission ? [permission] : []),
      ...(/decrypt|integrity|vault_proxy|integrations|verify|compare/.test(key) ? ['decrypt:*'] : []),
      // The key also needs the permissions that the token carries.
      ...(key.endsWith('/client_token') ? (['vault.write', 'decrypt:*'] as const) : []),
    ],
  });

  expect((await service.send({ ...sample, as })).status).toBe(200);
});

test.each(keysOf(controlled))('%s: only the control token is let in', async (key) => {
  await using service = await startService();
  const stage = await setStage(service);
  const sample = await sampleOf(stage, key);
  const wrong: Record<string, Record<string, string>> = {
    missing: {},
    malformed: bearer('short'),
    unknown: bearer('u'.repeat(43)),
    'without its scheme': { authorization: CONTROL_TOKEN },
    'as Basic': basic(CONTROL_TOKEN),
    'as a key': inHeader(CONTROL_TOKEN),
    'a key': inHeader(SANDBOX_KEY),
    'a key as Basic': basic(SANDBOX_KEY),
    'a key as Bearer': bearer(SANDBOX_KEY),
    'a client token': { 'x-fp-authorization': stage.token },
    'a client token as Bearer': bearer(stage.token),
  };

  for (const [name, headers] of Object.entries(wrong)) {
    const answer = asRefusal(await service.send({ ...sample, as: null, headers }), name);
    expect(answer, name).toMatchObject({ status: 401, code: 'unauthenticated' });
  }
  expect((await service.send(sample)).status).toBe(200);
});

test.each(keysOf(endpoints.filter(({ auth }) => auth.kind === 'open')))(
  '%s: asks for no credential',
  async (key) => {
    const service = await shared.service();

    expect((await service.send({ ...(await shared.sampleOf(key)), as: null })).status).toBe(200);
  },
);

test.each(keysOf(endpoints))('%s: a foreign Host is 421, a foreign page 403', async (key) => {
  const service = await shared.service();
  const sample = await shared.sampleOf(key);
  const sent = async (headers: Record<string, string>) =>
    asRefusal(
      await service.send({ ...sample, headers: { ...sample.headers, ...headers } }),
      JSON.stringify(headers),
    );

  for (const host of ['evil.example', `evil.example:${PORT}`, '127.0.0.1', `127.0.0.1:${PORT + 1}`, '']) {
    expect(await sent({ host }), host).toMatchObject({ status: 421, code: 'misdirected_request' });
  }
  const others = isOpenToPages(key) ? [] : [`http://127.0.0.1:${PORT + 1}`, `https://${HOST}`];
  for (const origin of ['https://evil.example', 'null', '', ...others]) {
    expect(await sent({ origin }), origin).toMatchObject({ status: 403, code: 'origin_refused' });
  }
  expect(await sent({ 'sec-fetch-site': 'cross-site' })).toMatchObject({ code: 'origin_refused' });
});

test.each(keysOf(endpoints))(
  '%s: its own page may call, and gets CORS headers with a token only',
  async (key) => {
    await using service = await startService();
    const sample = await sampleOf(await setStage(service), key);
    const origin = `http://${HOST}`;

    const answer = await service.send({ ...sample, headers: { ...sample.headers, origin } });

    expect(answer.status).toBe(200);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual(
      isOpenToPages(key) ? ['access-control-allow-origin', 'access-control-expose-headers'] : [],
    );
  },
);

test.each(keysOf(endpoints))('%s: a wrong method is 405 with those of the path', async (key) => {
  const service = await shared.service();
  const { path } = splitKey(key);
  // Where an id may replace the last word of the path, the answer names the methods of both paths.
  const paths = [path, path.replace(/\/[^/{]+$/, '/{id}')];
  const there = methods.filter((method) =>
    endpoints.some((each) => paths.some((one) => each.key === `${method} ${one}`)),
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

test.each(keysOf(endpoints))('%s: a slash at the end changes nothing', async (key) => {
  await using service = await startService();
  const sample = await sampleOf(await setStage(service), key);

  expect((await service.send({ ...sample, path: sample.path.replace(/(?=\?|$)/, '/') })).status).toBe(200);
});

test.each(keysOf(endpoints.filter(({ key }) => key.startsWith('GET '))))(
  '%s: HEAD answers alike without a body',
  async (key) => {
    const [service, sample] = [await shared.service(), await shared.sampleOf(key)];
    const [get, head] = [await service.send(sample), await service.send({ ...sample, method: 'HEAD' })];
    const refused = await service.send({ ...sample, method: 'HEAD', headers: { host: 'evil.example' } });

    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers['content-type']).toBe(get.headers['content-type']);
    expect(head.headers['cache-control']).toBe('no-store');
    expect(head.headers['x-request-id']).toMatch(/^req_/);
    expect(refused).toMatchObject({ status: 421, text: '' });
  },
);

test.each(keysOf(entityEndpoints))('%s: an entity that is not there for the caller is 404', async (key) => {
  const [service, stage] = [await shared.service(), await shared.stage()];
  const sample = await samples[key](stage);
  const name = key.includes('{fp_bid}') ? 'fp_bid' : 'fp_id';
  const [otherKind, prefix] = name === 'fp_id' ? [stage.business, 'fp_id_'] : [stage.user, 'fp_bid_'];
  const otherTenant = await service.key({ tenant: 'elsewhere' });

  for (const id of [
    otherKind,
    `${prefix}${'0'.repeat(22)}`,
    'fp_',
    'nobody',
    'fp_id_%2e%2e',
    `fp_${'x'.repeat(600)}`,
  ]) {
    const answer = await service.refused(key, { ...sample, params: { ...sample.params, [name]: id } });
    expect(answer, id).toMatchObject({ status: 404, code: 'not_found' });
  }
  for (const as of [LIVE_KEY, otherTenant]) {
    expect(await service.refused(key, { ...sample, as })).toMatchObject({ status: 404, code: 'not_found' });
  }
});

test.each(keysOf(endpoints.filter(({ key }) => key.includes('{id}'))))(
  '%s: a record that is not there is 404',
  async (key) => {
    const service = await shared.service();
    const sample = await samples[key](await shared.stage());

    const answer = await service.refused(key, { ...sample, params: { id: 'nobody' } });

    expect(answer).toMatchObject({ status: 404, code: 'not_found' });
  },
);
