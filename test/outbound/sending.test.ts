import { describe, expect, it } from 'vitest';
import { startRawTarget, startTarget } from '../support/targets.ts';
import { anOutbound, call, failureOf, NO_TLS, resolvingTo } from './an-outbound.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';

/** Returns the bytes that one call sends. */
async function sent(request: Omit<Parameters<typeof call>[0], 'url'>, path = '/path'): Promise<string> {
  await using target = await startRawTarget({ answer: OK });
  await call({
    url: `http://name.test:${target.port}${path}`,
    context: { resolve: resolvingTo('127.0.0.1') },
    ...request,
  });
  return (target.received[0] ?? Buffer.alloc(0)).toString('latin1').replaceAll(String(target.port), 'PORT');
}

describe('sent requests', () => {
  it('send: the head as given, with host, length and the end of the connection', async () => {
    const bytes = await sent(
      {
        method: 'POST',
        headers: {
          'content-type': 'text/plain',
          accept: '*/*',
          'x-two-words': 'a b',
          'user-agent': 'test/1',
        },
        body: Buffer.from('zwölf'),
      },
      '/a%20b/../c?q=1&r=%7B',
    );
    expect(bytes).toBe(
      [
        'POST /c?q=1&r=%7B HTTP/1.1',
        'host: name.test:PORT',
        'content-type: text/plain',
        'accept: */*',
        'x-two-words: a b',
        'user-agent: test/1',
        'content-length: 6',
        'connection: close',
        '',
        Buffer.from('zwölf').toString('latin1'),
      ].join('\r\n'),
    );
  });

  it.each([
    ['GET', ''],
    ['HEAD', ''],
    ['OPTIONS', ''],
    ['DELETE', ''],
    ['POST', 'content-length: 0\r\n'],
    ['PUT', 'content-length: 0\r\n'],
    ['PATCH', 'content-length: 0\r\n'],
  ])('send: %s without a body', async (method, length) => {
    expect(await sent({ method })).toBe(
      `${method} /path HTTP/1.1\r\nhost: name.test:PORT\r\n${length}connection: close\r\n\r\n`,
    );
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('send: %s with a body', async (method) => {
    expect(await sent({ method, body: Buffer.from([0, 255, 13, 10]) })).toBe(
      `${method} /path HTTP/1.1\r\nhost: name.test:PORT\r\ncontent-length: 4\r\nconnection: close\r\n\r\n\0ÿ\r\n`,
    );
  });

  it.each(['GET', 'HEAD'])('send: %s sends no body, even when there is one', async (method) => {
    expect(await sent({ method, body: Buffer.from('body') })).toBe(
      `${method} /path HTTP/1.1\r\nhost: name.test:PORT\r\nconnection: close\r\n\r\n`,
    );
  });

  it('send: a body of several megabytes arrives whole', async () => {
    await using target = await startTarget();
    const body = Buffer.alloc(5 * 1024 * 1024, 'abcdefg');
    await call({ url: target.url, body });
    expect(target.requests[0]?.body.equals(body)).toBe(true);
  });

  it('send: user info of the URL goes nowhere', async () => {
    await using target = await startTarget();
    await call({ url: `http://name:secret@127.0.0.1:${target.port}/` });
    expect(target.requests[0]?.headers).toEqual({
      host: `127.0.0.1:${target.port}`,
      'content-length': '0',
      connection: 'close',
    });
  });
});

describe('refused requests', () => {
  it.each([
    ['CR in a value', { 'x-a': 'b\rc: d' }],
    ['LF in a value', { 'x-a': 'b\nc: d' }],
    ['CRLF in a value', { 'x-a': 'b\r\nc: d' }],
    ['NUL in a value', { 'x-a': 'b\0' }],
    ['DEL in a value', { 'x-a': 'b\x7f' }],
    ['more than a byte in a value', { 'x-a': 'b\u0100' }],
    ['a value whose second byte is LF', { 'x-a': 'b\u010a' }],
    ['CR in a name', { 'x-a\r': 'b' }],
    ['LF in a name', { 'x-a\nc': 'b' }],
    ['NUL in a name', { 'x-a\0': 'b' }],
    ['a blank in a name', { 'x a': 'b' }],
    ['a colon in a name', { 'x-a:': 'b' }],
    ['an empty name', { '': 'b' }],
    ['a name in another script', { 'x-ä': 'b' }],
    ['host', { host: 'other.test' }],
    ['Host', { Host: 'other.test' }],
    ['content-length', { 'content-length': '1' }],
    ['transfer-encoding', { 'transfer-encoding': 'chunked' }],
    ['connection', { connection: 'keep-alive' }],
  ])('send: %s is refused, and nothing is opened', async (_, headers) => {
    await using target = await startTarget();
    const failure = await failureOf(call({ url: target.url, headers }));
    expect(failure.kind).toBe('refused');
    expect(failure.message).toMatch(/^The request has a header (?:name|value) that can't be sent$/);
    expect(target.connections).toBe(0);
  });

  it.each(['', 'GET /x HTTP/1.1\r\nx: y', 'GE T', 'CONNECT'])(
    'send: %j is refused as a method',
    async (method) => {
      await using target = await startTarget();
      expect(await failureOf(call({ url: target.url, method }))).toMatchObject({
        kind: 'refused',
        message: "The request has a method that can't be sent",
      });
      expect(target.connections).toBe(0);
    },
  );

  it('send: after the deadline nothing is opened', async () => {
    await using target = await startTarget();
    const outbound = anOutbound();
    const destination = await outbound.admit(new URL(target.url), 'local', new AbortController().signal);
    const request = { method: 'POST', headers: {}, body: undefined, tls: NO_TLS };
    const failure = await failureOf(
      outbound.send(destination, request, { signal: AbortSignal.abort(), maxBodyBytes: 10 }),
    );
    expect(failure).toMatchObject({ kind: 'timeout', connection: undefined });
    expect(target.connections).toBe(0);
  });
});

describe('where it goes', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '::1'],
  ])('send: a server on %s is reached by the name localhost', async (host, address) => {
    await using target = await startTarget({ host });
    const answer = await call({
      url: `http://localhost:${target.port}/`,
      context: { resolve: resolvingTo('::1', '127.0.0.1') },
    });
    expect(answer).toMatchObject({ status: 200, connection: { address } });
  });

  it('send: uses the checked address, whatever the name resolves to later', async () => {
    await using target = await startTarget();
    let asked = 0;
    const resolve = () => Promise.resolve(asked++ === 0 ? ['127.0.0.1'] : ['127.0.0.2']);
    const answer = await call({ url: `http://name.test:${target.port}/`, context: { resolve } });
    expect(answer.connection.address).toBe('127.0.0.1');
    expect(asked).toBe(1);
  });

  it('send: the IPv4-mapped form of an address reaches it', async () => {
    await using target = await startTarget();
    const answer = await call({ url: `http://[::ffff:127.0.0.1]:${target.port}/` });
    expect(answer).toMatchObject({ status: 200, connection: { address: '::ffff:7f00:1' } });
  });

  it('send: under open, the unspecified address is this machine', async () => {
    await using target = await startTarget();
    expect(await call({ url: `http://0.0.0.0:${target.port}/`, policy: 'open' })).toMatchObject({
      status: 200,
    });
  });

  it('send: every call has a connection of its own', async () => {
    await using target = await startTarget();
    await call({ url: target.url });
    await call({ url: target.url });
    expect(target.connections).toBe(2);
  });

  it('send: no server listens', async () => {
    // A port below 1024, since one that a test gave back may be another's by then.
    expect(
      await failureOf(call({ url: 'http://127.0.0.1:9/', headers: { 'x-secret': 'secret' } })),
    ).toMatchObject({
      kind: 'unreachable',
      message: "127.0.0.1:9 can't be reached: connection refused (ECONNREFUSED)",
      connection: undefined,
    });
  });
});
