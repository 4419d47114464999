import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { startRawTarget, startTarget } from '../support/targets.ts';
import { until } from '../support/patience.ts';
import { call, failureOf } from './an-outbound.ts';
import { answered, cutOff, LIMIT, refused, tooLarge, withLength } from './an-answer.ts';

describe('statuses', () => {
  it.each([200, 201, 299, 301, 302, 307, 308, 400, 404, 418, 500, 503, 599])(
    'send: %i is an answer',
    async (status) => {
      const answer = await answered(`HTTP/1.1 ${status} Any\r\ncontent-length: 2\r\n\r\nhi`);
      expect(answer).toMatchObject({ status, body: Buffer.from('hi') });
    },
  );

  it.each([204, 304])('send: %i has no body, whatever its head says', async (status) => {
    const answer = await answered(`HTTP/1.1 ${status} Any\r\ncontent-encoding: gzip\r\n\r\n`);
    expect(answer).toMatchObject({ status, body: Buffer.alloc(0) });
  });

  it('send: the answer to HEAD has no body, whatever length it would have', async () => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-length: 5000\r\ncontent-encoding: gzip\r\netag: "a"\r\n\r\n';
    expect(await answered(head, { method: 'HEAD' })).toMatchObject({
      status: 200,
      headers: { etag: '"a"' },
      body: Buffer.alloc(0),
    });
  });

  it.each([0, 99, 600, 999])('send: %i is no status', async (status) => {
    const head = `HTTP/1.1 ${String(status).padStart(3, '0')} Any\r\ncontent-length: 0\r\n\r\n`;
    expect(await refused(head)).toMatchObject({ kind: 'unreachable' });
  });

  it('send: a redirect is answered, not followed', async () => {
    await using elsewhere = await startTarget();
    await using target = await startTarget({
      handler: (_, response) => response.writeHead(307, { location: elsewhere.url }).end('moved'),
    });
    expect(await call({ url: target.url, body: Buffer.from('body') })).toMatchObject({
      status: 307,
      headers: { location: elsewhere.url },
      body: Buffer.from('moved'),
    });
    expect(elsewhere.connections).toBe(0);
    expect(target.requests).toHaveLength(1);
  });

  it('send: informational answers are passed over', async () => {
    const informational =
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early\r\nlink: <a>\r\n\r\n';
    const answer = await answered(`${informational}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi`);
    expect(answer).toMatchObject({ status: 200, body: Buffer.from('hi') });
    expect(answer.headers).toEqual({});
  });

  it.each([
    ['HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'],
    ['HTTP/1.1 101 Switching\r\n\r\n'],
  ])('send: %j is refused', async (head) => {
    expect(await refused(head)).toMatchObject({ kind: 'unreachable' });
  });
});

describe('headers', () => {
  it('send: in lower case, set-cookie as a list, without those of the connection and the packing', async () => {
    const { headers } = await answered(
      [
        'HTTP/1.1 200 OK',
        'Content-Type: text/plain; charset=utf-8',
        'Set-Cookie: a=1',
        'Set-Cookie: b=2',
        'X-Twice: one',
        'X-Twice: two',
        'Connection: close, X-Hop',
        'X-Hop: gone',
        'Keep-Alive: timeout=5',
        'Proxy-Authenticate: Basic',
        'Proxy-Authorization: Basic a',
        'Proxy-Connection: close',
        'TE: trailers',
        'Trailer: x-late',
        'Upgrade: h2c',
        'Transfer-Encoding: chunked',
        'Content-Encoding: identity',
        'Location: /elsewhere',
        '',
        '2',
        'hi',
        '0',
        'x-late: dropped',
        '',
        '',
      ].join('\r\n'),
    );
    expect(headers).toEqual({
      'content-type': 'text/plain; charset=utf-8',
      'set-cookie': ['a=1', 'b=2'],
      'x-twice': 'one, two',
      location: '/elsewhere',
    });
  });

  it('send: a head over 64 KiB is too large', async () => {
    expect(await refused(`HTTP/1.1 200 OK\r\nx-long: ${'a'.repeat(70_000)}\r\n\r\n`)).toEqual({
      kind: 'too_large',
      message: 'The head of the answer is larger than 65536 bytes',
    });
  });

  it('send: a head of 60 KiB is read', async () => {
    const answer = await answered(
      `HTTP/1.1 200 OK\r\nx-long: ${'a'.repeat(60_000)}\r\ncontent-length: 0\r\n\r\n`,
    );
    expect(answer.headers['x-long']).toHaveLength(60_000);
  });
});

describe('bodies', () => {
  it('send: as many bytes as the limit are read', async () => {
    expect((await answered(withLength('a'.repeat(LIMIT)))).body).toHaveLength(LIMIT);
  });

  it('send: chunks are put together', async () => {
    const chunked =
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n3;ext=1\r\n yo\r\n0\r\n\r\n';
    expect((await answered(chunked.match(/[^]/g) ?? [])).body.toString()).toBe('hi yo');
  });

  it('send: without a length the body ends with the connection', async () => {
    expect((await answered('HTTP/1.1 200 OK\r\n\r\nhi')).body.toString()).toBe('hi');
    expect((await answered('HTTP/1.0 200 OK\r\n\r\nhi')).body.toString()).toBe('hi');
  });

  it('send: what comes after a whole body is of no concern', async () => {
    expect((await answered('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi there')).body.toString()).toBe(
      'hi',
    );
  });

  it('send: an answer before the request was read is one', async () => {
    const answer = await answered(withLength('hi'), { script: { after: 'first byte' } });
    expect(answer.body.toString()).toBe('hi');
  });

  it('send: a length over the limit is too large before anything is read', async () => {
    const head = `HTTP/1.1 200 OK\r\ncontent-length: ${LIMIT + 1}\r\n\r\n`;
    expect(await refused(head, { script: { then: 'silence' } })).toEqual(tooLarge);
  });

  it('send: a chunked answer is given up once it is over the limit', async () => {
    const chunk = `400\r\n${'a'.repeat(1024)}\r\n`;
    const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
    expect(await refused([head, chunk], { script: { then: 'silence' } })).toEqual(tooLarge);
  });

  it('send: an answer without length is given up once it is over the limit', async () => {
    const answer = ['HTTP/1.1 200 OK\r\n\r\n', 'a'.repeat(LIMIT + 1)];
    expect(await refused(answer, { script: { then: 'silence' } })).toEqual(tooLarge);
  });

  it.each([
    ['a length that is not reached', 'end', 'content-length: 10\r\n\r\nhi'],
    ['a reset in the middle of the body', 'reset', 'content-length: 10\r\n\r\nhi'],
    ['a chunk that is not reached', 'end', 'transfer-encoding: chunked\r\n\r\na\r\nhi'],
    ['chunks without an end', 'end', 'transfer-encoding: chunked\r\n\r\n2\r\nhi\r\n'],
  ] as const)('send: %s is cut off', async (_, then, bytes) => {
    expect(await refused(`HTTP/1.1 200 OK\r\n${bytes}`, { script: { then } })).toEqual(cutOff);
  });

  it('send: an invalid chunk length', async () => {
    expect(await refused('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhi\r\n')).toEqual({
      status: 200,
      kind: 'unreachable',
      message: 'The answer is no HTTP/1.1 (HPE_INVALID_CHUNK_SIZE)',
    });
  });
});

const chunks = '2\r\nhi\r\n0\r\n\r\n';
it.each([
  ['two equal lengths', 'HTTP/1.1 201 Made\r\ncontent-length: 2\r\nContent-Length: 2\r\n\r\nhi there'],
  ['a list of equal lengths', 'HTTP/1.1 201 Made\r\ncontent-length: 2, 2\r\n\r\nhi'],
  [
    'a length before chunks',
    `HTTP/1.1 201 Made\r\ncontent-length: 9\r\ntransfer-encoding: chunked\r\n\r\n${chunks}`,
  ],
  [
    'a length behind chunks',
    `HTTP/1.1 201 Made\r\nTransfer-Encoding: Chunked\r\ncontent-length: 9\r\n\r\n${chunks}`,
  ],
  ['a transfer encoding that is none', 'HTTP/1.1 201 Made\r\ntransfer-encoding: identity\r\n\r\nhi'],
  ['lines without carriage returns', 'HTTP/1.1 201 Made\ncontent-length: 2\n\nhi'],
  ['a folded header', 'HTTP/1.1 201 Made\r\nx-a: b\r\n\tcontent-length: 7\r\ncontent-length: 2\r\n\r\nhi'],
  [
    'chunked twice',
    `HTTP/1.1 201 Made\r\ntransfer-encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`,
  ],
  ['chunked twice in a line', `HTTP/1.1 201 Made\r\ntransfer-encoding: chunked, chunked\r\n\r\n${chunks}`],
  ['a blank before a colon', 'HTTP/1.1 201 Made\r\ncontent-length : 2\r\nx-a \t: b\r\n\r\nhi'],
  ['a header without a name', 'HTTP/1.1 201 Made\r\n: a\r\ncontent-length: 2\r\n\r\nhi'],
  ['an informational head', 'HTTP/1.1 103 Hints\nlink: a\n\nHTTP/1.1 201 Made\ncontent-length: 2\n\nhi'],
])('send: %s, whole and byte by byte', async (_, text) => {
  for (const answer of [text, text.split('')]) {
    const { status, body } = await answered(answer);
    expect([status, body.toString()]).toEqual([201, 'hi']);
  }
});

describe('invalid responses', () => {
  it.each([
    ['garbage', 'secret garbage\r\n\r\n'],
    ['binary garbage', Buffer.from([0, 1, 2, 3, 255])],
    ['another protocol', 'SSH-2.0-secret\r\n'],
    [
      'two lengths beside chunks that are none',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\ntransfer-encoding: x\r\n\r\n',
    ],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nhi'],
    ['a negative length', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n'],
    ['a header without a colon', 'HTTP/1.1 200 OK\r\nsecret\r\n\r\n'],
  ])('send: %s is no HTTP', async (_, bytes) => {
    const { kind, message } = await refused(bytes, { script: { after: 'first byte' } });
    expect(kind).toBe('unreachable');
    expect(message).toMatch(/^TARGET answers with no HTTP\/1\.1 \(HPE_\w+\)$/);
  });

  it.each([
    ['nothing', '', undefined],
    ['half a head', 'HTTP/1.1 200 OK\r\ncontent-', undefined],
    ['a reset', undefined, 'reset'],
  ] as const)('send: %s is no answer', async (_, bytes, then) => {
    const { kind, message } = await refused(bytes, then && { script: { then } });
    expect(kind).toBe('unreachable');
    expect(message).toMatch(/^TARGET closed the connection before it answered \(ECONNRESET\)/);
  });
});

describe('slow answers', () => {
  it.each([
    ['nothing comes', [], 'TARGET did not answer in time'],
    ['half a head comes', ['HTTP/1.1 200 OK\r\ncontent-'], 'TARGET did not answer in time'],
    [
      'half a body comes',
      ['HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhi'],
      'TARGET did not finish its answer in time',
    ],
    [
      'half a packed body comes',
      ['HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n', gzipSync('hi').subarray(0, 8)],
      'TARGET did not finish its answer in time',
    ],
  ] as const)('send: when %s before the deadline, nothing stays open', async (_, answer, message) => {
    await using target = await startRawTarget({ answer, then: 'silence' });
    const { signal, expired } = aDeadline();
    const failing = failureOf(call({ url: target.url, limits: { signal } }));
    await (message.endsWith('did not answer in time')
      ? until('it is asked', () => (target.received[0]?.length ?? 0) > 0)
      : headArrived(target.port));
    expired();
    const failure = await failing;
    expect(failure).toMatchObject({ kind: 'timeout', connection: { address: '127.0.0.1' } });
    expect(failure.message.replace(/127\.0\.0\.1:\d+/, 'TARGET')).toBe(message);
    await until('it is closed', () => target.open === 0);
  });

  it('send: nothing stays open after an answer, whatever the server would', async () => {
    await using target = await startRawTarget({ answer: withLength('hi'), then: 'silence' });
    await call({ url: target.url });
    await until('it is closed', () => target.open === 0);
  });

  it('send: nothing stays open after a refused answer', async () => {
    await using target = await startRawTarget({ answer: withLength('a'.repeat(2000)), then: 'silence' });
    await failureOf(call({ url: target.url, limits: { maxBodyBytes: 10 } }));
    await until('it is closed', () => target.open === 0);
  });
});

function aDeadline() {
  const controller = new AbortController();
  return { signal: controller.signal, expired: () => controller.abort() };
}

/** Resolves when a caller of this process has read the head of the next answer from that port. */
function headArrived(port: number): Promise<void> {
  return new Promise((resolve) => {
    const name = 'http.client.response.finish';
    const hear = (message: unknown): void => {
      const { request } = message as { request: ClientRequest };
      if (!String(request.getHeader('host')).endsWith(`:${port}`)) return;
      unsubscribe(name, hear);
      // Waits until the head has been passed on to the caller, too.
      setImmediate(resolve);
    };
    subscribe(name, hear);
  });
}
