import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Socket } from 'node:net';
import { expect, vi } from 'vitest';
import { createClient, type Client, type OutgoingFile } from '../../src/client/client.ts';
import { ApiError, FileChangedError, UnreachableError } from '../../src/client/errors.ts';
import { open } from '../../src/client/transport.ts';
import { answerJson } from '../support/loopback.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { bytesOf, fileServer, pieces, type FileServer } from './file-server.ts';
import { testWith } from '../support/test-with.ts';

const KEY = 'POST /users/{fp_id}/vault/{identifier}/upload';
const DATUM = { fp_id: 'fp_id_0', identifier: 'document.custom.lease' };
const MIB = 1024 * 1024;

/** Starts a server that reads whole requests and records the request that it received. */
async function reader() {
  const seen: { headers?: IncomingHttpHeaders; bytes?: Buffer; wasCutOff?: boolean } = {};
  let arrive: () => void = () => undefined;
  let end: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const ended = new Promise<void>((resolve) => (end = resolve));
  const server = await fileServer((request, response) => {
    arrive();
    seen.headers = request.headers;
    bytesOf(request)
      .then((bytes) => {
        seen.bytes = bytes;
        answerJson(200, {}, { 'x-fp-vault-version': '7' })(request, response);
      })
      .catch(() => (seen.wasCutOff = true))
      .finally(end);
  });
  return { ...server, seen, arrived, ended };
}

const test = testWith(reader);

const clientOf = (server: FileServer): Client => createClient({ baseUrl: server.url, apiKey: 'k' });

function file(content: OutgoingFile['content'], bytes?: number): OutgoingFile {
  return { contentType: 'image/png', content, bytes };
}

async function* endless() {
  for (;;) yield await Promise.resolve(Buffer.alloc(MIB));
}

test('upload: sends the bytes with their type and length, and answers body and headers', async (server) => {
  const bytes = randomBytes(3 * MIB);
  const answer = await clientOf(server).upload(KEY, {
    params: DATUM,
    headers: { 'x-fp-ignore-luhn-validation': 'true' },
    file: file(pieces(bytes.subarray(0, MIB), bytes.subarray(MIB)), bytes.length),
  });
  expect(answer).toMatchObject({ status: 200, headers: { 'x-fp-vault-version': '7' }, body: {} });
  expect(server.seen.headers).toMatchObject({
    'content-type': 'image/png',
    'content-length': String(bytes.length),
    'x-fp-ignore-luhn-validation': 'true',
    authorization: `Basic ${Buffer.from('k:').toString('base64')}`,
  });
  expect(server.seen.bytes?.equals(bytes)).toBe(true);
});

test('upload: a file of unknown length goes out in chunks', async (server) => {
  await clientOf(server).upload(KEY, { params: DATUM, file: file(pieces(Buffer.from('abc'))) });
  expect(server.seen.headers).toMatchObject({ 'transfer-encoding': 'chunked' });
  expect(server.seen.headers).not.toHaveProperty('content-length');
  expect(server.seen.bytes?.toString()).toBe('abc');
});

test('upload: with a client token no key is sent', async (server) => {
  await clientOf(server).upload('POST /users/vault/{identifier}/upload', {
    params: { identifier: DATUM.identifier },
    token: 'cttok_1',
    file: file(pieces(Buffer.from('abc'))),
  });
  expect(server.seen.headers).toMatchObject({ 'x-fp-authorization': 'cttok_1' });
  expect(server.seen.headers).not.toHaveProperty('authorization');
});

test('upload: reports its progress, up to the last byte', async (server) => {
  const reported: number[] = [];
  await clientOf(server).upload(KEY, {
    params: DATUM,
    file: file(pieces(Buffer.alloc(5), Buffer.alloc(2), Buffer.alloc(3)), 10),
    onProgress: (sent) => reported.push(sent),
  });
  expect(reported).toEqual([5, 7, 10]);
});

test('upload: a refusal that comes early is reported, and the rest is not even read', async () => {
  let hungUp: Promise<unknown> = Promise.resolve();
  await using server = await fileServer((request, response) => {
    hungUp = new Promise((resolve) => request.socket.once('close', resolve));
    answerJson(413, { code: 'payload_too_large', message: 'too much' })(request, response);
    request.resume();
  });
  let isClosed = false;
  async function* watched() {
    try {
      yield* endless();
    } finally {
      isClosed = true;
    }
  }
  const refused = clientOf(server).upload(KEY, { params: DATUM, file: file(watched()) });
  await expect(refused).rejects.toThrow(ApiError);
  await expect(refused).rejects.toMatchObject({ code: 'payload_too_large', status: 413 });
  await expect.poll(() => isClosed).toBe(true);
  await hungUp;
});

test('upload: does not ask the other side to close, because unread data could lose its refusal', async (server) => {
  await clientOf(server).upload(KEY, { params: DATUM, file: file(pieces(Buffer.from('abc'))) });
  expect(server.seen.headers?.connection).toBe('keep-alive');
});

test.eachWith([
  ['shorter', 7],
  ['longer', 4],
])('upload: a file that turns out %s than was said is not stored', async (server, _, bytes) => {
  async function* six() {
    yield Buffer.from('ab');
    yield Buffer.from('cd');
    await server.arrived;
    yield Buffer.from('ef');
  }
  const sent = clientOf(server).upload(KEY, { params: DATUM, file: file(six(), bytes) });
  await expect(sent).rejects.toThrow(FileChangedError);
  await server.ended;
  expect(server.seen.wasCutOff).toBe(true);
});

test("upload: throws the file's error, and abandons the request", async (server) => {
  async function* broken() {
    yield Buffer.from('ab');
    yield Buffer.from('cd');
    await server.arrived;
    throw new Error('the disk is gone');
  }
  const sent = clientOf(server).upload(KEY, { params: DATUM, file: file(broken(), 6) });
  await expect(sent).rejects.toThrow('the disk is gone');
  await server.ended;
  expect(server.seen.wasCutOff).toBe(true);
});

test('upload: a connection that breaks is an UnreachableError', async () => {
  await using server = await fileServer((request) => {
    request.once('data', () => request.socket.destroy());
  });
  const sent = clientOf(server).upload(KEY, { params: DATUM, file: file(endless()) });
  await expect(sent).rejects.toThrow(UnreachableError);
});

test('open: a source that takes its time is not the silence of the other side', async (server) => {
  const SILENCE_MS = 50;
  // The source continues once one silence was forgiven; from then on the server has all the time that it needs.
  const { setTimeout: setSilence } = Socket.prototype;
  let armed = 0;
  let forgive: () => void = () => undefined;
  const forgiven = new Promise<void>((resolve) => (forgive = resolve));
  using _ = vi.spyOn(Socket.prototype, 'setTimeout').mockImplementation(function (
    this: Socket,
    timeoutMs,
    listener,
  ) {
    if (timeoutMs !== SILENCE_MS) return setSilence.call(this, timeoutMs, listener);
    armed += 1;
    if (armed > 1) forgive();
    return setSilence.call(this, armed > 1 ? PATIENCE_MS : SILENCE_MS, listener);
  });
  async function* slow() {
    yield Buffer.from('ab');
    await forgiven;
    yield Buffer.from('cd');
  }
  const request = { method: 'POST', url: new URL(server.url), headers: {}, timeoutMs: SILENCE_MS };
  expect((await open({ ...request, body: slow() })).status).toBe(200);
  expect(server.seen.bytes?.toString()).toBe('abcd');
});

test('open: the other side, when it takes nothing and says nothing, is given up', async () => {
  await using server = await fileServer(() => undefined);
  const request = { method: 'POST', url: new URL(server.url), headers: {}, timeoutMs: 50 };
  await expect(open({ ...request, body: endless() })).rejects.toThrow(UnreachableError);
});

test('upload: what takes a file cannot be called with a body', () => {
  // @ts-expect-error -- a file goes through upload
  const asJson = (client: Client) => client.call(KEY, { params: DATUM, body: {} });
  // @ts-expect-error -- nothing here takes a file
  const asFile = (client: Client) => client.upload('PATCH /users/vault', { file: file(pieces()) });
  // @ts-expect-error -- the token is the credential
  const withoutToken = (client: Client) => client.call('PATCH /users/vault', { body: {} });
  expect([asJson, asFile, withoutToken]).toHaveLength(3);
});
