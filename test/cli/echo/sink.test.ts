import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, Agent, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { connect as tlsConnect } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { BODY_LIMIT_BYTES } from '../../../src/cli/echo/answers.ts';
import { createAuthority } from '../../../src/cli/echo/authority.ts';
import { startEcho, type Echo, type EchoOptions } from '../../../src/cli/echo/sink.ts';
import { systemClock } from '../../../src/kernel/time/clock.ts';

interface Answer {
  readonly status: number | undefined;
  readonly body: Buffer;
}

/** Makes one call, on a connection of its own unless an agent is given. */
async function ask(url: string, options: RequestOptions & { body?: string | Buffer } = {}): Promise<Answer> {
  const { body, ...rest } = options;
  const send = url.startsWith('https:') ? httpsRequest : httpRequest;
  const outgoing = send(url, { agent: false, method: 'POST', ...rest });
  outgoing.end(body);
  const [message] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: message.statusCode, body: await buffer(message) };
}

async function account(url: string, options?: RequestOptions & { body?: string }): Promise<unknown> {
  return JSON.parse((await ask(url, options)).body.toString());
}

async function echo(options?: EchoOptions): Promise<Echo & AsyncDisposable> {
  const started = await startEcho(options);
  return { ...started, [Symbol.asyncDispose]: () => started.close() };
}

const portOf = (url: string) => Number(new URL(url).port);

/** Returns a promise and the function that fulfils it, so that a test can wait for a callback. */
function awaited<T = undefined>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}

/** Opens a connection and sends nothing. */
async function silentConnection(url: string): Promise<Socket> {
  const socket = connect(portOf(url), '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

describe('over HTTP', () => {
  test('startEcho: returns the request', async () => {
    await using sink = await echo();
    const url = `${sink.httpUrl}/checks?a=b`;
    expect(await account(url, { body: 'hello', method: 'PATCH', headers: { 'x-one': '1' } })).toMatchObject({
      method: 'PATCH',
      path: '/checks?a=b',
      headers: { 'x-one': '1' },
      body: 'hello',
      tls: null,
    });
  });

  test('startEcho: reports each request with number, body and status, then that its answer is out', async () => {
    const reported: unknown[] = [];
    const { promise, resolve } = awaited();
    await using sink = await echo({
      onRequest: ({ number, target, body }, status) =>
        void reported.push([number, target, body.toString(), status]),
      onAnswered: ({ number }) => {
        if (reported.push(number) === 4) resolve(undefined);
      },
    });
    await ask(`${sink.httpUrl}/one`, { body: 'first' });
    await expect.poll(() => reported).toHaveLength(2);
    await ask(`${sink.httpUrl}/status/418`, { body: 'second' });
    await promise;
    expect(reported).toEqual([[1, '/one', 'first', 200], 1, [2, '/status/418', 'second', 418], 2]);
  });

  test('startEcho: a client that disconnects while waiting counts as answered', async () => {
    const { promise: answered, resolve } = awaited<number>();
    const { promise: arrived, resolve: arrive } = awaited();
    await using sink = await echo({
      onRequest: () => arrive(undefined),
      onAnswered: ({ number }) => resolve(number),
    });
    const outgoing = httpRequest(`${sink.httpUrl}/slow/120000`, { agent: false });
    outgoing.on('error', () => undefined);
    outgoing.end();
    await arrived;
    outgoing.destroy();
    expect(await answered).toBe(1);
  });

  test('startEcho: an interrupted request does not count', async () => {
    const seen: number[] = [];
    await using sink = await echo({ onRequest: ({ number }) => void seen.push(number) });
    const cut = await silentConnection(sink.httpUrl);
    cut.write('POST /cut HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nhalf');
    cut.end();
    await once(cut.resume(), 'close');
    await ask(`${sink.httpUrl}/whole`);
    expect(seen).toEqual([1]);
  });

  test('startEcho: a body over 16 MiB is refused and not kept; one of 16 MiB is not refused', async () => {
    const kept: number[] = [];
    await using sink = await echo({ onRequest: ({ body }) => void kept.push(body.length) });
    const over = await ask(sink.httpUrl, { body: Buffer.alloc(BODY_LIMIT_BYTES + 1, 'x') });
    expect(over.status).toBe(413);
    const within = await ask(`${sink.httpUrl}/json`, { body: Buffer.alloc(BODY_LIMIT_BYTES, 'x') });
    expect(within.body.length).toBe(BODY_LIMIT_BYTES);
    expect(kept).toEqual([0, BODY_LIMIT_BYTES]);
  });
});

describe('over HTTPS', () => {
  test.each([
    ['127.0.0.1', {}],
    ['localhost', { servername: 'localhost' }],
  ])('startEcho: its authority vouches for it as %s, and for no client', async (_, name) => {
    await using sink = await echo();
    expect(sink.client).toBeUndefined();
    expect(await account(sink.httpsUrl, { ca: sink.authority, ...name })).toMatchObject({
      tls: { version: 'TLSv1.3', client_certificate: null },
    });
  });

  test('startEcho: no other authority signed its certificate', async () => {
    await using sink = await echo();
    await expect(ask(sink.httpsUrl)).rejects.toThrow();
    const { certificate: other } = await createAuthority('kyclone echo authority', systemClock.now());
    await expect(ask(sink.httpsUrl, { ca: other })).rejects.toThrow();
  });

  test('startEcho: the certificate that it names is the one it shows', async () => {
    await using sink = await echo();
    const socket = tlsConnect({ port: portOf(sink.httpsUrl), host: '127.0.0.1', ca: sink.authority });
    await once(socket, 'secureConnect');
    const named = new X509Certificate(sink.serverCertificate);
    expect(socket.getPeerX509Certificate()?.fingerprint256).toBe(named.fingerprint256);
    expect(named.ca).toBe(false);
  });

  test.each<[string, (socket: Socket) => unknown, RegExp]>([
    [
      'gets no further than the handshake',
      (socket) => socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'),
      /^the client spoke plain HTTP$/,
    ],
    ['breaks off the handshake', (socket) => socket.destroy(), /^the client broke the connection$/],
    ['fails otherwise', (socket) => socket.write('nothing of TLS or HTTP'), /^code ERR_SSL_\w+$/],
  ])('startEcho: a client that %s is reported', async (_, act, failure) => {
    const { promise, resolve } = awaited<string>();
    await using sink = await echo({ onTlsFailure: resolve });
    act(await silentConnection(sink.httpsUrl));
    expect(await promise).toMatch(failure);
  });
});

describe('mutual TLS', () => {
  test('mutualTls: its own client is served, and named; HTTP works as before', async () => {
    await using sink = await echo({ mutualTls: true });
    const options = { ca: sink.authority, cert: sink.client?.certificate, key: sink.client?.key };
    expect(await account(sink.httpsUrl, options)).toMatchObject({
      tls: { client_certificate: 'CN=kyclone echo client' },
    });
    expect((await ask(sink.httpUrl)).status).toBe(200);
  });

  /** Checks that no request of this client is served, and that the reason is reported. */
  async function expectRefused(client: object, failure: RegExp): Promise<void> {
    const seen: number[] = [];
    const { promise, resolve } = awaited<string>();
    await using sink = await echo({
      mutualTls: true,
      onRequest: ({ number }) => void seen.push(number),
      onTlsFailure: resolve,
    });
    await expect(ask(sink.httpsUrl, { ca: sink.authority, ...client })).rejects.toThrow();
    expect(await promise).toMatch(failure);
    expect(seen).toEqual([]);
  }

  test.each(['TLSv1.2', 'TLSv1.3'] as const)('mutualTls: no certificate, no answer (%s)', (maxVersion) =>
    expectRefused({ maxVersion }, /^the client showed no certificate$/),
  );

  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'mutualTls: the certificate of another authority is refused, whatever its name (%s)',
    async (maxVersion) => {
      const other = await createAuthority('kyclone echo authority', systemClock.now());
      const { certificate, key } = await other.issue({ subject: 'kyclone echo client', usage: 'client' });
      const reason = /^the certificate of the client was refused \(\w+\)$/;
      await expectRefused({ cert: certificate, key, maxVersion }, reason);
    },
  );
});

describe('ports', () => {
  test('ports: are the requested ones', async () => {
    const free = await startEcho();
    await free.close();
    const ports = { http: portOf(free.httpUrl), https: portOf(free.httpsUrl) };
    await using sink = await echo({ ports });
    expect([portOf(sink.httpUrl), portOf(sink.httpsUrl)]).toEqual([ports.http, ports.https]);
  });

  test.each([
    ['http', '--port'],
    ['https', '--tls-port'],
  ] as const)(
    'ports: a taken one for %s is a conflict, no socket stays, and the hint names %s',
    async (which, flag) => {
      await using first = await echo();
      const taken = portOf(first.httpUrl);
      const free = await startEcho();
      await free.close();
      const other = portOf(free.httpUrl);
      const ports = which === 'http' ? { http: taken, https: other } : { http: other, https: taken };
      await expect(startEcho({ ports })).rejects.toMatchObject({
        code: 'port_taken',
        exitCode: 8,
        hint: `omit ${flag} to get a free one`,
      });
      await expect(silentConnection(`http://127.0.0.1:${other}`)).rejects.toMatchObject({
        code: 'ECONNREFUSED',
      });
    },
  );
});

describe('close', () => {
  test('close: nothing listens any more', async () => {
    const { httpUrl, httpsUrl, close } = await echo();
    await close();
    for (const url of [httpUrl, httpsUrl]) {
      await expect(silentConnection(url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    }
  });

  test('close: waits neither for a kept connection nor for a slow answer or a handshake', async () => {
    const { promise: arrived, resolve: arrive } = awaited();
    const sink = await startEcho({
      onRequest: ({ target }) => {
        if (target.startsWith('/slow')) arrive(undefined);
      },
    });
    const agent = new Agent({ keepAlive: true });
    await ask(sink.httpUrl, { agent });
    const handshaking = await silentConnection(sink.httpsUrl);
    const slow = ask(`${sink.httpUrl}/slow/120000`);
    const cut = expect(slow).rejects.toThrow();
    await arrived;
    const ended = once(handshaking.resume(), 'close');
    await sink.close();
    await cut;
    await ended;
    agent.destroy();
  });
});
