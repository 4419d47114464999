import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { answerTo, BODY_LIMIT_BYTES, pathOf, type ReceivedRequest } from '../../../src/cli/echo/answers.ts';

const received = (target: string, more: Partial<ReceivedRequest> = {}): ReceivedRequest => ({
  number: 1,
  method: 'POST',
  target,
  headers: { host: '127.0.0.1', 'content-type': 'application/x-thing' },
  body: Buffer.from('hello'),
  bodyBytes: 5,
  tls: null,
  ...more,
});

const bytesOf = ({ body }: { body: Buffer | Iterable<Buffer> }): Buffer =>
  Buffer.isBuffer(body) ? body : Buffer.concat([...body]);
const jsonOf = (answer: { body: Buffer | Iterable<Buffer> }): unknown =>
  JSON.parse(bytesOf(answer).toString());

describe('answerTo', () => {
  test('answerTo: returns the request', () => {
    const tls = { version: 'TLSv1.3', client_certificate: 'CN=somebody' };
    const answer = answerTo(received('/a/b?c=d', { tls }));
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json' },
      delayMs: 0,
    });
    expect(jsonOf(answer)).toEqual({
      method: 'POST',
      path: '/a/b?c=d',
      headers: { host: '127.0.0.1', 'content-type': 'application/x-thing' },
      body: 'hello',
      encoding: 'utf8',
      tls,
    });
  });

  test('answerTo: a body that is no text is returned as base64', () => {
    const body = Buffer.from([0xff, 0x00, 0x80]);
    expect(jsonOf(answerTo(received('/', { body })))).toMatchObject({ body: '/wCA', encoding: 'base64' });
  });

  test.each([200, 204, 302, 404, 500, 599])('/status/%i: answers with it', (status) => {
    const answer = answerTo(received(`/status/${status}?x`));
    expect(answer.status).toBe(status);
    expect(jsonOf(answer)).toMatchObject({ path: `/status/${status}?x` });
  });

  test.each([
    ['/slow/1500', { status: 200, delayMs: 1500 }],
    ['/redirect', { status: 302, headers: { location: '/redirected' } }],
  ])('%s: is due later, or points elsewhere', (path, answer) => {
    expect(answerTo(received(path))).toMatchObject(answer);
  });

  test.each([0, 1, 65_536, 200_001])('/large/%i: answers so many bytes, and says how many', (bytes) => {
    const answer = answerTo(received(`/large/${bytes}`));
    expect(bytesOf(answer).length).toBe(bytes);
    expect(answer.headers['content-length']).toBe(String(bytes));
  });

  test('/large: is not made before it is read', () => {
    expect(Buffer.isBuffer(answerTo(received('/large/1073741824')).body)).toBe(false);
  });

  test('/gzip: is the account, compressed', () => {
    const answer = answerTo(received('/gzip'));
    expect(answer.headers['content-encoding']).toBe('gzip');
    expect(JSON.parse(gunzipSync(bytesOf(answer)).toString())).toMatchObject({
      path: '/gzip',
      body: 'hello',
    });
  });

  test('/json: is the body that came, under its content type; without one it is bytes', () => {
    const answer = answerTo(received('/json?a=b'));
    expect(answer.headers['content-type']).toBe('application/x-thing');
    expect(bytesOf(answer).toString()).toBe('hello');
    const untyped = answerTo(received('/json', { headers: {} }));
    expect(untyped.headers['content-type']).toBe('application/octet-stream');
  });

  test.each([
    '/status',
    '/status/199',
    '/status/600',
    '/slow',
    '/slow/120001',
    '/large',
    '/large/1073741825',
  ])('%s: an unsupported special path is a 400 with the supported ones', (path) => {
    const answer = answerTo(received(path));
    expect(answer.status).toBe(400);
    expect(jsonOf(answer)).toEqual({ error: expect.stringContaining(' takes ') as string });
  });

  test.each(['/statuses/204', '/status/204/x', '/x/status/204', '/status/abc', '//status/204'])(
    '%s: is like any other path',
    (path) => {
      expect(jsonOf(answerTo(received(path)))).toMatchObject({ path });
      expect(answerTo(received(path)).status).toBe(200);
    },
  );

  test('answerTo: a body over the limit is refused', () => {
    const body = Buffer.alloc(0);
    expect(answerTo(received('/', { body, bodyBytes: BODY_LIMIT_BYTES + 1 })).status).toBe(413);
    expect(answerTo(received('/', { body, bodyBytes: BODY_LIMIT_BYTES })).status).toBe(200);
  });
});

test('pathOf: has no query', () => {
  expect(pathOf({ target: '/a?b=c?d' })).toBe('/a');
  expect(pathOf({ target: '/a' })).toBe('/a');
});
