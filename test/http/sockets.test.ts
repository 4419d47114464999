/**
 * Behaviour that only a real socket shows: the request line, repeated headers, limits of the head, bodies that are cut
 * off.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VAULT_BODY_LIMIT_BYTES } from '../../src/contract/facts/limits.ts';
import { startDaemon, type Daemon } from '../../src/daemon/start.ts';
import { instancePaths } from '../../src/kernel/paths.ts';
import { readFileSync } from 'node:fs';
import { exchangeBytes, parseAnswers, sendAndLeave, type RawAnswer } from '../support/raw-socket.ts';
import { expectPromisesKept, readReply } from '../support/service.ts';
import { tempDir } from '../support/temp-dir.ts';

const SMALLEST_SCOPED_KEY = 40;

let daemon: Daemon;
let key: string;
let directory: ReturnType<typeof tempDir>;

beforeAll(async () => {
  directory = tempDir();
  const root = directory.path;
  const paths = instancePaths(
    { data: `${root}/data`, state: `${root}/state`, config: `${root}/config` },
    'default',
  );
  daemon = await startDaemon({
    instance: 'default',
    version: '0.0.0-test',
    formScriptFile: '',
    hostedScriptFile: '',
    browserScriptFile: '',
    consoleFolder: '',
    daemonScriptFile: '',
    paths,
    port: 0,
    isEphemeral: true,
    logFile: paths.logFile,
    settings: {},
    keySource: { keyFile: undefined, requireKeychain: false, noKeychain: true, environment: {} },
  });
  const keys = JSON.parse(readFileSync(paths.credentialsFile, 'utf8')) as Record<string, string>;
  key = Object.values(keys).find((each) => each.startsWith('sk_test_')) ?? '';
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

  test('socket: the instance answers', async () => {
    const answer = await answerTo(lines('GET /_kyclone/health HTTP/1.1', hostLine(), 'connection: close'));

    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toMatchObject({ status: 'ok', nonce: daemon.instance.nonce });
  });

  test('Host: localhost is served on this address, too', async () => {
    const localhost = `Host: localhost:${daemon.instance.port}`;

    expect(
      (await answerTo(lines('GET /_kyclone/health HTTP/1.1', localhost, 'connection: close'))).status,
    ).toBe(200);
  });

  test('Host: missing is 400', async () => {
    const answer = await answerTo(lines('GET /_kyclone/health HTTP/1.1', 'connection: close'));

    expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid_request']);
  });

  test('Host: missing in HTTP/1.0 is 400', async () => {
    const answer = await answerTo(lines('GET /_kyclone/health HTTP/1.0'));

    expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid_request']);
  });

  test('Host: twice is 400, whichever of the two is ours', async () => {
    for (const pair of [
      [hostLine(), 'Host: evil.example'],
      ['Host: evil.example', hostLine()],
      [hostLine(), hostLine()],
    ]) {
      const answer = await answerTo(lines('GET /_kyclone/health HTTP/1.1', ...pair, 'connection: close'));
      expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid_request']);
    }
  });

  test('request target: an absolute URL is 400', async () => {
    for (const target of [`http://${authority()}/_kyclone/health`, 'http://evil.example/', '*']) {
      const method = target === '*' ? 'OPTIONS' : 'GET';
      const answer = await answerTo(lines(`${method} ${target} HTTP/1.1`, hostLine(), 'connection: close'));
      expect([answer.status, codeOf(answer)], target).toEqual([400, 'invalid_request']);
    }
  });

  test('Origin: twice is refused when one of the two is foreign', async () => {
    const own = `Origin: http://${authority()}`;
    for (const pair of [
      [own, 'Origin: https://evil.example'],
      ['Origin: https://evil.example', own],
    ]) {
      const answer = await answerTo(
        lines('GET /_kyclone/health HTTP/1.1', hostLine(), ...pair, 'connection: close'),
      );
      expect([answer.status, codeOf(answer)]).toEqual([403, 'origin_refused']);
    }
  });

  test('credential: two keys in one request are 401, however they are sent', async () => {
    const other = `sk_test_${'q'.repeat(32)}`;
    const basic = (user: string) => `authorization: Basic ${Buffer.from(`${user}:`).toString('base64')}`;
    const inHeader = (user: string) => `x-service-secret-key: ${user}`;
    for (const pair of [
      [basic(key), basic(other)],
      [basic(other), basic(key)],
      [inHeader(key), inHeader(other)],
      [inHeader(key), basic(other)],
    ]) {
      const answer = await answerTo(lines('GET /users HTTP/1.1', hostLine(), ...pair, 'connection: close'));
      expect([answer.status, codeOf(answer)], pair.join()).toEqual([401, 'unauthenticated']);
    }
  });

  test('request head: over 64 KiB is 431', async () => {
    const answer = await answerTo(
      lines('GET /_kyclone/health HTTP/1.1', hostLine(), `x-filler: ${'x'.repeat(64 * 1024)}`),
    );

    expect([answer.status, codeOf(answer)]).toEqual([431, 'headers_too_large']);
  });

  test('request head: just under 64 KiB is served', async () => {
    const answer = await answerTo(
      lines(
        'GET /_kyclone/health HTTP/1.1',
        hostLine(),
        'connection: close',
        `x-filler: ${'x'.repeat(63 * 1024)}`,
      ),
    );

    expect(answer.status).toBe(200);
  });

  test('request head: a header behind two thousand others counts', async () => {
    const filler = Array.from({ length: 2_100 }, () => 'a: b');
    const answer = await answerTo(
      lines(
        'GET /users HTTP/1.1',
        hostLine(),
        'connection: close',
        ...filler,
        `x-service-secret-key: ${key}`,
      ),
    );

    expect(answer.status).toBe(200);
  });

  test('request line: over 64 KiB is 431', async () => {
    const answer = await answerTo(lines(`GET /${'x'.repeat(65 * 1024)} HTTP/1.1`, hostLine()));

    expect([answer.status, codeOf(answer)]).toEqual([431, 'headers_too_large']);
  });

  test.each([
    'nonsense\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00',
    'GET / HTTP/9.9\r\n\r\n',
    'GET /a b HTTP/1.1\r\n\r\n',
  ])('request: %j is 400', async (bytes) => {
    const answer = await answerTo(bytes);

    expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid_request']);
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

  test('body: in chunks is read like any other', async () => {
    const chunks = `${chunk('{"id.first')}${chunk('_name":"Ja')}${chunk('ne"}')}0\r\n\r\n`;

    expect((await answerTo(post('/users', chunks, 'transfer-encoding: chunked'))).status).toBe(200);
  });

  test('body: over its limit in chunks is 413', async () => {
    const chunks = `${chunk(' '.repeat(VAULT_BODY_LIMIT_BYTES))}${chunk('{}')}0\r\n\r\n`;

    const answer = await answerTo(post('/users', chunks, 'transfer-encoding: chunked'));

    expect([answer.status, codeOf(answer)]).toEqual([413, 'payload_too_large']);
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

  test('body: refused with its head unread leaves no second answer behind', async () => {
    const smuggled = lines('GET /_kyclone/health HTTP/1.1', hostLine());
    const answers = await answersTo(
      lines('POST /nowhere HTTP/1.1', hostLine(), `content-length: ${smuggled.length}`) +
        smuggled +
        lines('GET /_kyclone/ready HTTP/1.1', hostLine(), 'connection: close'),
    );

    expect(answers.map(({ status }) => status)).toEqual([404, 200]);
    expect(JSON.parse(answers[1]?.text ?? '')).toEqual({ ready: true });
  });

  test('body: a cut-off body changes nothing, and the service continues', async () => {
    const externalId = `cut-off-${host.length}`;
    await sendAndLeave(
      place(),
      post('/users', '{"id.first', 'content-length: 500', `x-external-id: ${externalId}`),
    );
    await sendAndLeave(place(), post('/users', `${chunk('{"id')}ff`, 'transfer-encoding: chunked'));

    const found = await answerTo(
      lines(
        `GET /users?external_id=${externalId} HTTP/1.1`,
        hostLine(),
        `x-service-secret-key: ${key}`,
        'connection: close',
      ),
    );

    expect(JSON.parse(found.text)).toMatchObject({ data: [], meta: { count: 0 } });
  });

  test('pipelining: requests of one connection are answered in their order', async () => {
    const create = (name: string) => {
      const body = JSON.stringify({ 'custom.name': name });
      return (
        lines(
          'POST /users HTTP/1.1',
          hostLine(),
          `x-service-secret-key: ${key}`,
          `content-length: ${body.length}`,
          'content-type: application/json',
        ) + body
      );
    };
    const get = (path: string, ...more: string[]) => lines(`GET ${path} HTTP/1.1`, hostLine(), ...more);

    const answers = await answersTo(
      create('one') +
        get('/_kyclone/health') +
        create('two') +
        get('/nowhere') +
        get('/_kyclone/ready', 'connection: close'),
    );

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 404, 200]);
    expect(new Set(answers.map(({ headers }) => headers['x-request-id'])).size).toBe(5);
  });

  test('Expect: an unknown expectation is passed over', async () => {
    const answer = await answerTo(
      lines('GET /_kyclone/health HTTP/1.1', hostLine(), 'expect: the-moon', 'connection: close'),
    );

    expect(answer.status).toBe(200);
  });
});
