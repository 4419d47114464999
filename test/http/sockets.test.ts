/**
 * Behaviour that only a real socket shows: the request line, repeated headers, limits of the head, bodies that are cut
 * off.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VAULT_BODY_LIMIT_BYTES } from '../../src/contract/facts/limits.ts';
import type { Daemon } from '../../src/daemon/start.ts';
import { pathsBelow, startInProcess } from '../support/in-process-daemon.ts';
import { exchangeBytes, parseAnswers, sendAndLeave, type RawAnswer } from '../support/raw-socket.ts';
import { expectPromisesKept, readReply } from '../support/service.ts';
import { tempDir } from '../support/temp-dir.ts';

const SMALLEST_SCOPED_KEY = 40;

let daemon: Daemon;
let key: string;
let directory: ReturnType<typeof tempDir>;

beforeAll(async () => {
  directory = tempDir();
  ({ daemon, key } = await startInProcess(pathsBelow(directory.path)));
  expect(key.length).toBe(SMALLEST_SCOPED_KEY);
});

afterAll(async () => {
  await daemon.stop();
  directory[Symbol.dispose]();
});

describe.each(['127.0.0.1', '::1'])('on %s', (host) => {
  const authority = () => `${host === '::1' ? '[::1]' : host}:${daemon.instance.port}`;
  const lines = (...list: string[]) => `${list.join('\r\n')}\r\n\r\n`;
  const hostLine = () => `Host: ${authority()}`;
  const place = () => ({ host, port: daemon.instance.port });

  async function answersTo(
    bytes: string | Buffer,
    isEnough?: (received: string) => boolean,
  ): Promise<RawAnswer[]> {
    const answers = parseAnswers(await exchangeBytes(place(), bytes, isEnough));
    for (const { status, headers, text } of answers) expectPromisesKept(readReply(status, headers, text));
    return answers;
  }

  async function answerTo(bytes: string | Buffer): Promise<RawAnswer> {
    const [answer, ...more] = await answersTo(bytes);
    if (!answer) throw new Error('the connection was closed without an answer');
    expect(more).toEqual([]);
    return answer;
  }

  const codeOf = ({ text }: RawAnswer) => (JSON.parse(text) as { code?: string }).code;

  const post = (path: string, body: string, ...headers: string[]) =>
    lines(
      `POST ${path} HTTP/1.1`,
      hostLine(),
      `x-service-secret-key: ${key}`,
      'content-type: application/json',
      'connection: close',
      ...headers,
    ) + body;
  const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

  const get = (...headers: string[]) =>
    lines('GET /_kyclone/health HTTP/1.1', ...headers, 'connection: close');

  test('socket: the instance answers', async () => {
    const answer = await answerTo(get(hostLine()));

    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toMatchObject({ status: 'ok', nonce: daemon.instance.nonce });
  });

  const KIB = 1024;
  const other = `sk_test_${'q'.repeat(32)}`;
  const basic = (user: string) => `authorization: Basic ${Buffer.from(`${user}:`).toString('base64')}`;
  const inHeader = (user: string) => `x-service-secret-key: ${user}`;
  const users = (...headers: string[]) =>
    lines('GET /users HTTP/1.1', hostLine(), 'connection: close', ...headers);

  test.each([
    ['Host: localhost on this address, too', () => get(`Host: localhost:${daemon.instance.port}`)],
    ['request head: just under 64 KiB', () => get(hostLine(), `x-filler: ${'x'.repeat(63 * KIB)}`)],
    [
      'request head: a header behind two thousand others',
      () => users(...Array.from({ length: 2_100 }, () => 'a: b'), inHeader(key)),
    ],
    ['Expect: an unknown expectation, which is passed over', () => get(hostLine(), 'expect: the-moon')],
  ])('%s is served', async (_what, bytes) => {
    expect((await answerTo(bytes())).status).toBe(200);
  });

  const EVIL_HOST = 'Host: evil.example';
  const EVIL_ORIGIN = 'Origin: https://evil.example';
  const ownOrigin = () => `Origin: http://${authority()}`;
  const target = (method: string, url: string) =>
    lines(`${method} ${url} HTTP/1.1`, hostLine(), 'connection: close');

  test.each<[what: string, bytes: () => string, status: number, code: string]>([
    ['Host: missing', () => get(), 400, 'invalid_request'],
    ['Host: missing in HTTP/1.0', () => lines('GET /_kyclone/health HTTP/1.0'), 400, 'invalid_request'],
    ['Host: ours, then another', () => get(hostLine(), EVIL_HOST), 400, 'invalid_request'],
    ['Host: another, then ours', () => get(EVIL_HOST, hostLine()), 400, 'invalid_request'],
    ['Host: ours twice', () => get(hostLine(), hostLine()), 400, 'invalid_request'],
    [
      'request target: our URL',
      () => target('GET', `http://${authority()}/_kyclone/health`),
      400,
      'invalid_request',
    ],
    ['request target: another URL', () => target('GET', 'http://evil.example/'), 400, 'invalid_request'],
    ['request target: *', () => target('OPTIONS', '*'), 400, 'invalid_request'],
    ['Origin: ours, then another', () => get(hostLine(), ownOrigin(), EVIL_ORIGIN), 403, 'origin_refused'],
    ['Origin: another, then ours', () => get(hostLine(), EVIL_ORIGIN, ownOrigin()), 403, 'origin_refused'],
    ['credential: Basic, right, then wrong', () => users(basic(key), basic(other)), 401, 'unauthenticated'],
    ['credential: Basic, wrong, then right', () => users(basic(other), basic(key)), 401, 'unauthenticated'],
    [
      'credential: header, right, then wrong',
      () => users(inHeader(key), inHeader(other)),
      401,
      'unauthenticated',
    ],
    ['credential: header and Basic', () => users(inHeader(key), basic(other)), 401, 'unauthenticated'],
    [
      'request head: over 64 KiB',
      () => lines('GET /_kyclone/health HTTP/1.1', hostLine(), `x-filler: ${'x'.repeat(64 * KIB)}`),
      431,
      'headers_too_large',
    ],
    [
      'request line: over 64 KiB',
      () => lines(`GET /${'x'.repeat(65 * KIB)} HTTP/1.1`, hostLine()),
      431,
      'headers_too_large',
    ],
    ['request: nonsense', () => 'nonsense\r\n\r\n', 400, 'invalid_request'],
    ['request: the beginning of TLS', () => '\x16\x03\x01\x02\x00\x01\x00', 400, 'invalid_request'],
    ['request: an unknown version', () => 'GET / HTTP/9.9\r\n\r\n', 400, 'invalid_request'],
    ['request: a blank in its path', () => 'GET /a b HTTP/1.1\r\n\r\n', 400, 'invalid_request'],
    [
      'body: over its limit in chunks',
      () => {
        const chunks = `${chunk(' '.repeat(VAULT_BODY_LIMIT_BYTES))}${chunk('{}')}0\r\n\r\n`;
        return post('/users', chunks, 'transfer-encoding: chunked');
      },
      413,
      'payload_too_large',
    ],
  ])('%s is refused', async (_what, bytes, status, code) => {
    const answer = await answerTo(bytes());

    expect([answer.status, codeOf(answer)]).toEqual([status, code]);
  });

  test('request: two lengths, or a length beside chunks, are 400', async () => {
    for (const pair of [
      ['content-length: 2', 'content-length: 3'],
      ['content-length: 2', 'transfer-encoding: chunked'],
    ]) {
      const [answer] = await answersTo(post('/users', '{}', ...pair));
      expect(answer && [answer.status, codeOf(answer)], pair.join()).toEqual([400, 'invalid_request']);
    }
  });

  test('body: announced over its limit is 413 before it is sent', async () => {
    // The server keeps the connection open for the body, which never comes.
    const hasAnswered = (received: string) => received.endsWith('}');
    const [answer] = await answersTo(
      post('/users', '', `content-length: ${VAULT_BODY_LIMIT_BYTES + 1}`),
      hasAnswered,
    );

    expect(answer && [answer.status, codeOf(answer)]).toEqual([413, 'payload_too_large']);
  });

  test('body: a cut-off body changes nothing, and the service continues', async () => {
    const externalId = `cut-off-${host.length}`;
    await sendAndLeave(
      place(),
      post('/users', '{"id.first', 'content-length: 500', `x-external-id: ${externalId}`),
    );
    await sendAndLeave(place(), post('/users', `${chunk('{"id')}ff`, 'transfer-encoding: chunked'));

    const path = `/users?external_id=${externalId}`;
    const found = await answerTo(
      lines(`GET ${path} HTTP/1.1`, hostLine(), inHeader(key), 'connection: close'),
    );

    expect(JSON.parse(found.text)).toMatchObject({ data: [], meta: { count: 0 } });
  });
});
