/**
 * Downloads over a real socket after the sealed file was damaged on disk. The announced content-length stays, the
 * answer is cut off at the damage, and only verified bytes are sent (contract §2.6, docs/architecture.md#vault).
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { KIB, MIB } from '../../src/kernel/units.ts';
import { consoleSession } from '../support/console-samples.ts';
import { openHandles } from '../support/open-handles.ts';
import { HOST, startService, type TestService } from '../support/service.ts';
import { until } from '../support/uploads.ts';
import { accessLog } from '../support/vault-calls.ts';
import { testWith } from '../support/test-with.ts';

const IMAGE = 'document.passport.front.image';
/** The sizes of the sealed form (docs/architecture.md#vault): a header, and chunks of 64 KiB, each with a tag. */
const HEADER_BYTES = 8;
const CHUNK_BYTES = 64 * KIB;
const SEALED_CHUNK_BYTES = CHUNK_BYTES + 16;
const CHUNKS = 4;
const content = randomBytes((CHUNKS - 1) * CHUNK_BYTES + 1000);

interface Received {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  /** Whether all announced bytes have arrived. */
  readonly isWhole: boolean;
}

/** Makes a user with a file of four chunks. The result can download the file over a socket. */
async function aFile() {
  const service = await startService();
  const fp_id = await service.user({});
  await service.upload(fp_id, IMAGE, content);
  const body = { scope: 'decrypt_download', fields: [IMAGE], decrypt_reason: 'a test' };
  const token = await service.token(fp_id, body);
  const place = await service.listen();
  return {
    service,
    fp_id,
    name: (await readdir(service.filesFolder))[0] ?? '',
    download: () => receive({ ...place, path: `/users/vault/decrypt/${token}` }),
    start: (onData: () => void) => {
      const request = get({ ...place, path: `/users/vault/decrypt/${token}` }, (answer) =>
        answer.once('data', onData),
      );
      request.on('error', () => undefined);
      return request;
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

const test = testWith(aFile);

function receive(place: { host: string; port: number; path: string }): Promise<Received> {
  return new Promise((resolve, reject) => {
    get({ ...place, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      // An answer that is cut off ends with an error.
      answer.on('error', () => undefined);
      answer.on('close', () => {
        const { statusCode: status, headers, complete: isWhole } = answer;
        resolve({ status, headers, bytes: Buffer.concat(chunks), isWhole });
      });
    }).on('error', reject);
  });
}

/** Changes the sealed bytes of a file on disk. */
async function damage({ filesFolder }: TestService, name: string, change: (sealed: Buffer) => Buffer) {
  const path = join(filesFolder, name);
  await writeFile(path, change(await readFile(path)));
}

const flipBit = (place: number) => (sealed: Buffer) => {
  sealed[place] = (sealed[place] ?? 0) ^ 1;
  return sealed;
};
const chunkAt = (index: number) => HEADER_BYTES + index * SEALED_CHUNK_BYTES;
const swapChunks = (one: number, other: number) => (sealed: Buffer) => {
  const [first, second] = [one, other].map((index) =>
    Buffer.from(sealed.subarray(chunkAt(index), chunkAt(index + 1))),
  );
  second?.copy(sealed, chunkAt(one));
  first?.copy(sealed, chunkAt(other));
  return sealed;
};

function expectRefused(received: Received): void {
  expect(received.status).toBe(503);
  expect(JSON.parse(received.bytes.toString())).toMatchObject({ code: 'vault_damaged' });
  expect(received.isWhole).toBe(true);
  expect(received.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(received.bytes.length),
  });
  expect(received.headers).not.toHaveProperty('content-disposition');
}

test('download: a file that is whole comes whole', async (file) => {
  const { status, headers, bytes, isWhole } = await file.download();

  expect([status, isWhole, headers['content-length']]).toEqual([200, true, String(content.length)]);
  expect(bytes.equals(content)).toBe(true);
});

test.eachWith([
  ['a bit of the header is flipped', flipBit(3)],
  ['a bit of the first chunk is flipped', flipBit(HEADER_BYTES + 100)],
  ['a bit of the first tag is flipped', flipBit(HEADER_BYTES + CHUNK_BYTES)],
  ['the first two chunks are swapped', swapChunks(0, 1)],
  ['it is cut at the end of a chunk', (sealed: Buffer) => sealed.subarray(0, chunkAt(2))],
  ['it lacks its last byte', (sealed: Buffer) => sealed.subarray(0, -1)],
  ['it has a byte more', (sealed: Buffer) => Buffer.concat([sealed, Buffer.alloc(1)])],
  ['it is empty', () => Buffer.alloc(0)],
])('download: when %s it is 503 vault_damaged without a byte', async (file, _what, change) => {
  await damage(file.service, file.name, change);

  expectRefused(await file.download());
  expect(await accessLog(file.service)).toEqual([]);
  expect(openHandles(file.service.filesFolder)).toBe(0);
});

test('download: when it is gone it is 503 vault_damaged', async (file) => {
  await rm(join(file.service.filesFolder, file.name));

  expectRefused(await file.download());
});

test('download: when it was swapped with another of its size it is 503 vault_damaged', async (file) => {
  const { filesFolder } = file.service;
  await file.service.upload(await file.service.user({}), IMAGE, randomBytes(content.length));
  const other = (await readdir(filesFolder)).find((name) => name !== file.name) ?? '';
  await rename(join(filesFolder, file.name), join(filesFolder, 'aside'));
  await rename(join(filesFolder, other), join(filesFolder, file.name));
  await rename(join(filesFolder, 'aside'), join(filesFolder, other));

  expectRefused(await file.download());
});

test('download: when it was swapped with an earlier version of equal bytes it is 503 vault_damaged', async (file) => {
  const { filesFolder } = file.service;
  await file.service.upload(file.fp_id, IMAGE, content);
  const newer = (await readdir(filesFolder)).find((name) => name !== file.name) ?? '';
  await rename(join(filesFolder, file.name), join(filesFolder, newer));

  expectRefused(await file.download());
});

test('decrypt, integrity: of a damaged file are 503 vault_damaged', async (file) => {
  await damage(file.service, file.name, flipBit(chunkAt(CHUNKS - 1)));
  const params = { fp_id: file.fp_id };

  for (const [key, more] of [
    ['POST /users/{fp_id}/vault/decrypt', { reason: 'a test' }],
    ['POST /users/{fp_id}/vault/integrity', { signing_key: 'ab' }],
  ] as const) {
    const answer = await file.service.refused(key, { params, body: { fields: [IMAGE], ...more } });
    expect(answer, key).toMatchObject({ status: 503, code: 'vault_damaged' });
  }
  expect(await accessLog(file.service)).toEqual([]);
  expect(openHandles(file.service.filesFolder)).toBe(0);
});

describe('damage further on', () => {
  test.eachWith([
    ['a bit of the second chunk is flipped', flipBit(chunkAt(1)), 1],
    [
      'a bit of the last tag is flipped',
      flipBit(HEADER_BYTES + content.length + CHUNKS * 16 - 1),
      CHUNKS - 1,
    ],
    ['two chunks in the middle are swapped', swapChunks(1, 2), 1],
    [
      'a chunk stands for the next one',
      (sealed: Buffer) => {
        sealed.copyWithin(chunkAt(2), chunkAt(1), chunkAt(2));
        return sealed;
      },
      2,
    ],
  ])('download: when %s it is cut off, and what came is verified', async (file, _what, change, intact) => {
    await damage(file.service, file.name, change);

    const { status, headers, bytes, isWhole } = await file.download();

    expect([status, isWhole, headers['content-length']]).toEqual([200, false, String(content.length)]);
    expect(bytes.length).toBeLessThanOrEqual(intact * CHUNK_BYTES);
    expect(bytes.equals(content.subarray(0, bytes.length))).toBe(true);
    await until(() => openHandles(file.service.filesFolder) === 0);
  });

  test('download: the service continues after a cut-off download', async (file) => {
    await damage(file.service, file.name, flipBit(chunkAt(2)));
    await file.download();

    await file.service.upload(file.fp_id, IMAGE, content);

    expect((await file.download()).bytes.equals(content)).toBe(true);
  });
});

test('download: a client that goes away leaves no file open', async (file) => {
  let hasBegun = false;

  const request = file.start(() => (hasBegun = true));
  await until(() => hasBegun);
  request.destroy();

  await until(() => openHandles(file.service.filesFolder) === 0);
  expect((await file.download()).isWhole).toBe(true);
});

test('downloads: one that a console session began is cut off when the session ends', async () => {
  await using service = await startService();
  const name = 'all';
  // More than the sockets hold between a server and a client that doesn't read.
  for (let files = 0; files < 3; files += 1)
    await service.upload(await service.user({}), IMAGE, randomBytes(10 * MIB));
  await service.call('PUT /_kyclone/snapshots/{name}', { params: { name } });
  const { headers } = await consoleSession(service);
  const place = await service.listen();
  const [answer] = (await once(
    get({ ...place, path: `/_kyclone/snapshots/${name}/content`, headers: { ...headers, host: HOST } }),
    'response',
  )) as [IncomingMessage];
  await service.call('DELETE /_kyclone/console/sessions');

  // A response that is cut off ends with an error.
  answer.on('error', () => undefined).resume();
  await new Promise((resolve) => answer.on('close', resolve));

  expect([answer.statusCode, answer.complete]).toEqual([200, false]);
});
