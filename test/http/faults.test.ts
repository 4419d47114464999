/** Fault rules: their place in the order of checks, the answers, and the entries in the journal. */
import { connect } from 'node:net';
import { describe, expect } from 'vitest';
import { faultableSegments } from '../../src/http/faults.ts';
import { exchangeBytes, parseAnswers } from '../support/raw-socket.ts';
import { HOST, SANDBOX_KEY, startService, type TestService } from '../support/service.ts';
import { test } from '../support/test-with.ts';
import { words } from '../support/words.ts';

const ORIGIN = 'http://localhost:5173';

const add = async (service: TestService, body: object): Promise<string> =>
  (await service.call('POST /_kyclone/faults', { body: body as never })).body.id;
const newest = async (service: TestService) =>
  (await service.call('GET /_kyclone/requests', { query: { path: '/users/**' } })).body.data[0];

/**
 * Waits until the journal has this many entries below `/users`, and returns them. The test has no other way to see that
 * they arrived.
 */
async function entries(service: TestService, count: number) {
  for (;;) {
    const { data } = (await service.call('GET /_kyclone/requests', { query: { path: '/users/**' } })).body;
    if (data.length >= count) return data;
    await turn();
  }
}

/** Waits until a request has matched the rule. */
async function met(service: TestService, id: string): Promise<void> {
  while ((await service.call('GET /_kyclone/faults/{id}', { params: { id } })).body.hits === 0) await turn();
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('order of checks', () => {
  test('fault: Host, Origin and readiness are judged before it', async (service) => {
    const id = await add(service, { match: { path: '/**' }, status: 500 });
    const send = (headers: Record<string, string>) =>
      service.send({ method: 'GET', path: '/users', headers });
    expect((await send({ host: 'evil.example' })).status).toBe(421);
    expect((await send({ origin: 'http://evil.example' })).status).toBe(403);
    service.instance.readiness = { ready: false, reason: 'starting' };
    expect((await send({})).body).toMatchObject({ code: 'not_ready' });
    service.instance.readiness = { ready: true };
    expect((await service.call('GET /_kyclone/faults/{id}', { params: { id } })).body.hits).toBe(0);
  });

  test.eachWith([
    ['an unknown path', 'GET', '/nowhere', {}],
    ['a path that cannot be decoded', 'GET', '/users/%zz', {}],
    ['a wrong method', 'DELETE', '/users', {}],
    ['a method that nothing answers', 'PROPFIND', '/users', {}],
    ['a missing credential', 'GET', '/users', { as: null }],
    ['a wrong content type', 'POST', '/users', { headers: { 'content-type': 'text/plain' }, body: 'x' }],
    ['a broken body', 'POST', '/users', { body: '{' }],
    ['an unknown user', 'GET', '/users/fp_id_0000000000000000000000', {}],
  ])('fault: it is judged before %s', async (service, _, method, path, parts) => {
    await add(service, { match: { path: '/**' }, status: 502 });
    const reply = await service.send({ method, path, ...parts });
    expect([reply.status, (reply.body as { code: string }).code]).toEqual([502, 'fault_injected']);
  });

  test.eachWith(
    words`
      /_kyclone/info /_kyclone/info/ /%5fkyclone/info /_kyclone%2finfo //_kyclone/info /users/../_kyclone/info
      /./_kyclone/info /users/..%2f_kyclone%2finfo /_kyclone /_kyclone/../users
    `,
  )('fault: %s of the control plane never meets one', async (service, path) => {
    await add(service, { match: { path: '/**' }, status: 502 });
    // The injecting library normalises paths, so this test uses a socket.
    const place = await service.listen();
    const lines = [`GET ${path} HTTP/1.1`, `host: 127.0.0.1:${place.port}`, 'connection: close', '', ''];
    const [answer] = parseAnswers(await exchangeBytes(place, lines.join('\r\n')));
    expect([401, 404]).toContain(answer?.status);
    expect(faultableSegments(path)).toBeUndefined();
  });

  test.each([
    ['/users/%76ault', ['users', 'vault']],
    ['/users/', ['users']],
    ['/users?path=/_kyclone/x', ['users']],
    ['/', []],
    ['/users/%zz', ['users', '%zz']],
  ])('fault: of %s the decoded segments are compared', (path, segments) => {
    expect(faultableSegments(path)).toEqual(segments);
  });
});

describe('answers', () => {
  test('fault: its status, its code, and nothing of the request is done', async (service) => {
    const id = await add(service, {
      match: { method: 'POST', path: '/users' },
      status: 418,
      code: 'teapot',
      times: 1,
    });
    const response = await service.inject({
      method: 'POST',
      url: '/users',
      headers: { host: HOST, 'content-type': 'application/json' },
      payload: '{"id.first_name":"Wilhelmina"}',
    });
    expect(response.statusCode).toBe(418);
    expect((await service.call('GET /users')).body.data).toEqual([]);
    expect(response.json()).toEqual({ message: `Fault rule ${id} answers this request`, code: 'teapot' });
  });

  test.eachWith([
    [429, '1'],
    [503, '1'],
    [500, undefined],
    [404, undefined],
  ])('fault: %i has retry-after %s', async (service, status, retryAfter) => {
    await add(service, { match: { path: '/users' }, status });
    const reply = await service.send({ method: 'GET', path: '/users' });
    expect([reply.status, reply.headers['retry-after']]).toEqual([status, retryAfter]);
  });

  test('fault: a page can read the failure of a token endpoint, and its preflight passes', async (service) => {
    await add(service, { match: { path: '/users/**' }, status: 503 });
    const headers = { origin: ORIGIN };
    const preflight = { ...headers, 'access-control-request-method': 'POST' };
    const path = '/users/vault/decrypt';
    expect((await service.send({ method: 'OPTIONS', path, headers: preflight })).status).toBe(204);
    const reply = await service.send({ method: 'POST', path, headers, body: {} });
    expect([reply.status, reply.headers['access-control-allow-origin']]).toEqual([503, ORIGIN]);
    await add(service, { match: { path: '/users/**', method: 'OPTIONS' }, status: 500 });
    expect((await service.send({ method: 'OPTIONS', path, headers: preflight })).status).toBe(500);
  });

  test('fault: with latency alone the request proceeds', async (service) => {
    const id = await add(service, { match: { path: '/users' }, latency_ms: 5 });
    expect((await service.call('GET /users')).body.data).toEqual([]);
    expect(await newest(service)).toMatchObject({ status: 200, code: null, route: '/users', faults: [id] });
  });
});

describe('on a socket', () => {
  const head = (port: number, start: string, ...lines: string[]) =>
    [`${start} HTTP/1.1`, `host: 127.0.0.1:${port}`, ...lines, '', ''].join('\r\n');

  test('abort connection: the socket closes without a byte, and the journal has the request', async (service) => {
    const place = await service.listen();
    const id = await add(service, { match: { path: '/users' }, abort: 'connection', status: 500 });
    expect(await exchangeBytes(place, head(place.port, 'GET /users'))).toBe('');
    expect(await entries(service, 1)).toEqual([
      expect.objectContaining({
        path: '/users',
        status: 0,
        code: 'fault_injected',
        faults: [id],
        response: null,
      }),
    ]);
  });

  test.eachWith([
    [undefined, 200],
    [500, 500],
  ])(
    'abort body: with status %s sends a head of %i, and half of the announced body',
    async (service, status, sent) => {
      const place = await service.listen();
      const rule = {
        match: { method: 'POST', path: '/users' },
        abort: 'body',
        ...(status !== undefined && { status }),
      };
      const id = await add(service, rule);
      const body = '{"id.first_name":"Wilhelmina"}';
      const start = head(
        place.port,
        'POST /users',
        'content-type: application/json',
        `content-length: ${body.length}`,
      );
      const received = await exchangeBytes(place, start + body);
      const [answer] = parseAnswers(received);
      const length = Number(answer?.headers['content-length']);
      expect(answer).toMatchObject({
        status: sent,
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'cache-control': 'no-store',
          'x-request-id': expect.stringMatching(/^req_/) as string,
        },
      });
      expect(answer?.text.length).toBe(length >> 1);
      expect(await entries(service, 1)).toEqual([expect.objectContaining({ status: sent, faults: [id] })]);
      expect((await service.call('GET /users')).body.data).toEqual([]);
    },
  );

  test('abort body: HEAD has the head alone', async (service) => {
    const place = await service.listen();
    await add(service, { match: { path: '/users' }, abort: 'body' });
    const received = await exchangeBytes(place, head(place.port, 'HEAD /users'));
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(received.endsWith('\r\n\r\n')).toBe(true);
  });

  test('abort connection: the response to an earlier request on the same socket arrives', async (service) => {
    const place = await service.listen();
    await add(service, { match: { path: '/users' }, abort: 'connection' });
    const both = head(place.port, 'GET /_kyclone/health') + head(place.port, 'GET /users');
    expect(parseAnswers(await exchangeBytes(place, both)).map(({ status }) => status)).toEqual([200]);
  });

  test('latency: a client that disconnects ends the wait, and the journal has the request once', async (service) => {
    const place = await service.listen();
    const id = await add(service, { match: { path: '/users' }, latency_ms: 60_000, status: 500 });
    const socket = connect(place, () => socket.write(head(place.port, 'GET /users')));
    await met(service, id);
    socket.destroy();
    const found = await entries(service, 1);
    expect(found).toEqual([expect.objectContaining({ status: 0, code: null, faults: [id] })]);
  });

  test.each([
    ['a rule with a status', { status: 429 }, 429],
    ['a rule without one', {}, 200],
  ])(
    'latency: at a stop %s ends the held request with its normal result, only sooner',
    async (_name, effect, status) => {
      let answer: Promise<string>;
      {
        await using service = await startService();
        const place = await service.listen();
        const id = await add(service, { match: { path: '/users' }, latency_ms: 60_000, ...effect });
        const credential = `x-service-secret-key: ${SANDBOX_KEY}`;
        answer = exchangeBytes(place, head(place.port, 'GET /users', credential));
        await met(service, id);
        service.runtime.connections.finish();
      }
      expect(parseAnswers(await answer)).toMatchObject([{ status, headers: { connection: 'close' } }]);
    },
  );
});

describe('reports', () => {
  test('stream: a fault is shown with its request, the path masked', async (service) => {
    const id = await add(service, { match: { path: '/users/**' }, status: 500, latency_ms: 1, times: 1 });
    const reply = await service.send({ method: 'GET', path: '/users/219-09-9999/vault?fields=219-09-9999' });
    const { text } = await service.send({ method: 'GET', path: '/_kyclone/stream?types=fault&follow=false' });
    const data = /^data: (.+)$/m.exec(text)?.[1] ?? '{}';
    expect(JSON.parse(data)).toEqual({
      id,
      request_id: reply.headers['x-request-id'],
      at: expect.stringMatching(/Z$/) as string,
      method: 'GET',
      path: '/users/***/vault?fields=***',
      status: 500,
      latency_ms: 1,
      hits: 1,
      enabled: false,
    });
    expect(text).not.toContain('219-09');
  });

  test('log: a fault has no trace, for nothing is broken', async (service) => {
    await add(service, { match: { path: '/users' }, status: 500 });
    await service.send({ method: 'GET', path: '/users' });
    expect(service.log.at(-1)).toMatchObject({ status: 500, code: 'fault_injected', failure: undefined });
  });
});
