/**
 * The endpoints that a page may call (contract §0.1). Pages on loopback and on configured origins may call the token
 * endpoints. No page may call another endpoint.
 */
import { describe, expect } from 'vitest';
import { pathWithWords } from '../../src/contract/openapi.ts';
import { endpoints, splitKey } from '../../src/contract/registry.ts';
import { DEFAULT_SETTINGS } from '../../src/nouns/settings/endpoints/index.ts';
import { asRefusal, HOST, PORT, type Reply, type TestService } from '../support/service.ts';
import { shareStage } from '../support/shared-stage.ts';
import { test } from '../support/test-with.ts';
import { words } from '../support/words.ts';

/** The shared service is for requests that are refused, and for requests that read. */
const shared = shareStage();
const PAGE = 'http://localhost:3000';
const EXPOSED = 'x-request-id, x-fp-vault-version';
const ALLOWED_HEADERS = 'x-fp-authorization, content-type, x-fp-ignore-luhn-validation, x-fp-vault-version';

/** Origins of pages on this machine. */
const LOOPBACK = [
  ...words`
    http://localhost https://localhost http://localhost:3000 https://localhost:65535 http://127.0.0.1
    https://127.0.0.1:8443 http://127.0.0.1:1
  `,
  `http://127.0.0.1:${PORT + 1}`,
  'http://[::1]',
  'https://[::1]',
  'http://[::1]:5173',
];
/** Origins that resemble those of this machine, other origins, and texts that are no origin. */
const FOREIGN = [
  '',
  'http://localhost, https://evil.example',
  'https://evil.example, http://localhost',
  'http://localhost x',
  ...words`
      https://evil.example null http://localhost.evil.example http://localhost.evil.example:3000
      http://127.0.0.1.evil.example http://[::1].evil.example http://[::1].x http://evil.localhost
      http://evillocalhost http://evil.example/http://localhost http://localhost@evil.example
      http://user@localhost:3000 http://localhost:3000@evil.example http://localhost/ http://localhost:
      http://localhost:3000/path http://localhost:3000?x http://localhost:3000#x http://localhost:80a
      http://127.0.0.2 http://127.1 http://2130706433 http://0.0.0.0 http://0 http://[::]
      http://[::ffff:127.0.0.1] http://::1 http://[0:0:0:0:0:0:0:1] http://[::1]evil.example ftp://localhost
      file:// chrome-extension://localhost localhost:3000 //localhost * HTTP//localhost http:localhost
      http:/localhost xhttp://localhost http://localhost:123456
    `,
];

const tokenEndpoints = endpoints.filter((each) => 'letsPagesIn' in each).map(({ key }) => key);
const otherEndpoints = endpoints.map(({ key }) => key).filter((key) => !tokenEndpoints.includes(key));

/** Fills in the path of an endpoint. The ids in it don't exist. */
const pathOf = (key: (typeof endpoints)[number]['key']) => {
  const { method, path } = splitKey(key);
  const filled = pathWithWords(path, DEFAULT_SETTINGS.vocabulary)
    .replace('{fp_id}', `fp_id_${'0'.repeat(22)}`)
    .replace('{fp_bid}', `fp_bid_${'0'.repeat(22)}`)
    .replace('{proxy_id}', `proxy_id_${'0'.repeat(22)}`)
    .replace(/\{\w+\}/, 'custom.x');
  return { method, path: filled };
};

const corsOf = ({ headers }: Reply) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')));
const ask = (service: TestService, origin: string, path = '/users/vault', method = 'PATCH') =>
  service.send({ method, path, headers: { origin }, body: {}, as: null });
const preflight = (
  service: TestService,
  { origin = PAGE, path = '/users/vault', method = 'PATCH', headers = {} } = {},
) =>
  service.send({
    method: 'OPTIONS',
    path,
    headers: { origin, 'access-control-request-method': method, ...headers },
    as: null,
  });

describe('a token endpoint', () => {
  test.each(LOOPBACK)('CORS: a page of %s is let in and gets its headers', async (origin) => {
    const service = await shared.service();

    const reply = await ask(service, origin);

    expect(reply.status).toBe(401);
    expect(corsOf(reply)).toEqual({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': EXPOSED,
    });
    expect(reply.headers['vary']).toBe('origin');
  });

  test.each(FOREIGN)('CORS: a page of %j is refused, and so is its preflight', async (origin) => {
    const service = await shared.service();

    for (const reply of [await ask(service, origin), await preflight(service, { origin })]) {
      expect(asRefusal(reply, origin)).toMatchObject({ status: 403, code: 'origin_refused' });
      expect(corsOf(reply)).toEqual({});
    }
  });

  test.each(tokenEndpoints)(
    'CORS: %s serves pages, refuses foreign ones, and says which methods',
    async (key) => {
      const service = await shared.service();
      const { method, path } = pathOf(key);

      expect(corsOf(await ask(service, PAGE, path, method))['access-control-allow-origin']).toBe(PAGE);
      expect((await ask(service, 'https://evil.example', path, method)).status).toBe(403);
      const reply = await preflight(service, { path, method });
      expect(reply.status).toBe(204);
      expect(reply.headers['access-control-allow-methods']?.split(', ')).toContain(method);
    },
  );

  test('CORS: the answer to a success can be read, and names what else may be', async (service) => {
    const token = await service.token(await service.user(), { scope: 'vault', fields: ['id.city'] });

    const reply = await service.send({
      method: 'PATCH',
      path: '/users/vault',
      headers: { origin: PAGE },
      body: { 'id.city': 'Springfield' },
      as: token,
    });

    expect([reply.status, reply.headers['x-fp-vault-version']]).toEqual([200, '2']);
    expect(corsOf(reply)).toEqual({
      'access-control-allow-origin': PAGE,
      'access-control-expose-headers': EXPOSED,
    });
  });

  test('CORS: a page can read every failure, too', async (service) => {
    const token = await service.token(await service.user(), { scope: 'vault', fields: ['id.city'] });
    const sent = { method: 'PATCH', path: '/users/vault', as: token };
    const origin = PAGE;
    const failing = async (status: number, parts: object) => {
      const reply = await service.send({ ...sent, headers: { origin }, ...parts });
      expect(reply.status).toBe(status);
      expect(corsOf(reply)['access-control-allow-origin']).toBe(PAGE);
    };

    await failing(401, { as: null, body: {} });
    await failing(400, { body: '{' });
    await failing(400, { body: { 'id.city': 7.5 } });
    await failing(403, { body: { 'id.zip': '1' } });
    await failing(403, { path: '/users/vault/decrypt', method: 'POST', body: {} });
    await failing(404, { path: '/users/vault/nowhere/at/all' });
    await failing(405, { method: 'DELETE' });
    await failing(413, { body: { 'custom.x': 'x'.repeat(40_000) } });
    await failing(415, { headers: { origin, 'content-type': 'text/plain' }, body: '{}' });
    service.instance.readiness = { ready: false, reason: 'stopping' };
    await failing(503, { body: {} });
  });

  test('CORS: without an Origin only Vary is sent', async (service) => {
    const reply = await service.send({ method: 'PATCH', path: '/users/vault', body: {}, as: null });

    expect(corsOf(reply)).toEqual({});
    expect(reply.headers['vary']).toBe('origin');
  });

  test('CORS: a page of another site without an Origin is refused', async () => {
    const service = await shared.service();
    const path = `/users/vault/decrypt/cttok_${'z'.repeat(34)}`;
    const from = async (site: string) =>
      (await service.send({ method: 'GET', path, headers: { 'sec-fetch-site': site } })).status;

    expect([await from('cross-site'), await from('same-site'), await from('none')]).toEqual([403, 401, 401]);
  });

  test.each([
    ['GET', '/users/vault/decrypt/TOKEN', 'navigate', 'document', 200],
    ['HEAD', '/users/vault/decrypt/TOKEN', 'navigate', 'document', 200],
    ['GET', '/users/vault/decrypt/TOKEN?reason=x', 'navigate', 'iframe', 200],
    ['GET', '/users/vault/decrypt/TOKEN', 'no-cors', 'image', 200],
    ['GET', '/users/vault/decrypt/TOKEN', 'no-cors', 'script', 403],
    ['GET', '/users/vault/decrypt/TOKEN', 'no-cors', 'empty', 403],
    ['POST', '/users/vault/decrypt/TOKEN', 'navigate', 'document', 403],
    ['GET', '/users/vault/decrypt/', 'navigate', 'document', 403],
    ['GET', '/users/vault/decrypt/TOKEN/more', 'navigate', 'document', 403],
    ['POST', '/users/vault/decrypt', 'navigate', 'document', 403],
    ['GET', '/users/client_token', 'navigate', 'document', 403],
    ['GET', '/_kyclone/docs', 'navigate', 'document', 403],
  ])('CORS: %s %s from another site, mode %s for %s, is %i', async (method, path, mode, dest, status) => {
    const { service, downloadToken } = await shared.stage();
    const reply = await service.send({
      method,
      path: path.replace('TOKEN', downloadToken),
      headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': mode, 'sec-fetch-dest': dest },
      as: null,
    });
    expect(reply.status, reply.text).toBe(status);
    expect(corsOf(reply)).toEqual({});
  });
});

describe('a preflight', () => {
  test('CORS: is 204 without a body, with exactly these headers, and no credential', async () => {
    const service = await shared.service();
    const asked = { 'access-control-request-headers': 'x-fp-authorization, content-type, x-anything' };

    const reply = await preflight(service, { headers: asked });

    expect([reply.status, reply.text]).toEqual([204, '']);
    expect(corsOf(reply)).toEqual({
      'access-control-allow-origin': PAGE,
      'access-control-allow-methods': 'PATCH',
      'access-control-allow-headers': ALLOWED_HEADERS,
      'access-control-expose-headers': EXPOSED,
      'access-control-max-age': '600',
    });
    expect(reply.headers['vary']).toBe('origin');
  });

  test.each([
    ['/users/vault/decrypt', 'POST'],
    ['/users/vault/validate', 'POST'],
    [`/users/vault/decrypt/cttok_${'z'.repeat(34)}`, 'GET, HEAD'],
    ['/users/vault/custom.x/upload', 'POST'],
    ['/users/vault/', 'PATCH'],
    ['/users/vault?x=1', 'PATCH'],
  ])('CORS: of %s allows %s', async (path, methods) => {
    const service = await shared.service();

    expect((await preflight(service, { path })).headers['access-control-allow-methods']).toBe(methods);
  });

  test('CORS: a page that asks to reach this machine from the network is permitted to', async () => {
    const service = await shared.service();
    const headers = { 'access-control-request-private-network': 'true' };
    const name = 'access-control-allow-private-network';

    expect((await preflight(service, { headers })).headers[name]).toBe('true');
    const foreign = await preflight(service, { headers, origin: 'https://evil.example' });
    expect([foreign.status, foreign.headers[name]]).toEqual([403, undefined]);
  });

  test('CORS: the endpoints that let pages in take a client token, or serve the browser module', () => {
    const isForPages = / \/(?:users\/vault(?:\/|$)|users\/client_token$|hosted\/browser[./])/;
    expect(tokenEndpoints.map(String)).toEqual(
      endpoints.map(({ key }) => key).filter((key) => isForPages.test(key)),
    );
    const open = endpoints.filter((each) => 'letsPagesIn' in each && each.auth.kind !== 'token');
    expect(open.map(({ key, auth }) => `${key} ${auth.kind}`)).toEqual([
      'GET /hosted/browser.js open',
      'POST /hosted/browser/session open',
      'PATCH /hosted/browser/session flow',
    ]);
  });

  test('CORS: a page can read the 404 of an unknown path beside token endpoints', async () => {
    const service = await shared.service();
    for (const path of [
      '/users/vault/misspelt',
      `/users/vault/${'x'.repeat(600)}`,
      '/users/vault/%',
      '/users/vault/',
    ]) {
      const reply = await ask(service, PAGE, path, 'GET');
      expect([reply.status === 403, corsOf(reply)['access-control-allow-origin']], path).toEqual([
        false,
        PAGE,
      ]);
    }
    expect(await ask(service, PAGE, '/users/vaults', 'GET')).toMatchObject({ status: 403 });
  });

  test('CORS: an OPTIONS that is no preflight is 405', async () => {
    const service = await shared.service();

    const reply = await service.send({
      method: 'OPTIONS',
      path: '/users/vault',
      headers: { origin: PAGE },
      as: null,
    });

    expect([reply.status, reply.headers['allow']]).toEqual([405, 'PATCH']);
  });
});

describe('any other endpoint', () => {
  test.each(otherEndpoints)('CORS: %s takes no page but its own, and no preflight', async (key) => {
    const service = await shared.service();
    const { method, path } = pathOf(key);
    const others = ['http://127.0.0.1:3000', 'http://[::1]', 'https://evil.example', 'null'];

    for (const origin of [PAGE, ...(key === 'POST /users' ? others : [])]) {
      for (const reply of [
        await ask(service, origin, path, method),
        await preflight(service, { origin, path, method }),
      ]) {
        expect(asRefusal(reply, origin)).toMatchObject({ status: 403, code: 'origin_refused' });
        expect(corsOf(reply)).toEqual({});
      }
    }
    const own = await preflight(service, { origin: `http://${HOST}`, path, method });
    expect(own.status).toBe(405);
    expect(corsOf(own)).toEqual({});
  });

  test.each([
    ...words`/users/vaults /users/vault-x /users/%76ault //users/vault /users//vault /USERS/VAULT`,
    ...words`
      /businesses/vault /hosted/session /users/vault;x /_kyclone/users/vault /x/users/vault
      /users?/users/vault /users/fp_id_x/vault /users/fp_id_x/vault/decrypt
    `,
  ])('CORS: %s is no token endpoint', async (path) => {
    const service = await shared.service();

    const reply = await ask(service, PAGE, path);

    expect(reply.status).toBe(403);
    expect(corsOf(reply)).toEqual({});
  });

  test('CORS: a word of a token endpoint in place of an id gives no other access', async () => {
    const service = await shared.service();
    const headers = { origin: PAGE };

    for (const [method, path] of [
      ['GET', '/users/vault/documents'],
      ['GET', '/users/vault/vault'],
      ['POST', '/users/vault/client_token'],
      ['POST', '/users/vault/vault/decrypt'],
    ] as const) {
      expect((await service.send({ method, path, headers })).status, path).toBe(404);
    }
  });
});

describe('the setting cors.origins', () => {
  const configure = (service: TestService, ...origins: string[]) =>
    service.call('PATCH /_kyclone/settings', { body: { cors: { origins } } });

  test('CORS: lets the named origins in at once, on token endpoints only', async (service) => {
    const origin = 'https://app.example:8443';
    expect((await ask(service, origin)).status).toBe(403);

    await configure(service, origin);

    const reply = await ask(service, origin);
    expect([reply.status, reply.headers['access-control-allow-origin']]).toEqual([401, origin]);
    expect((await preflight(service, { origin })).status).toBe(204);
    expect((await ask(service, origin, '/users', 'POST')).status).toBe(403);
    await configure(service);
    expect((await ask(service, origin)).status).toBe(403);
  });

  test.eachWith(
    words`
      https://app.example http://app.example:8443 https://app.example:84430 https://app.example.evil
      https://x.app.example:8443 https://app.example:8443.evil.example null
    `,
  )('CORS: %s is not https://app.example:8443', async (service, origin) => {
    await configure(service, 'https://app.example:8443');

    expect((await ask(service, origin)).status).toBe(403);
  });
});
