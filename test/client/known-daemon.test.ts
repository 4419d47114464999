/**
 * The client sends no secret before the other side has proven to be the daemon. The other side is a socket that records
 * every byte.
 */
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import {
  MissingCredentialError,
  StaleControlTokenError,
  UnprovenError,
  UnreachableError,
} from '../../src/client/errors.ts';
import { openStream } from '../../src/client/event-stream.ts';
import { isChallenge } from '../../src/contract/identity-proof.ts';
import { startDaemon } from '../support/daemon.ts';
import { answerJson } from '../support/loopback.ts';
import { provingServer } from '../support/proving-server.ts';
import { testWith } from '../support/test-with.ts';

const test = testWith(startDaemon);

const API_KEY = 'sk_test_abcdefghijklmnopqrstuvwxyz012345';
const CONTROL_TOKEN = 'c'.repeat(43);
const CANARY = 'canary-of-a-value';
const SECRETS = [API_KEY, CONTROL_TOKEN, CANARY, Buffer.from(`${API_KEY}:`).toString('base64')];

/** Listens in place of a daemon, calls `say` for each connection, and records what it receives. */
async function impostor(say: (socket: Socket) => void): Promise<{ url: string; heard: () => string }> {
  let heard = '';
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => (heard += chunk.toString('latin1')));
    say(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard: () => heard };
}

const answer = (body: string, more = '') =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}${more}`;
const health = (more: object) =>
  JSON.stringify({ status: 'ok', nonce: 'n', pid: 1, instance: 'default', ...more });

const SAYINGS: [string, string][] = [
  ['a health answer with the nonce', answer('{"status":"ok","nonce":"n"}')],
  ['a made-up proof', answer(health({ proof: 'A'.repeat(43) }))],
  ['a proof that is no text', answer(health({ proof: 7 }))],
  ['a redirect', 'HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n'],
  ['a 401 that asks for Basic', 'HTTP/1.1 401 No\r\nwww-authenticate: Basic\r\ncontent-length: 0\r\n\r\n'],
  ['a head without end', 'x'.repeat(20_000)],
  ['more than an answer', answer(health({ proof: 'A'.repeat(43) }), 'HTTP/1.1 200 OK\r\n\r\n')],
  ['a body in chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'],
];

test.each(SAYINGS)('client: sends nothing to a program on the port that says %s', async (_, text) => {
  const other = await impostor((socket) => void socket.write(text));
  const connection = {
    baseUrl: other.url,
    apiKey: API_KEY,
    liveApiKey: API_KEY,
    controlToken: CONTROL_TOKEN,
  };
  const client = createClient(connection);
  let isRead = false;
  async function* file() {
    isRead = true;
    yield await Promise.resolve(Buffer.from(CANARY));
  }
  const upload = {
    params: { fp_id: 'fp_id_1', identifier: 'document.custom.lease' },
    file: { content: file(), contentType: 'text/plain' },
  };
  const calls = [
    client.call('POST /users', { body: { 'id.first_name': CANARY } }),
    client.call('GET /_kyclone/info'),
    client.request({ method: 'GET', path: `/_kyclone/health?${CANARY}` }),
    client.download(CANARY),
    client.upload('POST /users/{fp_id}/vault/{identifier}/upload', upload),
    openStream(connection, { types: ['event'] }),
  ];
  for (const outcome of await Promise.allSettled(calls))
    expect(outcome).toMatchObject({ reason: expect.any(UnprovenError) as Error });
  expect(isRead).toBe(false);
  for (const secret of SECRETS) expect(other.heard()).not.toContain(secret);
});

test('client: a program that hangs up or keeps silent gets nothing', async () => {
  const rude = await impostor((socket) => socket.end());
  const mute = await impostor(() => undefined);
  const body = { 'id.first_name': CANARY };
  for (const { url } of [rude, mute]) {
    const client = createClient({ baseUrl: url, apiKey: API_KEY, controlToken: CONTROL_TOKEN });
    await expect(client.call('POST /users', { body, timeoutMs: 200 })).rejects.toThrow(UnreachableError);
  }
  for (const secret of SECRETS) expect(rude.heard() + mute.heard()).not.toContain(secret);
});

test('client: an answer that was fetched from the daemon on another port proves nothing', async (daemon) => {
  const relay = await impostor((socket) => {
    socket.once('data', (chunk) => {
      const request = chunk.toString('latin1').replace(/host: \S+/, `host: ${new URL(daemon.url).host}`);
      void fetch(daemon.url + (request.split(' ')[1] ?? '')).then(async (reply) => {
        socket.write(answer(await reply.text()));
      });
    });
  });
  const { apiKey, controlToken } = daemon;
  for (const secrets of [{ apiKey }, { controlToken }, { apiKey, controlToken }]) {
    const call = createClient({ baseUrl: relay.url, ...secrets }).call('GET /_kyclone/info');
    await expect(call).rejects.toThrow('controlToken' in secrets ? UnprovenError : MissingCredentialError);
    const users = createClient({ baseUrl: relay.url, ...secrets }).call('GET /users');
    await expect(users).rejects.toThrow('apiKey' in secrets ? UnprovenError : MissingCredentialError);
  }
  expect(relay.heard()).toContain('challenge=');
  expect(relay.heard()).not.toContain('authorization');
});

test('client: a daemon proves itself by control token or API key, by any name of its address', async (daemon) => {
  const { port } = new URL(daemon.url);
  for (const host of ['127.0.0.1', 'localhost', '[::1]', 'LOCALHOST']) {
    const baseUrl = `http://${host}:${port}`;
    for (const secrets of [{ apiKey: daemon.apiKey }, { apiKey: daemon.liveApiKey }])
      expect(await createClient({ baseUrl, ...secrets }).call('GET /users')).toMatchObject({ data: [] });
    const client = createClient({ baseUrl, controlToken: daemon.controlToken });
    expect(await client.call('GET /_kyclone/info')).toMatchObject({ pid: daemon.pid });
  }
});

test('client: a stale control token is reported as such, and the API key keeps working', async (daemon) => {
  const client = createClient({ baseUrl: daemon.url, apiKey: daemon.apiKey, controlToken: CONTROL_TOKEN });
  await expect(client.call('GET /_kyclone/info')).rejects.toThrow(StaleControlTokenError);
  expect(await client.call('GET /users')).toMatchObject({ data: [] });
});

test('client: without a secret of the daemon nothing but open paths is called', async () => {
  await using server = await provingServer({}, answerJson(200, {}));
  const client = createClient({ baseUrl: server.url });
  const headers = { 'x-fp-authorization': 'cttok_1' };
  await expect(client.request({ method: 'GET', path: '/users/vault', headers })).rejects.toThrow(
    MissingCredentialError,
  );
  expect((await client.request({ method: 'GET', path: '/_kyclone/ready' })).status).toBe(200);
  expect(server.seen.map(({ url }) => url)).toEqual(['/_kyclone/ready']);
});

test('client: one proof a connection, over the connection that is used, each with a challenge of its own', async () => {
  let connections = 0;
  const asked: string[] = [];
  await using server = await provingServer({ controlToken: CONTROL_TOKEN }, (request, response) => {
    asked.push(request.url ?? '');
    answerJson(200, {})(request, response);
  });
  const seen = await countingRelay(server.port, () => (connections += 1));
  const client = createClient({ baseUrl: seen.url, controlToken: CONTROL_TOKEN });
  for (let call = 0; call < 3; call++) await client.call('GET /_kyclone/info');
  expect({ connections, asked }).toEqual({ connections: 1, asked: Array(3).fill('/_kyclone/info') });
  const challenges = [...seen.heard().matchAll(/challenge=([\w-]+)/g)].map(([, text]) => text ?? '');
  expect(challenges).toHaveLength(1);
  expect(challenges.every(isChallenge)).toBe(true);
});

/** Relays bytes both ways. The proof covers the host name that the client asked for, which the relay doesn't change. */
async function countingRelay(port: number, onConnection: () => void) {
  const { connect } = await import('node:net');
  return await impostor((socket) => {
    onConnection();
    const onwards = connect(port, '127.0.0.1');
    onwards.on('error', () => undefined);
    socket.pipe(onwards).pipe(socket);
  });
}
