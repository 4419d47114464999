/**
 * How long and how often a client may let the service wait. The tests use real sockets and small limits of the server.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { until as eventually } from '../support/patience.ts';
import { parseAnswers } from '../support/raw-socket.ts';
import { SANDBOX_KEY, startService, type TestService } from '../support/service.ts';
import { drip, headOf, openClient, type SlowClient } from '../support/slow-clients.ts';
import '../support/tier-all.ts';

const KEY = { 'x-service-secret-key': SANDBOX_KEY };
const JSON_TYPE = { 'content-type': 'application/json' };
const JSON_POST = { ...KEY, ...JSON_TYPE };
const IMAGE = 'document.passport.front.image';

const until = (isSo: () => boolean) => eventually('what the test waits for', isSo);
const answersOf = (client: SlowClient) =>
  parseAnswers(client.received()).map(({ status, headers, text }) => ({
    status,
    code: (JSON.parse(text) as { code?: string }).code,
    connection: headers['connection'],
    retryAfter: headers['retry-after'],
  }));

/** Listens, and opens a client that sends this request. */
async function sending(
  service: TestService,
  line: string,
  headers: Parameters<typeof headOf>[2] = {},
  body: string | Buffer = '',
) {
  const place = await service.listen();
  return await openClient(
    place,
    Buffer.concat([headOf(place, line, headers), body].map((part) => Buffer.from(part))),
  );
}

const TIMED_OUT = { status: 408, code: 'request_timeout' };

test.each<
  [
    what: string,
    limits: Parameters<typeof startService>[0],
    begin: (service: TestService) => Promise<SlowClient>,
    dripped: string,
    answers: object[] | undefined,
  ]
>([
  [
    'a head that never ends is answered 408 and its connection closed',
    { limits: { headMs: 50 } },
    async (service) => openClient(await service.listen(), 'GET /_kyclone/health HTTP/1.1\r\nhost: '),
    '',
    [{ ...TIMED_OUT, connection: 'close' }],
  ],
  [
    'a head that comes byte by byte has the same time as any other',
    { limits: { headMs: 100 } },
    async (service) => openClient(await service.listen()),
    `GET /${'x'.repeat(60_000)}`,
    undefined,
  ],
  [
    'a connection that never asks anything is closed without a word',
    { limits: { headMs: 50 } },
    async (service) => openClient(await service.listen()),
    '',
    [],
  ],
  [
    'a connection that has asked is closed when it asks nothing more',
    { limits: { idleMs: 50 } },
    (service) => sending(service, 'GET /_kyclone/health'),
    '',
    [{ status: 200 }],
  ],
  [
    'a JSON body that stops coming is 408, and nothing is stored',
    { limits: { stallMs: 1_000 } },
    (service) =>
      sending(service, 'POST /users', { ...JSON_POST, 'content-length': 500 }, '{"id.first_name":"Ja'),
    '',
    [{ ...TIMED_OUT, connection: 'close' }],
  ],
  [
    'a JSON body that comes byte by byte is 408 when its time in all is over',
    { limits: { bodyMs: 100 } },
    (service) => sending(service, 'POST /users', { ...JSON_POST, 'content-length': 30_000 }),
    ' '.repeat(29_000),
    [TIMED_OUT],
  ],
  [
    'the rest of a refused body is discarded, for a limited time',
    { limits: { stallMs: 100 } },
    (service) => sending(service, 'POST /users', { 'content-length': 30_000 }),
    ' '.repeat(29_000),
    [{ status: 401 }],
  ],
])('%s', async (_what, options, begin, dripped, answers) => {
  await using service = await startService(options);
  const client = await begin(service);
  if (dripped !== '') await drip(client, dripped, 5);
  await client.closed;
  if (answers !== undefined) expect(answersOf(client)).toMatchObject(answers);
  if (answers?.length === 0) expect(client.received()).toBe('');
  expect((await service.call('GET /_kyclone/entities')).body.data).toEqual([]);
});

test('an upload that stops coming is 408, and leaves no file', async () => {
  await using service = await startService({ limits: { stallMs: 1_000 } });
  const id = await service.user({});
  const headers = { ...KEY, 'content-type': 'image/png', 'content-length': 500_000 };
  const path = `POST /users/${id}/vault/${IMAGE}/upload`;
  const client = await sending(service, path, headers, Buffer.alloc(200_000, 'k'));

  await client.closed;

  expect(answersOf(client)).toMatchObject([{ status: 408, code: 'request_timeout', connection: 'close' }]);
  expect(
    (await service.call('GET /_kyclone/entities/{fp_id}', { params: { fp_id: id } })).body.vault,
  ).toEqual([]);
});

test('a slow upload that makes progress may take longer than every deadline', async () => {
  const stallMs = 3_000;
  await using service = await startService({ limits: { stallMs, bodyMs: 50, headMs: 1_000 } });
  const id = await service.user({});
  const headers = { ...KEY, 'content-type': 'image/png', 'content-length': 30 };
  const client = await sending(service, `POST /users/${id}/vault/${IMAGE}/upload`, headers);

  // The upload as a whole takes longer than the limit of a stall. Each pause is far shorter.
  await drip(client, 'k'.repeat(30), stallMs / 23);
  await until(() => client.received() !== '');

  expect(answersOf(client)).toMatchObject([{ status: 200 }]);
  client.leave();
});

test.each([
  ['an upload', 'image/png', (id: string) => `POST /users/${id}/vault/${IMAGE}/upload`, '{', '}', [200]],
  ['a body', 'application/json', () => 'POST /users', '{', '}', [200]],
  [
    'a connection',
    'application/json',
    () => 'POST /users',
    '{}',
    'GET / HTTP/1.1\r\nhost: x\r\n\r\n',
    [200, 421],
  ],
])(
  '%s that goes on while the process stands still is in time',
  async (_what, type, request, now, later, statuses) => {
    await using service = await startService({ limits: { stallMs: 500, idleMs: 500 } });
    const headers = { ...KEY, 'content-type': type, 'content-length': 2 };
    const client = await sending(service, request(await service.user({})), headers, now);

    // The server reads what has come so far.
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
    setTimeout(() => client.socket.write(later), 100);
    // For longer than a stall may take.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
    await until(() => parseAnswers(client.received()).length === statuses.length || client.isClosed());

    expect(answersOf(client).map(({ status }) => status)).toEqual(statuses);
    client.leave();
  },
);

test('an unread answer ends when nothing of it is taken for a while', async () => {
  await using service = await startService({ limits: { stallMs: 100 } });
  const place = await service.listen();
  const id = await service.user({});
  await service.upload(id, IMAGE, Buffer.alloc(9_000_000, 'k'));
  const token = await service.token(id, {
    scope: 'decrypt_download',
    fields: [IMAGE],
    decrypt_reason: 'test',
  });
  const path = `GET /users/vault/decrypt/${token}`;
  const client = await openClient(place, headOf(place, path), { reads: false });

  await until(() => serverSides(service) === 0);

  client.leave();
});

test('a request that a fault rule holds has all its time, and so has its body', async () => {
  await using service = await startService({ limits: { stallMs: 60, headMs: 60, bodyMs: 5_000 } });
  await service.call('POST /_kyclone/faults', { body: { match: { path: '/users' }, latency_ms: 1_500 } });
  const client = await sending(service, 'POST /users', { ...KEY, ...JSON_TYPE, 'content-length': 2 }, '{}');

  await until(() => client.received() !== '');

  expect(answersOf(client)).toMatchObject([{ status: 200 }]);
  client.leave();
});

test('a stream that is read stays open however quiet it is', async () => {
  await using service = await startService({ limits: { stallMs: 500, headMs: 500, idleMs: 500 } });
  const control = { authorization: `Bearer ${'k'.repeat(43)}` };
  const client = await sending(service, 'GET /_kyclone/stream', control);

  await until(() => client.received().includes(': kyclone'));
  await pause(1_500);
  await service.call('POST /users', { body: {} });
  await until(() => client.received().includes('event: request'));

  expect(client.isClosed()).toBe(false);
  client.leave();
});

test('beyond the most connections a new one is refused with 503 and a time to retry after', async () => {
  await using service = await startService({ limits: { connections: 3, silentMs: 600_000 } });
  const place = await service.listen();
  const first = await Promise.all([1, 2, 3].map(() => openClient(place, 'GET /')));
  await until(() => serverSides(service) === 3);

  const fourth = await openClient(place, headOf(place, 'GET /_kyclone/health'));
  await fourth.closed;

  expect(answersOf(fourth)).toEqual([
    { status: 503, code: 'overloaded', connection: 'close', retryAfter: '1' },
  ]);
  first[0]?.leave();
  await until(() => serverSides(service) === 2);
  const fifth = await openClient(place, headOf(place, 'GET /_kyclone/health'));
  await until(() => fifth.received() !== '');
  expect(answersOf(fifth)).toMatchObject([{ status: 200 }]);
  for (const client of [...first, fifth]) client.leave();
});

test('beyond the most connections one that only waits for its next request makes room', async () => {
  await using service = await startService({ limits: { connections: 2, silentMs: 600_000 } });
  const place = await service.listen();
  const request = headOf(place, 'GET /_kyclone/health');
  const idle = await openClient(place, request);
  await until(() => idle.received() !== '');
  const busy = await openClient(place, 'GET /');
  await until(() => serverSides(service) === 2);

  const third = await openClient(place, request);
  await until(() => third.received() !== '');

  expect(answersOf(third)).toMatchObject([{ status: 200 }]);
  await idle.closed;
  expect(busy.isClosed()).toBe(false);
  for (const client of [busy, third]) client.leave();
});

test('beyond the most connections those without a request make room for new ones', async () => {
  await using service = await startService({ limits: { connections: 2, silentMs: 0 } });
  const place = await service.listen();
  const oldest = await openClient(place);
  await until(() => serverSides(service) === 1);
  const younger = await openClient(place, 'GET /');
  await until(() => serverSides(service) === 2);

  const third = await openClient(place, headOf(place, 'GET /_kyclone/health'));
  await until(() => third.received() !== '');

  expect(answersOf(third)).toMatchObject([{ status: 200 }]);
  await oldest.closed;
  expect(younger.isClosed()).toBe(false);
  for (const client of [younger, third]) client.leave();
});

describe('beyond the most connections, those that wait because of a wrong credential', () => {
  const WRONG = { 'x-service-secret-key': `sk_test_${'z'.repeat(32)}` };
  const LIMITS = {
    connections: 4,
    silentMs: 600_000,
    wrongAtOnce: 0,
    wrongPerSecond: 0,
    wrongDelayMs: 60_000,
  };
  const TOKEN = { 'x-fp-authorization': `cttok_${'z'.repeat(34)}` };
  type Place = Parameters<typeof openClient>[0];

  /** Sends a request with the right key and returns the status of its answer. */
  async function statusOf(client: SlowClient, place: Place): Promise<number | undefined> {
    const before = client.received().length;
    client.socket.write(headOf(place, 'GET /users', KEY));
    await until(() => client.received().length > before || client.isClosed());
    return answersOf(client).at(-1)?.status;
  }

  /** Opens connections one after another; returns them when all their requests have arrived. */
  async function openAll(service: TestService, place: Place, heads: readonly string[]) {
    const opened = [];
    for (const head of heads) {
      const count = serverSides(service) + 1;
      opened.push(await openClient(place, head));
      await until(() => serverSides(service) === count);
    }
    return opened;
  }

  test('make room, the oldest first, before an idle one does', async () => {
    await using service = await startService({ limits: LIMITS });
    const place = await service.listen();
    const right = await openClient(place);
    expect(await statusOf(right, place)).toBe(200);
    const wrong = headOf(place, 'GET /users', WRONG);
    const waiting = await openAll(service, place, [wrong, wrong, wrong]);
    expect(await statusOf(right, place)).toBe(200);

    const others = [];
    for (const one of waiting) {
      const other = await openClient(place);
      others.push(other);
      expect(await statusOf(other, place)).toBe(200);
      await one.closed;
    }

    expect(waiting.map((each) => each.received())).toEqual(['', '', '']);
    expect(await statusOf(right, place)).toBe(200);
    for (const client of [right, ...others]) client.leave();
  });

  test('make room for their own kind: the client with most of them loses one', async () => {
    await using service = await startService({ limits: LIMITS });
    const place = await service.listen();
    const lone = headOf(place, 'GET /users/vault', TOKEN);
    const wrong = headOf(place, 'GET /users', WRONG);
    const [token, ...keys] = await openAll(service, place, [lone, wrong, wrong]);
    const right = await openClient(place);
    expect(await statusOf(right, place)).toBe(200);

    keys.push(await openClient(place, wrong));
    await keys[0]?.closed;

    expect([token, ...keys].map((each) => each?.isClosed())).toEqual([false, true, false, false]);
    expect(await statusOf(right, place)).toBe(200);
    for (const client of [right, token, ...keys]) client?.leave();
  });

  test('so do those that were refused and owe the rest of their request', async () => {
    await using service = await startService({ limits: { ...LIMITS, wrongDelayMs: 0 } });
    const place = await service.listen();
    const body = { ...JSON_TYPE, 'content-length': 1_000 };
    const owing = await openAll(
      service,
      place,
      Array.from({ length: LIMITS.connections }, () => headOf(place, 'POST /users', { ...WRONG, ...body })),
    );
    await until(() => owing.every((each) => each.received() !== ''));

    const right = await openClient(place);
    expect(await statusOf(right, place)).toBe(200);
    for (const client of [right, ...owing]) client.leave();
  });
});

test('a crowd of slow clients leaves everybody else served', async () => {
  await using service = await startService();
  const place = await service.listen();
  const crowd = await Promise.all(
    Array.from({ length: 300 }, () => openClient(place, 'GET / HTTP/1.1\r\nx')),
  );
  await until(() => serverSides(service) === 300);

  const client = await openClient(place, headOf(place, 'GET /users', KEY));
  await until(() => client.received() !== '');

  expect(answersOf(client)).toMatchObject([{ status: 200 }]);
  for (const each of [...crowd, client]) each.leave();
});

function serverSides(service: TestService): number {
  return service.runtime.connections.size;
}
