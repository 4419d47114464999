import { describe, expect, expectTypeOf, test } from 'vitest';
import { createClient, type Client } from '../../src/client/client.ts';
import { ApiError, MissingCredentialError, UnreachableError } from '../../src/client/errors.ts';
import { answerJson } from '../support/loopback.ts';
import { provingServer } from '../support/proving-server.ts';

/** A server in place of a daemon, and a client that has its key. */
async function aDaemon(answer: Parameters<typeof provingServer>[1] = answerJson(200, {})) {
  const server = await provingServer({ apiKeys: ['k', 'sk_test_1'], controlToken: 't' }, answer);
  return Object.assign(server, { client: createClient({ baseUrl: server.url, apiKey: 'k' }) });
}

const USER = { id: 'fp_id_0', external_id: null };

describe('call', () => {
  test('call: sends method, path, query, headers and body, and returns the body', async () => {
    await using server = await aDaemon(answerJson(200, USER));
    const client = createClient({ baseUrl: server.url, apiKey: 'sk_test_1' });
    const user = await client.call('POST /users', {
      headers: { 'x-external-id': 'abcde', 'x-sandbox-id': undefined },
      body: { 'id.first_name': 'Zoë' },
    });
    expect(user).toEqual(USER);
    expect(server.seen).toMatchObject([
      {
        method: 'POST',
        url: '/users',
        body: '{"id.first_name":"Zoë"}',
        headers: {
          'content-type': 'application/json',
          'x-external-id': 'abcde',
          authorization: `Basic ${Buffer.from('sk_test_1:').toString('base64')}`,
        },
      },
    ]);
    expect(server.seen[0]?.headers).not.toHaveProperty('x-sandbox-id');
  });

  test('call: a request without a body says nothing of its type', async () => {
    await using server = await aDaemon(answerJson(200, USER));
    await server.client.call('POST /users');
    expect(server.seen[0]?.headers).not.toHaveProperty('content-type');
    expect(server.seen[0]?.headers['content-length']).toBe('0');
  });

  test('call: path parameters are escaped, absent query members are left out', async () => {
    await using server = await aDaemon();
    const client = createClient({ baseUrl: `${server.url}/`, apiKey: 'k' });
    await client.call('GET /users/{fp_id}/vault', {
      params: { fp_id: '../a b/ü?x#y' },
      query: { fields: 'id.dob,id.ssn9' },
    });
    await client.call('GET /users', { query: { cursor: undefined } });
    expect(server.seen.map(({ url }) => url)).toEqual([
      '/users/..%2Fa%20b%2F%C3%BC%3Fx%23y/vault?fields=id.dob%2Cid.ssn9',
      '/users',
    ]);
  });

  test.each([
    [
      ['post /users'],
      `"post /users" is no endpoint: give the method, one blank and the path, as in 'POST /users'`,
    ],
    [['/users'], '"/users" is no endpoint'],
    [['POST  /users'], '"POST  /users" is no endpoint'],
    [['POST https://x.example/users'], 'is no endpoint'],
    [['GET /users/{fp_id}'], `GET /users/{fp_id}: fp_id is missing; give it as { params: { fp_id: '…' } }`],
    [['GET /users/{fp_id}', { params: { id: 'fp_id_0' } }], 'fp_id is missing'],
    [
      ['GET /users/{fp_id}', { path: { fp_id: 'fp_id_0' } }],
      'a call has no option path; it has params, query, headers',
    ],
  ])('call: %j is refused in the words of the caller', async (words, message) => {
    const client = createClient({ baseUrl: 'http://127.0.0.1:9', apiKey: 'k' });
    const calling = (client.call as (...words: unknown[]) => Promise<unknown>)(...words);
    await expect(calling).rejects.toThrow(message);
    await expect(calling).rejects.toBeInstanceOf(TypeError);
  });

  test.each(['', '.', '..'])('call: the path parameter %j never becomes another path', async (fp_id) => {
    await using server = await aDaemon();
    await expect(server.client.call('DELETE /users/{fp_id}', { params: { fp_id } })).rejects.toMatchObject({
      status: 404,
    });
    expect(server.seen).toEqual([]);
  });

  test('call: the control plane gets the control token, its open endpoints nothing', async () => {
    await using server = await aDaemon();
    const client = createClient({ baseUrl: server.url, apiKey: 'k', controlToken: 't' });
    await client.call('GET /_kyclone/info');
    await client.call('GET /_kyclone/health');
    await client.call('GET /_kyclone/form');
    await client.call('GET /_kyclone/form.js');
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer t',
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('call: a client token takes the place of the key', async () => {
    await using server = await aDaemon();
    await server.client.call('PATCH /users/vault', { token: 'cttok_1', body: { 'id.city': 'Boston' } });
    expect(server.seen[0]?.headers).toMatchObject({ 'x-fp-authorization': 'cttok_1' });
    expect(server.seen[0]?.headers).not.toHaveProperty('authorization');
  });

  test('call: without the credential that it needs nothing is sent', async () => {
    await using server = await aDaemon();
    const client = createClient({ baseUrl: server.url });
    await expect(client.call('GET /users')).rejects.toThrow(MissingCredentialError);
    await expect(client.call('GET /_kyclone/info')).rejects.toThrow(MissingCredentialError);
    expect(server.seen).toEqual([]);
  });

  test('call: a failure has the code, message and context of the daemon', async () => {
    const body = {
      code: 'T120',
      message: 'Vault data is not valid: id.dob',
      context: { 'id.dob': 'invalid length' },
    };
    await using server = await aDaemon(answerJson(400, body, { 'x-request-id': 'req_1' }));
    const failure = server.client.call('POST /users');
    await expect(failure).rejects.toThrow(ApiError);
    await expect(failure).rejects.toMatchObject({ ...body, status: 400, requestId: 'req_1' });
  });

  test.each([
    ['HTML', 'text/html', '<h1>no</h1>'],
    ['broken JSON', 'application/json', '{"code":'],
    ['a JSON list', 'application/json', '[]'],
    ['null', 'application/json', 'null'],
  ])('call: a failure whose body is %s is an ApiError, too', async (_, type, body) => {
    await using server = await aDaemon((_request, response) => {
      response.writeHead(502, { 'content-type': type }).end(body);
    });
    const failure = server.client.call('POST /users');
    await expect(failure).rejects.toMatchObject({ name: 'ApiError', code: 'internal_error', status: 502 });
  });

  test('call: without a listener it fails with UnreachableError', async () => {
    const server = await aDaemon();
    await server[Symbol.asyncDispose]();
    await expect(server.client.call('GET /users')).rejects.toThrow(UnreachableError);
  });

  test('call: a response head may be as large as that of a proxy target', async () => {
    await using server = await aDaemon(answerJson(200, USER, { 'x-large': 'x'.repeat(64 * 1024) }));

    const user = await server.client.call('POST /users');

    expect(user).toEqual(USER);
  });

  test('call: an answer that breaks off is an UnreachableError', async () => {
    await using server = await aDaemon((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"data":', () => request.socket.destroy());
    });
    await expect(server.client.call('GET /users')).rejects.toThrow(UnreachableError);
  });

  test('call: a kept connection that the other side has closed is replaced', async () => {
    await using server = await aDaemon((request, response) => {
      answerJson(200, { data: [], meta: { count: 0, next: null } })(request, response);
      response.once('finish', () => setImmediate(() => request.socket.resetAndDestroy()));
    });
    for (let call = 0; call < 5; call++) await server.client.call('GET /users');
    expect(server.seen.length).toBeGreaterThanOrEqual(5);
  });

  test('call: is typed by its key', () => {
    const readUser = (client: Client) => client.call('GET /users/{fp_id}', { params: { fp_id: 'fp_id_0' } });
    expectTypeOf(readUser).returns.resolves.toHaveProperty('requires_manual_review').toEqualTypeOf<boolean>();
    // @ts-expect-error -- the id is missing
    const withoutId = (client: Client) => client.call('GET /users/{fp_id}');
    // @ts-expect-error -- there is no such endpoint
    const toNowhere = (client: Client) => client.call('GET /nowhere');
    expect([withoutId, toNowhere]).toHaveLength(2);
  });
});

test('exchange: answers status and headers too', async () => {
  await using server = await aDaemon(answerJson(200, {}, { 'x-fp-vault-version': '3' }));
  const answer = await server.client.exchange('PATCH /users/{fp_id}/vault', {
    params: { fp_id: 'fp_id_0' },
    body: {},
  });
  expect(answer).toMatchObject({ status: 200, headers: { 'x-fp-vault-version': '3' }, body: {} });
});

test('request: a failure is an answer like any other', async () => {
  await using server = await aDaemon(answerJson(404, { code: 'not_found', message: 'no' }));
  const { status, body } = await server.client.request({ method: 'GET', path: '/nothing?a=b' });
  expect(status).toBe(404);
  expect(JSON.parse(body.toString())).toEqual({ code: 'not_found', message: 'no' });
  expect(server.seen[0]?.url).toBe('/nothing?a=b');
});

test.each([
  ['a client token of its own', '/users/vault/decrypt', { 'X-Fp-Authorization': 'cttok_1' }],
  ['a client token in its path', '/users/vault/decrypt/cttok_1?reason=r', {}],
])('request: one with %s carries no key', async (_, path, headers) => {
  await using server = await aDaemon();
  await server.client.request({ method: 'GET', path, headers });
  expect(server.seen[0]?.headers).not.toHaveProperty('authorization');
});

test('request: the decrypt endpoint itself gets the key when there is no token', async () => {
  await using server = await aDaemon();
  await server.client.request({ method: 'POST', path: '/users/vault/decrypt/' });
  expect(server.seen[0]?.headers).toHaveProperty('authorization');
});

test('createClient: a connection is looked for once, when it is first needed', async () => {
  await using server = await aDaemon();
  let asked = 0;
  const client = createClient(() => {
    asked += 1;
    return Promise.resolve({ baseUrl: server.url, apiKey: 'k' });
  });
  expect(asked).toBe(0);
  await Promise.all([client.call('GET /users'), client.call('GET /businesses')]);
  expect(asked).toBe(1);
});
