/** What requests without a valid credential may cost the other clients: entries of the journal, time, dialogs. */
import { createWrongCredentials } from '../../src/http/wrong-credentials.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect } from 'vitest';
import { CONTROL_TOKEN, SANDBOX_KEY, startService } from '../support/service.ts';
import { test } from '../support/test-with.ts';

const WRONG_KEY = `sk_test_${'z'.repeat(32)}`;
const CREATE = { method: 'POST', path: '/users', body: {} } as const;

describe('the journal', () => {
  test('requests of a foreign origin push out nothing, and the last of them stay visible', async (service) => {
    const { requestId } = await service.call('POST /users', { body: {} });
    await service.send({ method: 'GET', path: '/users', as: null });

    for (let one = 0; one < 150; one++) {
      await service.send({ method: 'GET', path: '/users', headers: { origin: 'https://evil.example' } });
    }

    const kept = (await service.call('GET /_kyclone/requests', { query: { path: '/users', page_size: 1 } }))
      .body;
    expect(kept.data[0]).toMatchObject({ code: 'origin_refused', status: 403 });
    expect(kept.meta.count).toBe(102);
    const found = await service.call('GET /_kyclone/requests/{id}', { params: { id: requestId } });
    expect(found.body).toMatchObject({ method: 'POST', status: 200 });
    const refused = await service.call('GET /_kyclone/requests', { query: { status: 401 } });
    expect(refused.body.meta.count).toBe(1);
  });

  test('requests of a foreign host and without a credential push out nothing, either', async () => {
    await using service = await startService({ limits: { wrongDelayMs: 1 } });
    const { requestId } = await service.call('POST /users', { body: {} });

    for (let one = 0; one < 600; one++) {
      await service.send({ ...CREATE, as: one % 2 === 0 ? null : WRONG_KEY });
      await service.send({ method: 'GET', path: '/users', headers: { host: 'evil.example' } });
    }

    expect(
      (await service.call('GET /_kyclone/requests/{id}', { params: { id: requestId } })).body.status,
    ).toBe(200);
    expect((await service.call('GET /_kyclone/requests', { query: { status: 401 } })).body.meta.count).toBe(
      500,
    );
  });

  test('stream: later clients do not see the requests of a foreign origin', async (service) => {
    const { requestId } = await service.call('POST /users', { body: {} });
    for (let one = 0; one < 10; one++) {
      await service.send({ method: 'GET', path: '/users', headers: { origin: 'https://evil.example' } });
    }

    const { text } = await service.send({
      method: 'GET',
      path: '/_kyclone/stream?types=request&follow=false',
    });

    expect(text).toContain(requestId);
    expect(text).not.toContain('origin_refused');
  });
});

describe('401', () => {
  test.eachWith([
    [{ origin: 'http://127.0.0.1:4010' }],
    [{ 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'none' }],
    [{ 'sec-fetch-dest': 'document' }],
  ])('a page with %j gets no password prompt', async (service, headers) => {
    const reply = await service.send({ method: 'GET', path: '/users', as: null, headers });

    expect(reply.status).toBe(401);
    expect(reply.headers['www-authenticate']).toBe('SecretKey');
    expect(reply.headers['cache-control']).toBe('no-store');
    expect(reply.headers['set-cookie']).toBeUndefined();
  });

  test('a program gets the Basic challenge', async (service) => {
    const reply = await service.send({ method: 'GET', path: '/users', as: null });

    expect(reply.headers['www-authenticate']).toMatch(/^Basic /);
  });
});

describe('wrong credentials', () => {
  const LIMITS = { wrongAtOnce: 3, wrongPerSecond: 0, wrongDelayMs: 60_000 };

  test('after many the answers wait; a right key and a missing one do not', async () => {
    await using service = await startService({ limits: LIMITS });
    for (let one = 0; one < LIMITS.wrongAtOnce; one++) await service.send({ ...CREATE, as: WRONG_KEY });
    let hasAnswered = false;

    void service
      .inject({
        method: 'GET',
        url: '/users',
        headers: { host: '127.0.0.1:4010', 'x-service-secret-key': WRONG_KEY },
      })
      .then(() => (hasAnswered = true));
    const right = await service.send({ ...CREATE, as: SANDBOX_KEY });
    const none = await service.send({ ...CREATE, as: null });
    const control = await service.send({ method: 'GET', path: '/_kyclone/info', as: CONTROL_TOKEN });

    expect([right.status, none.status, control.status]).toEqual([200, 401, 200]);
    expect(hasAnswered).toBe(false);
  });

  test('the answer that waited is the usual one', async () => {
    await using service = await startService({ limits: { ...LIMITS, wrongAtOnce: 0, wrongDelayMs: 20 } });

    const reply = await service.send({ ...CREATE, as: WRONG_KEY });

    expect(reply).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
  });

  test('dozens of wrong ones, as a test suite sends them, are answered at once', () => {
    const wrong = createWrongCredentials(
      { wrongAtOnce: 500, wrongPerSecond: 5, wrongDelayMs: 1_000 },
      () => 0,
    );

    for (let one = 0; one < 500; one++) expect(wrong.delay(tried('127.0.0.1'), BY_KEY)).toBeUndefined();
    expect(wrong.delay(tried('::1'), BY_KEY)).toBeInstanceOf(Promise);
    expect(wrong.delay(tried('192.0.2.1'), BY_KEY)).toBeUndefined();
    expect(wrong.delay(tried('127.0.0.1', { 'x-fp-authorization': 'cttok_x' }), BY_KEY)).toBeUndefined();
  });

  test('attempts are refilled over time', () => {
    let now = 0;
    const wrong = createWrongCredentials(
      { wrongAtOnce: 2, wrongPerSecond: 5, wrongDelayMs: 1_000 },
      () => now,
    );
    for (let one = 0; one < 2; one++) void wrong.delay(tried('127.0.0.1'), BY_KEY);
    expect(wrong.delay(tried('127.0.0.1'), BY_KEY)).toBeInstanceOf(Promise);

    now = 10_000;

    expect(wrong.delay(tried('127.0.0.1'), BY_KEY)).toBeUndefined();
  });
});

const BY_KEY = { kind: 'key' } as const;

function tried(remoteAddress: string, headers: object = { 'x-service-secret-key': WRONG_KEY }) {
  const ignored = { once: () => undefined, off: () => undefined };
  const request = { headers, url: '/users', socket: { remoteAddress } } as unknown as IncomingMessage;
  return { request, response: { ...ignored } as unknown as ServerResponse };
}
