import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { answered, LIMIT, refused, tooLargeUnpacked, withLength } from './an-answer.ts';

const text = 'hello '.repeat(50);

it.each([
  ['gzip', gzipSync(text)],
  ['GZIP', gzipSync(text)],
  ['x-gzip', gzipSync(text)],
  ['deflate', deflateSync(text)],
  ['deflate', deflateRawSync(text)],
  ['gzip, deflate', deflateRawSync(gzipSync(text))],
  ['br', brotliCompressSync(text)],
  ['identity', Buffer.from(text)],
  ['gzip, gzip', gzipSync(gzipSync(text))],
  ['deflate, br, gzip', gzipSync(brotliCompressSync(deflateSync(text)))],
  ['identity,, gzip', gzipSync(text)],
])('send: %s is unpacked', async (coding, bytes) => {
  const { headers, body } = await answered(withLength(bytes, `content-encoding: ${coding}\r\n`));
  expect(body.toString()).toBe(text);
  expect(headers).toEqual({});
});

it('send: two headers say two codings', async () => {
  const headers = 'content-encoding: gzip\r\ncontent-encoding: br\r\n';
  const { body } = await answered(withLength(brotliCompressSync(gzipSync(text)), headers));
  expect(body.toString()).toBe(text);
});

it.each(['gzip', 'br', 'deflate'])('send: an empty body in %s is empty', async (coding) => {
  expect((await answered(withLength('', `content-encoding: ${coding}\r\n`))).body).toHaveLength(0);
});

const BOMB = Buffer.alloc(50 * 1024 * 1024);
const GZIP_BOMB = gzipSync(BOMB);
it.each([
  ['gzip', gzipSync('a'.repeat(LIMIT + 1))],
  ['gzip, gzip', gzipSync(gzipSync(Buffer.alloc(5 * 1024 * 1024)))],
  ['br', brotliCompressSync(BOMB)],
  ['gzip, gzip', gzipSync(GZIP_BOMB)],
  ['deflate', deflateSync(Buffer.alloc(500_000))],
  ['deflate', deflateRawSync(Buffer.alloc(500_000))],
])('send: a bomb in %s is too large', async (coding, bytes) => {
  expect(bytes.length).toBeLessThan(LIMIT);
  expect(await refused(withLength(bytes, `content-encoding: ${coding}\r\n`))).toEqual(tooLargeUnpacked);
});

it('send: a bomb is given up before it has come whole', async () => {
  const head = `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${LIMIT}\r\n\r\n`;
  const answer = [head, GZIP_BOMB.subarray(0, LIMIT - 100)];
  expect(await refused(answer, { script: { then: 'silence' } })).toEqual(tooLargeUnpacked);
});

it('send: what unpacks to nothing is counted in between', async () => {
  const nothing = Buffer.concat(Array.from({ length: 5000 }, () => gzipSync('')));
  expect(await refused(withLength(gzipSync(nothing), 'content-encoding: gzip, gzip\r\n'))).toEqual(
    tooLargeUnpacked,
  );
});

it.each([
  ['gzip', gzipSync(text).subarray(0, -4)],
  ['br', brotliCompressSync(text).subarray(0, -4)],
  ['deflate', deflateSync(text).subarray(0, -8)],
  ['deflate', deflateRawSync(text).subarray(0, -4)],
  ['br', Buffer.from('no brotli \xff', 'latin1')],
  ['gzip, gzip', gzipSync(text)],
])('send: damaged %s is unreachable', async (coding, bytes) => {
  const { kind, message } = await refused(withLength(bytes, `content-encoding: ${coding}\r\n`));
  expect(kind).toBe('unreachable');
  expect(message).toMatch(/^The answer's content encoding is damaged \(\w+\)$/);
});

it('send: a damaged checksum is unreachable', async () => {
  const bytes = gzipSync(text);
  bytes[bytes.length - 6] = (bytes[bytes.length - 6] ?? 0) ^ 1;
  expect(await refused(withLength(bytes, 'content-encoding: gzip\r\n'))).toEqual({
    status: 200,
    kind: 'unreachable',
    message: "The answer's content encoding is damaged (Z_DATA_ERROR)",
  });
});

it.each([
  ['gzip', Buffer.from('{"no":"gzip"}')],
  ['gzip', Buffer.from('%PDF \xff', 'latin1')],
  ['deflate', Buffer.from('{"no":"deflate"}')],
  ['br', Buffer.from('{"no":"brotli"}')],
])('send: a plain body that claims %s is passed on', async (coding, bytes) => {
  const { headers, body, remarks } = await answered(withLength(bytes, `content-encoding: ${coding}\r\n`));
  expect([headers, body]).toEqual([{}, bytes]);
  expect(remarks).toEqual([expect.stringContaining('its body is plain')]);
});

it.each([
  ['compress', gzipSync(text), 'compress'],
  ['zstd', gzipSync(text), 'zstd'],
  ['utf-8', Buffer.from(text), 'utf-8'],
  ['__proto__', Buffer.from(text), '__proto__'],
  ['secret, gzip', gzipSync(text), 'secret'],
])('send: a body in the unknown coding %s is passed on as it came', async (coding, bytes, left) => {
  const { headers, body, remarks } = await answered(withLength(bytes, `content-encoding: ${coding}\r\n`));
  expect(headers).toEqual({ 'content-encoding': left });
  expect(body).toEqual(coding.endsWith('gzip') ? Buffer.from(text) : bytes);
  expect(remarks).toEqual([expect.stringContaining('other than gzip, deflate and br')]);
});

it('send: packed more than three times is refused', async () => {
  const headers = `content-encoding: ${Array(4).fill('gzip').join(', ')}\r\n`;
  expect(await refused(withLength(gzipSync(text), headers))).toEqual({
    status: 200,
    kind: 'unreachable',
    message: 'The answer is packed more than 3 times',
  });
});

it('send: a transfer encoding other than chunked is refused', async () => {
  expect(await refused(`HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`)).toEqual({
    kind: 'unreachable',
    message: 'TARGET answers in a transfer encoding other than chunked',
    status: 200,
  });
});
