/** The messages about unknown paths, members and identifiers that resemble known ones. */
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { endpoints, splitKey } from '../../src/contract/registry.ts';
import { nearestMethod, nearestRoute } from '../../src/http/near-misses.ts';
import { startService } from '../support/service.ts';
import { test } from '../support/test-with.ts';

const words = { partner_a: 'ledgerly', partner_b: 'apex' };
const ID = 'fp_id_7p793EF07xKXHqAeg5VGPj';

describe('nearestRoute', () => {
  test.each([
    ['POST', '/user', 'POST /users'],
    ['GET', '/user', 'GET /users'],
    ['POST', '/USERS', 'POST /users'],
    ['POST', '//users', 'POST /users'],
    ['POST', '/api/v1/users', 'POST /users'],
    ['PATCH', `/user/${ID}/vault`, 'PATCH /users/{fp_id}/vault'],
    ['GET', `/users/${ID}/vaults/?fields=id.dob`, 'GET /users/{fp_id}/vault'],
    ['POST', `/users/${ID}/decrypt`, 'POST /users/{fp_id}/vault/decrypt'],
    ['POST', `/${ID}/vault/decrypt`, 'POST /users/{fp_id}/vault/decrypt'],
    ['POST', `/users/${ID}/clientToken`, 'POST /users/{fp_id}/client_token'],
    ['GET', '/users/my-own-id', 'GET /users/{fp_id}'],
    ['POST', '/onboarding/sesion', 'POST /onboarding/session'],
    ['POST', '/vault-proxy/jit', 'POST /vault_proxy/jit'],
    ['GET', '/_kyclone/request', 'GET /_kyclone/requests'],
    ['GET', '/health', 'GET /_kyclone/health'],
    ['PUT', '/clock', 'PUT /_kyclone/clock'],
    [
      'POST',
      `/users/${ID}/integrations/ledgrly/cip_report`,
      'POST /users/{fp_id}/integrations/ledgerly/cip_report',
    ],
    ['POST', `/users/${ID}/integrations/partner_b/cip`, 'POST /users/{fp_id}/integrations/apex/cip'],
  ])('nearestRoute: %s %s is meant to be %s', (method, url, meant) => {
    expect(nearestRoute({ method, url, words })).toBe(meant);
  });

  test.each([
    ...'/ /nowhere /x /login /favicon.ico /219-09-9999 /%zz /.git/config /wp-admin'.split(' '),
    `/users/${ID}/foo/bar`,
    `/${'a'.repeat(60_000)}`,
    `/users${'/a'.repeat(30_000)}`,
  ])('nearestRoute: %.40s is near to nothing', (url) => {
    expect(nearestRoute({ method: 'GET', url, words })).toBeUndefined();
  });

  test('nearestRoute: every suggestion is one of our routes', () => {
    const routes = new Set<string | undefined>([undefined]);
    for (const { key } of endpoints) {
      const { method, path } = splitKey(key);
      const spelled = path.replace('{partner_a}', words.partner_a).replace('{partner_b}', words.partner_b);
      routes.add(`${method} ${spelled}`);
    }
    const names = 'users user Vault _kyclone .. %2e%2e %zz {fp_id}'.split(' ');
    const word = fc.constantFrom(ID, '', ...names);
    const segment = fc.oneof(word, fc.string({ unit: 'binary' }), fc.string({ maxLength: 8 }));
    fc.assert(
      fc.property(
        fc.array(segment, { maxLength: 14 }),
        fc.constantFrom('GET', 'PUT', 'x'),
        (parts, method) => {
          const url = `/${parts.join('/')}`;
          expect(routes).toContain(nearestRoute({ method, url, words }));
          expect(routes).toContain(nearestMethod({ method, url, words }, ['GET', 'HEAD', 'POST']));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('nearestMethod: returns the method of the path, or its equivalent', () => {
    const at = (method: string, url: string, ...allowed: string[]) =>
      nearestMethod({ method, url, words }, allowed);
    expect(at('GET', `/users/${ID}/vault/decrypt`, 'POST')).toBe('POST /users/{fp_id}/vault/decrypt');
    expect(at('PUT', `/users/${ID}/vault`, 'GET', 'HEAD', 'PATCH', 'DELETE')).toBe(
      'PATCH /users/{fp_id}/vault',
    );
    expect(at('DELETE', '/users', 'GET', 'HEAD', 'POST')).toBeUndefined();
  });
});

describe('in answers and in the journal', () => {
  const send = async (method: string, path: string, body?: unknown) => {
    await using service = await startService();
    const reply = await service.send({ method, path, ...(body !== undefined && { body }) });
    const id = reply.headers['x-request-id'] ?? '';
    const entry = (await service.call('GET /_kyclone/requests/{id}', { params: { id } })).body;
    return {
      message: (reply.body as { message: string }).message,
      hint: entry.hint,
      entry: JSON.stringify(entry),
    };
  };

  test.each([
    ['GET', '/user', undefined, 'No endpoint has this path; did you mean GET /users?'],
    ['PUT', '/users/vault', undefined, 'This path answers PATCH; did you mean PATCH /users/vault?'],
    [
      'GET',
      '/users/fp_bid_7p793EF07xKXHqAeg5VGPj/vault',
      undefined,
      'This path takes the id of a user (fp_id_…), not of a business (fp_bid_…); did you mean GET /businesses/{fp_bid}/vault?',
    ],
    ['POST', '/users', { first_name: 'J' }, 'Unknown identifier: first_name; did you mean id.first_name?'],
    [
      'POST',
      '/users',
      { 'id.fristname': 'J' },
      'Unknown identifier: id.fristname; did you mean id.first_name?',
    ],
    [
      'POST',
      '/_kyclone/faults',
      { match: { path: '/' }, status: 500, latency: 2 },
      'There is no member latency; did you mean latency_ms?',
    ],
    [
      'POST',
      '/_kyclone/faults',
      { match: { path: '/' }, path: '/', status: 500 },
      'There is no member path; did you mean match.path?',
    ],
  ] as [string, string, unknown, string][])(
    'near miss: %s %s with %j suggests the intended call',
    async (method, path, body, message) => {
      const refusal = await send(method, path, body);
      expect(refusal.message).toBe(message);
      expect(refusal.hint).toBe(`Did you mean ${/did you mean (.+)$/.exec(message)?.[1] ?? ''}`);
    },
  );

  test('near miss: a value in a path is shown nowhere', async () => {
    for (const path of ['/user/219-09-9999', '/users/219-09-9999/vaults', '/user/219-09-9999/vault']) {
      const refusal = await send('GET', path);
      expect(refusal.hint).toMatch(/^Did you mean /);
      expect(JSON.stringify(refusal)).not.toContain('219-09');
    }
  });

  const list = 'Query parameter fields';
  test.eachWith([
    ['fields[]=id.email', `${list}[] is ignored: send fields=a,b, with commas`],
    [
      'fields%5B0%5D=id.email&fields%5B1%5D=id.dob',
      `${list}[0] is ignored: send fields=a,b, with commas ${list}[1]`,
    ],
    ['field=id.email', 'Query parameter field is unknown here and ignored: did you mean fields?'],
    ['filter=219-09-9999', 'Query parameter filter is unknown here and ignored'],
    ['219-09-9999=', 'Query parameter *** is unknown here and ignored'],
    ['fields=id.email', undefined],
    ['', undefined],
  ])('query: ?%s has the hint %s', async (service, query, hint) => {
    const reply = await service.send({
      method: 'GET',
      path: `/users/${await service.user()}/vault?${query}`,
    });
    const params = { id: reply.headers['x-request-id'] ?? '' };
    const entry = (await service.call('GET /_kyclone/requests/{id}', { params })).body;

    expect(reply.status).toBe(200);
    if (hint === undefined) expect(entry.hint).toBeUndefined();
    else expect(entry.hint).toContain(hint);
    expect(JSON.stringify(entry)).not.toContain('219-09');
  });

  test('query: a repeated list is refused with the comma form', async (service) => {
    const path = `/users/${await service.user()}/vault?fields=id.email&fields=id.dob`;

    expect(await service.send({ method: 'GET', path })).toMatchObject({
      status: 400,
      body: {
        message:
          'Query parameter fields is given more than once: separate several with commas, as in fields=a,b',
      },
    });
  });
});
