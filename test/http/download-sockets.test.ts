/**
 * Downloads over a real socket after the sealed file was damaged on disk. The announced content-length stays, the
 * answer is cut off at the damage, and only verified bytes are sent (contract §2.6, docs/architecture.md#vault).
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { KIB, MIB } from '../../src/kernel/numbers/units.ts';
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

test('download: when its first chunk is damaged it is 503 vault_damaged without a byte', async (file) => {
  await damage(file.service, file.name, flipBit(HEADER_BYTES + 100));

  expectRefused(await file.download());
  expect(await accessLog(file.service)).toEqual([]);
  expect(openHandles(file.service.filesFolder)).toBe(0);
});

test('download: when it is gone it is 503 vault_damaged', async (file) => {
  await rm(join(file.service.filesFolder, file.name));

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

test('download: when a later chunk is damaged it is cut off, what came is verified, and the service continues', async (file) => {
  await damage(file.service, file.name, flipBit(chunkAt(2)));

  const { status, headers, bytes, isWhole } = await file.download();

  expect([status, isWhole, headers['content-length']]).toEqual([200, false, String(content.length)]);
  expect(bytes.length).toBeLessThanOrEqual(2 * CHUNK_BYTES);
  expect(bytes.equals(content.subarray(0, bytes.length))).toBe(true);
  await until(() => openHandles(file.service.filesFolder) === 0);

  await file.service.upload(file.fp_id, IMAGE, content);
  expect((await file.download()).bytes.equals(content)).toBe(true);
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
