import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { createClient, type Client } from '../../src/client/client.ts';
import { ApiError, UnreachableError } from '../../src/client/errors.ts';
import { answerJson } from '../support/loopback.ts';
import { bytesOf, fileServer, type FileServer } from './file-server.ts';

const TOKEN = 'cttok_1';
const clientOf = (server: FileServer): Client => createClient({ baseUrl: server.url, apiKey: 'k' });
const whole = (content: AsyncIterable<Uint8Array>) => bytesOf(content as AsyncIterable<Buffer>);

/** Sends ten bytes with a stated length of a hundred, or in chunks without an end, and closes the connection. */
function cutOff(isMeasured: boolean) {
  return (request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'image/png', ...(isMeasured && { 'content-length': '100' }) });
    response.write(Buffer.alloc(10), () => request.socket.destroy());
  };
}

test('download: returns the bytes as they are, with their type, length and name', async () => {
  const bytes = randomBytes(3 * 1024 * 1024);
  await using server = await fileServer((_, response) => {
    response.writeHead(200, {
      'content-type': 'image/png',
      'content-length': bytes.length,
      'content-disposition': 'attachment; filename="document.custom.lease"',
    });
    response.end(bytes);
  });
  const download = await clientOf(server).download(TOKEN);
  expect(download).toMatchObject({
    contentType: 'image/png',
    bytes: bytes.length,
    name: 'document.custom.lease',
  });
  expect((await whole(download.content)).equals(bytes)).toBe(true);
});

test('download: the token is all that is sent of credentials, with the reason beside it', async () => {
  const seen: IncomingMessage[] = [];
  await using server = await fileServer((request, response) => {
    seen.push(request);
    response.end('x');
  });
  const { content } = await clientOf(server).download('cttok_1/..', { reason: 'a & b' });
  await whole(content);
  await whole((await clientOf(server).download(TOKEN)).content);
  expect(seen.map(({ url }) => url)).toEqual([
    '/users/vault/decrypt/cttok_1%2F..?reason=a+%26+b',
    '/users/vault/decrypt/cttok_1',
  ]);
  for (const { headers } of seen) {
    expect(headers).not.toHaveProperty('authorization');
    expect(headers).not.toHaveProperty('x-fp-authorization');
  }
});

test('download: reports its progress, up to the last byte', async () => {
  await using server = await fileServer((_, response) => {
    response.write(Buffer.alloc(5), () => response.end(Buffer.alloc(3)));
  });
  const reported: number[] = [];
  const { content, bytes } = await clientOf(server).download(TOKEN, {
    onProgress: (received) => reported.push(received),
  });
  await whole(content);
  expect(bytes).toBeUndefined();
  expect(reported.at(-1)).toBe(8);
});

test('download: a refusal is an ApiError', async () => {
  const body = { code: 'token_expired', message: 'The token has expired' };
  await using server = await fileServer(answerJson(401, body));
  const refused = clientOf(server).download(TOKEN);
  await expect(refused).rejects.toThrow(ApiError);
  await expect(refused).rejects.toMatchObject({ ...body, status: 401 });
});

test.each([
  ['of known length', true],
  ['in chunks', false],
])('download: one %s that is cut off never ends quietly', async (_, isMeasured) => {
  await using server = await fileServer(cutOff(isMeasured));
  const { content } = await clientOf(server).download(TOKEN);
  await expect(whole(content)).rejects.toThrow(UnreachableError);
});

test('download: one that is cut off before it is read fails when it is read', async () => {
  let hungUp: Promise<unknown> = Promise.resolve();
  await using server = await fileServer((request, response) => {
    hungUp = once(request.socket, 'close');
    cutOff(true)(request, response);
  });
  const { content } = await clientOf(server).download(TOKEN);
  await hungUp;
  await new Promise(setImmediate);
  await expect(whole(content)).rejects.toThrow(UnreachableError);
});

test('download: a reader that stops closes the connection', async () => {
  let hungUp: Promise<unknown> = Promise.resolve();
  await using server = await fileServer((request, response) => {
    hungUp = once(request.socket, 'close');
    response.writeHead(200, { 'content-length': '100' }).write(Buffer.alloc(10));
  });
  const { content } = await clientOf(server).download(TOKEN);
  for await (const chunk of content) {
    expect(chunk.length).toBe(10);
    break;
  }
  await hungUp;
});
