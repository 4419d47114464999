import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ServiceError } from '../../../src/kernel/errors.ts';
import { openFile, sealFile } from '../../../src/vault/files/index.ts';
import { until } from '../../support/patience.ts';
import { aBlobStore, CHUNK, HEADER, inParts, someBytes, TAG } from './a-blob-store.ts';

const EDGES = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 3 * CHUNK, 5 * CHUNK + 12_345];

test.each(EDGES)(
  'sealFile, openFile: %i bytes come back, of a header, themselves and a tag for each chunk',
  async (length) => {
    const { seal, sealedOf, read } = aBlobStore();
    const plaintext = someBytes(length);
    const file = await seal(plaintext);
    expect(sealedOf(file)).toHaveLength(HEADER + length + Math.max(1, Math.ceil(length / CHUNK)) * TAG);
    const { released, error } = await read(file);
    expect(error).toBeUndefined();
    expect(released.equals(plaintext)).toBe(true);
  },
);

test('sealFile, openFile: any bytes come back, in whatever parts they came', async () => {
  const { blobs, read } = aBlobStore();
  const partLength = fc.oneof(
    fc.integer({ min: 0, max: 3 * CHUNK }),
    fc.constantFrom(0, 1, CHUNK - 1, CHUNK, CHUNK + 1),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(partLength, { maxLength: 6 }), fc.nat(255), async (lengths, salt) => {
      const plaintext = someBytes(lengths.reduce((sum, length) => sum + length, salt));
      const parts = [plaintext.subarray(0, salt)];
      for (let at = salt; lengths.length > 0;) {
        const end = at + (lengths.shift() ?? 0);
        parts.push(plaintext.subarray(at, end));
        at = end;
      }
      const file = await sealFile(blobs, { contentType: 'image/png', content: inParts(parts) });
      expect(file.bytes).toBe(plaintext.length);
      expect((await read(file)).released.equals(plaintext)).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test('sealFile: a source may fill the same buffer again and again', async () => {
  const { blobs, read } = aBlobStore();
  const plaintext = someBytes(3 * CHUNK + 77);
  async function* reusing() {
    const buffer = Buffer.alloc(50_000);
    for (let at = 0; at < plaintext.length; at += buffer.length) {
      await Promise.resolve();
      yield buffer.subarray(0, plaintext.copy(buffer, 0, at));
    }
  }
  const file = await sealFile(blobs, { contentType: 'image/png', content: reusing() });
  expect((await read(file)).released.equals(plaintext)).toBe(true);
});

test('sealFile: describes what it stored', async () => {
  const { seal, entries } = aBlobStore();
  const plaintext = someBytes(CHUNK + 1);
  const file = await seal(plaintext, 'image/jpeg');
  expect(file).toMatchObject({ contentType: 'image/jpeg', bytes: CHUNK + 1 });
  expect(file.sha256).toBe(createHash('sha256').update(plaintext).digest('hex'));
  expect(entries()).toEqual([file.blob]);
});

test('sealFile: each file has a key of its own, and equal files look different', async () => {
  const { seal, sealedOf } = aBlobStore();
  const plaintext = someBytes(100);
  const [one, other] = [await seal(plaintext), await seal(plaintext)];
  expect(one.key).toHaveLength(32);
  expect(Buffer.compare(one.key, other.key)).not.toBe(0);
  expect(sealedOf(one).subarray(HEADER).equals(sealedOf(other).subarray(HEADER))).toBe(false);
});

test('sealFile: neither the bytes nor the key are in the folder, at no time of the upload', async () => {
  const { blobs, folder } = aBlobStore();
  const canary = Buffer.from('CANARY-4f1e');
  const seen: Buffer[] = [];
  const look = () => readdirSync(folder).forEach((name) => seen.push(readFileSync(join(folder, name))));
  async function* watched() {
    for (let part = 0; part < 6; part++) {
      await Promise.resolve();
      yield Buffer.concat([canary, Buffer.alloc(40_000), canary]);
      look();
    }
  }
  const { key } = await sealFile(blobs, { contentType: 'image/png', content: watched() });
  look();
  expect(seen.some((bytes) => bytes.length > 3 * CHUNK)).toBe(true);
  expect(seen.filter((bytes) => bytes.includes(canary) || bytes.includes(Buffer.from(key)))).toEqual([]);
});

test('sealFile: reads at most a chunk ahead of what is written', async () => {
  const { blobs, folder } = aBlobStore();
  const waiting: number[] = [];
  async function* counted() {
    for (let given = 0; given < 20 * CHUNK; given += CHUNK) {
      const [draft = ''] = readdirSync(folder);
      waiting.push(given - statSync(join(folder, draft)).size);
      await Promise.resolve();
      yield Buffer.alloc(CHUNK);
    }
  }
  await sealFile(blobs, { contentType: 'image/png', content: counted() });
  expect(waiting).toHaveLength(20);
  expect(Math.max(...waiting)).toBeLessThanOrEqual(CHUNK);
});

test.each([0, 1, CHUNK, 3 * CHUNK + 5])(
  'sealFile: the error of a source that fails after %i bytes is passed on, and neither file nor handle is left',
  async (length) => {
    const { blobs, entries, openHandles } = aBlobStore();
    const tooLarge = new ServiceError('payload_too_large', 'The upload is over 10 MiB');
    async function* failing() {
      yield* inParts([someBytes(length)]);
      throw tooLarge;
    }
    await expect(sealFile(blobs, { contentType: 'image/png', content: failing() })).rejects.toBe(tooLarge);
    expect(entries()).toEqual([]);
    expect(openHandles()).toBe(0);
  },
);

test('sealFile: a stream that is destroyed meanwhile leaves nothing', async () => {
  const { blobs, entries, openHandles } = aBlobStore();
  const stream = new Readable({ read: () => undefined });
  stream.push(someBytes(2 * CHUNK));
  const sealing = sealFile(blobs, { contentType: 'image/png', content: stream });
  await until('the stream was read', () => stream.readableLength === 0);
  stream.destroy();
  await expect(sealing).rejects.toThrow();
  expect(entries()).toEqual([]);
  expect(openHandles()).toBe(0);
});

test('openFile: returns the length before anything is read', async () => {
  const { blobs, seal } = aBlobStore();
  const opened = await openFile(blobs, await seal(someBytes(CHUNK + 1)));
  expect(opened.bytes).toBe(CHUNK + 1);
  await opened.close();
});

test('chunks: an empty file gives none', async () => {
  const { blobs, seal } = aBlobStore();
  const opened = await openFile(blobs, await seal(someBytes(0)));
  const chunks: Uint8Array[] = [];
  for await (const chunk of opened.chunks()) chunks.push(chunk);
  expect(chunks).toEqual([]);
});

test('chunks: are read once', async () => {
  const { blobs, seal } = aBlobStore();
  const opened = await openFile(blobs, await seal(someBytes(10)));
  opened.chunks();
  expect(() => opened.chunks()).toThrow('once');
  await opened.close();
});

test('chunks: a file that is removed while it is read is read to its end', async () => {
  const { blobs, seal } = aBlobStore();
  const plaintext = someBytes(3 * CHUNK);
  const file = await seal(plaintext);
  const opened = await openFile(blobs, file);
  await blobs.remove([file.blob]);
  const released: Uint8Array[] = [];
  for await (const chunk of opened.chunks()) released.push(chunk);
  expect(Buffer.concat(released).equals(plaintext)).toBe(true);
});

test('chunks: the file is open until its end and closed after it', async () => {
  const { blobs, seal, openHandles } = aBlobStore();
  const opened = await openFile(blobs, await seal(someBytes(3 * CHUNK)));
  const during: number[] = [];
  for await (const chunk of opened.chunks()) during.push(openHandles() + 0 * chunk.length);
  expect(during).toEqual([1, 1, 1]);
  expect(openHandles()).toBe(0);
});

test.each<[what: string, leave: (opened: Awaited<ReturnType<typeof openFile>>) => Promise<unknown>]>([
  [
    'leaving the loop',
    async (opened) => {
      for await (const chunk of opened.chunks()) if (chunk.length > 0) break;
    },
  ],
  [
    'an iterator that is returned before its first step',
    async (opened) => await opened.chunks()[Symbol.asyncIterator]().return?.(),
  ],
  [
    'a stream over them that is destroyed',
    async (opened) => {
      const stream = Readable.from(opened.chunks());
      await once(stream, 'readable');
      stream.destroy();
      await once(stream, 'close');
    },
  ],
  ['close, which may be called again,', (opened) => Promise.all([opened.close(), opened.close()])],
])('chunks: %s closes the file', async (_what, leave) => {
  const { blobs, seal, openHandles } = aBlobStore();
  const opened = await openFile(blobs, await seal(someBytes(3 * CHUNK)));
  expect(openHandles()).toBe(1);
  await leave(opened);
  expect(openHandles()).toBe(0);
});

test('close: after the last chunk it does nothing', async () => {
  const { blobs, seal } = aBlobStore();
  const opened = await openFile(blobs, await seal(someBytes(10)));
  for await (const chunk of opened.chunks()) expect(chunk).toHaveLength(10);
  await expect(opened.close()).resolves.toBeUndefined();
});
