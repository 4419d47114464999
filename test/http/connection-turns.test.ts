/**
 * The requests of one connection, one after another, however they are cut into packets: bodies, HEAD, expectations, and
 * when the connection closes.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nextTurn } from '../../src/kernel/time/turns.ts';
import { exchangeBytes, parseAnswers, type Endpoint } from '../support/raw-socket.ts';
import { openClient } from '../support/slow-clients.ts';
import { SANDBOX_KEY, startService, type TestService } from '../support/service.ts';
import { until } from '../support/uploads.ts';

let service: TestService;
let place: Endpoint;

beforeAll(async () => {
  service = await startService();
  place = await service.listen();
});
afterAll(async () => await service[Symbol.asyncDispose]());

/** Returns the bytes of a request with the sandbox key. `version` is the version of HTTP. */
function request(line: string, { body = '', more = [] as string[], version = '1.1' } = {}): string {
  const host = `Host: 127.0.0.1:${place.port}`;
  const length = body === '' ? [] : ['content-type: application/json', `content-length: ${body.length}`];
  const head = [`${line} HTTP/${version}`, host, `x-service-secret-key: ${SANDBOX_KEY}`, ...length, ...more];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

const CLOSE = { more: ['connection: close'] };
const city = (name: string) => JSON.stringify({ 'id.city': name });
const lastOne = () => request('GET /_kyclone/health', CLOSE);
const idIn = (text: string) => (JSON.parse(text) as { id: string }).id;

async function cityOf(fp_id: string): Promise<unknown> {
  const body = { fields: ['id.city'], reason: 'a test' };
  return (await service.call('POST /users/{fp_id}/vault/decrypt', { params: { fp_id }, body })).body;
}

/** Sends the pieces one after another, then a request that closes the connection. Returns the answers. */
async function answersToPieces(pieces: readonly string[]) {
  const client = await openClient(place);
  for (const piece of pieces) {
    await new Promise((resolve) => client.socket.write(piece, resolve));
    // These turns let the server, which shares the event loop, read each piece separately.
    for (let turn = 0; turn < 5; turn++) await nextTurn();
  }
  client.socket.write(lastOne());
  await client.closed;
  return parseAnswers(client.received());
}

test.each([
  ['with its head', (head: string, body: string) => [head + body]],
  ['behind its head', (head: string, body: string) => [head, body]],
  ['partly with its head', (head: string, body: string) => [head + body.slice(0, 5), body.slice(5)]],
  ['byte by byte', (head: string, body: string) => `${head}${body}`.split('')],
])('body: one that comes %s is read whole', async (_, cut) => {
  const whole = request('POST /users', { body: city('Springfield') });
  const end = whole.indexOf('\r\n\r\n') + 4;
  const [created, last] = await answersToPieces(cut(whole.slice(0, end), whole.slice(end)));
  expect([created?.status, last?.status]).toEqual([200, 200]);
  expect(await cityOf(idIn(created?.text ?? ''))).toEqual({ 'id.city': 'Springfield' });
});

test('body: the body of a GET is skipped, with its head or after it', async () => {
  const whole = request('GET /users', { body: city('Springfield') });
  const end = whole.indexOf('\r\n\r\n') + 4;
  for (const pieces of [[whole], [whole.slice(0, end), whole.slice(end)]]) {
    expect((await answersToPieces(pieces)).map(({ status }) => status)).toEqual([200, 200]);
  }
});

test('body: what follows one that is refused unread is another request', async () => {
  const refused = request('POST /users', { body: 'id.city=Springfield' }).replace(
    'application/json',
    'text/plain',
  );
  const answers = parseAnswers(await exchangeBytes(place, refused + lastOne()));
  expect(answers.map(({ status }) => status)).toEqual([415, 200]);
});

test('HEAD: returns the head of GET without a body, and keeps the connection', async () => {
  const [got] = parseAnswers(await exchangeBytes(place, request('GET /users', CLOSE)));
  const received = await exchangeBytes(place, request('HEAD /users') + lastOne());
  const end = received.indexOf('\r\n\r\n') + 4;
  const head = received.slice(0, end);
  expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(head).toContain(`content-length: ${got?.headers['content-length']}\r\n`);
  expect(head).toContain(`content-type: ${got?.headers['content-type']}\r\n`);
  expect(parseAnswers(received.slice(end)).map(({ status }) => status)).toEqual([200]);
});

test('Expect: 100-continue has its leave before a JSON body is sent, and then its answer', async () => {
  const body = city('Springfield');
  const whole = request('POST /users', { body, more: ['expect: 100-continue', 'connection: close'] });
  const client = await openClient(place, whole.slice(0, -body.length));
  await until(() => client.received() !== '');
  expect(client.received()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  client.socket.write(body);
  await client.closed;
  expect(client.received()).toContain('HTTP/1.1 200 OK\r\n');
});

test.each([
  ['1.1', 'close', 'close'],
  ['1.0', 'close', 'close'],
  ['1.0', '', 'close'],
])('closing: HTTP/%s with connection "%s" is closed after its answer', async (version, header, answered) => {
  const more = header === '' ? [] : [`connection: ${header}`];
  const sent = request('GET /_kyclone/health', { version, more });
  const answers = parseAnswers(await exchangeBytes(place, sent));
  expect(answers.map(({ status, headers }) => [status, headers['connection']])).toEqual([[200, answered]]);
});

test('closing: HTTP/1.0 that asks to be kept open has its next request answered', async () => {
  const kept = request('GET /_kyclone/health', { version: '1.0', more: ['connection: keep-alive'] });
  const answers = parseAnswers(await exchangeBytes(place, kept + lastOne()));
  expect(answers.map(({ status, headers }) => [status, headers['connection']])).toEqual([
    [200, 'keep-alive'],
    [200, 'close'],
  ]);
});

test('held: what requests held is counted no longer once they are answered', async () => {
  const bodies = Array.from({ length: 20 }, (_, each) =>
    request('POST /users', { body: city(`Town ${each}`) }),
  );
  await exchangeBytes(place, bodies.join('') + lastOne());
  await until(() => service.runtime.budget.held === 0);
});

/** A request that is refused for its content type, in two parts. The answer doesn't need the second one. */
function refusedInTwo(): readonly [string, string] {
  const whole = request('POST /users', { body: 'x'.repeat(1_000), ...CLOSE });
  const refused = whole.replace('application/json', 'text/plain');
  return [refused.slice(0, -500), refused.slice(-500)];
}

test('closing: a refused body is taken to its end first, so that the answer is not lost', async () => {
  const [part, rest] = refusedInTwo();
  const client = await openClient(place, part);
  await until(() => client.received().includes('\r\n\r\n{'));
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  expect(client.socket.readyState).toBe('open');
  client.socket.write(rest);
  await client.closed;
  expect(parseAnswers(client.received()).map(({ status }) => status)).toEqual([415]);
});

test('closing: a refused body whose rest never comes is given up', async () => {
  await using hasty = await startService({ limits: { stallMs: 50 } });
  const other = await hasty.listen();
  const client = await openClient(other, refusedInTwo()[0].replace(`:${place.port}`, `:${other.port}`));
  await client.closed;
  expect(client.received()).toContain('HTTP/1.1 415 ');
});
