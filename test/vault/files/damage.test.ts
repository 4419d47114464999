/**
 * Sealed files that were changed on disk. In each case the reader gets the whole chunks before the damage, and then
 * `vault_damaged`.
 */
import { randomBytes } from 'node:crypto';
import { appendFileSync, renameSync, truncateSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openFile, StoredFile } from '../../../src/vault/files/index.ts';
import { aBlobStore, CHUNK, HEADER, someBytes, TAG } from './a-blob-store.ts';

const damaged = { code: 'vault_damaged' };
const SEALED_CHUNK = CHUNK + TAG;
const CHUNKS = 4;
const LAST = 500;
const PLAINTEXT = someBytes((CHUNKS - 1) * CHUNK + LAST);

type Store = ReturnType<typeof aBlobStore>;

const startOf = (chunk: number) => HEADER + chunk * SEALED_CHUNK;
const chunkOf = (sealed: Buffer, chunk: number) => sealed.subarray(startOf(chunk), startOf(chunk + 1));

function withBitFlipped(bytes: Buffer, bit: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return changed;
}

/** Returns the file with changed values in its descriptor. */
function described(file: StoredFile, changed: { bytes?: number; key?: Uint8Array }): StoredFile {
  const { blob, key, contentType, bytes, sha256 } = file;
  return new StoredFile({ blob, key, contentType, bytes, sha256, ...changed });
}

/**
 * Returns the sealed bytes with their chunks in this order. A number stands for a chunk of the file, bytes stand for a
 * foreign chunk.
 */
const arranged = (sealed: Buffer, order: (number | Buffer)[]) =>
  Buffer.concat([
    sealed.subarray(0, HEADER),
    ...order.map((part) => (typeof part === 'number' ? chunkOf(sealed, part) : part)),
  ]);

/** A sealed file of four chunks, which `change` damages. */
async function aFile(change?: (sealed: Buffer) => Uint8Array) {
  const store = aBlobStore();
  const file = await store.seal(PLAINTEXT);
  if (change) store.damage(file, change);
  return { store, file };
}

async function expectReleased(store: Store, file: StoredFile, chunks: number): Promise<void> {
  const { released, error } = await store.read(file);
  expect(error).toMatchObject(damaged);
  expect(released).toHaveLength(chunks * CHUNK);
  expect(released.equals(PLAINTEXT.subarray(0, chunks * CHUNK))).toBe(true);
  expect(store.openHandles()).toBe(0);
}

async function expectRefused(store: Store, file: StoredFile): Promise<void> {
  await expect(openFile(store.blobs, file)).rejects.toMatchObject(damaged);
  expect(store.openHandles()).toBe(0);
}

test('openFile: no bit of a small file can be flipped', async () => {
  const store = aBlobStore();
  const file = await store.seal(Buffer.from('078051120'));
  const sealed = store.sealedOf(file);
  expect(sealed).toHaveLength(HEADER + 9 + TAG);
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    store.damage(file, () => withBitFlipped(sealed, bit));
    await expectRefused(store, file);
  }
});

test('chunks: wherever a bit is flipped, the chunks before it are released and none from there on', async () => {
  const { store, file } = await aFile();
  const sealed = store.sealedOf(file);
  const anywhere = fc.integer({ min: HEADER, max: sealed.length - 1 });
  const borders = fc.constantFrom(
    ...[0, 1, 2, 3].flatMap((chunk) => [startOf(chunk), startOf(chunk + 1) - TAG, startOf(chunk + 1) - 1]),
    sealed.length - 1,
  );
  const byte = fc.oneof(anywhere, borders).filter((at) => at < sealed.length);
  await fc.assert(
    fc.asyncProperty(byte, fc.nat(7), async (at, bit) => {
      store.damage(file, () => withBitFlipped(sealed, at * 8 + bit));
      await expectReleased(store, file, Math.floor((at - HEADER) / SEALED_CHUNK));
    }),
    { numRuns: 150 },
  );
});

test.each([
  ['in the header', 3],
  ['behind the header', HEADER],
  ['within the first chunk', HEADER + 100],
  ['at the border of a chunk', startOf(2)],
  ['within a chunk', startOf(2) + 100],
  ['before the last chunk', startOf(CHUNKS - 1)],
  ['by one byte', startOf(CHUNKS - 1) + LAST + TAG - 1],
  ['to nothing', 0],
])('openFile: nothing of a file that was cut %s', async (_, length) => {
  const { store, file } = await aFile((sealed) => sealed.subarray(0, length));
  await expectRefused(store, file);
});

test.each([
  ['a byte', () => Buffer.alloc(1)],
  ['an empty chunk', () => Buffer.alloc(TAG)],
  ['its last chunk again', (sealed: Buffer) => chunkOf(sealed, CHUNKS - 1)],
  ['its first chunk again', (sealed: Buffer) => chunkOf(sealed, 0)],
])('openFile: nothing of a file with %s behind it', async (_, tail) => {
  const { store, file } = await aFile((sealed) => Buffer.concat([sealed, tail(sealed)]));
  await expectRefused(store, file);
});

test.each([
  ['two chunks in each other’s place', [0, 2, 1, 3], 1],
  ['the first two chunks in each other’s place', [1, 0, 2, 3], 0],
  ['a chunk twice', [0, 1, 1, 3], 2],
])('chunks: %s: what is before is released', async (_, order, released) => {
  const { store, file } = await aFile((sealed) => arranged(sealed, order));
  await expectReleased(store, file, released);
});

test('chunks: a chunk of another file, or of an earlier upload of the same bytes, does not open', async () => {
  const store = aBlobStore();
  const [file, twin] = [await store.seal(PLAINTEXT), await store.seal(PLAINTEXT)];
  const foreign = chunkOf(store.sealedOf(twin), 2);
  store.damage(file, (sealed) => arranged(sealed, [0, 1, foreign, 3]));
  await expectReleased(store, file, 2);
});

test('openFile: files in each other’s place do not open', async () => {
  const store = aBlobStore();
  const [one, other] = [await store.seal(PLAINTEXT), await store.seal(Buffer.from(PLAINTEXT).fill(7))];
  renameSync(store.pathOf(one), `${store.folder}/aside`);
  renameSync(store.pathOf(other), store.pathOf(one));
  renameSync(`${store.folder}/aside`, store.pathOf(other));
  await expectRefused(store, one);
  await expectRefused(store, other);
});

test('openFile: a file that is missing is damage, and the cause says so', async () => {
  const { store, file } = await aFile();
  await store.blobs.remove([file.blob]);
  await expect(openFile(store.blobs, file)).rejects.toMatchObject({ ...damaged, cause: { code: 'ENOENT' } });
});

test('openFile: another key opens nothing', async () => {
  const { store, file } = await aFile();
  await expectRefused(store, described(file, { key: randomBytes(32) }));
});

/**
 * The length alone doesn't prove that a file is whole. When the descriptor has the length of the cut file, the last
 * chunk is still missing.
 */
test.each([1, 2, 3])('openFile, chunks: %i chunks are no file of that many', async (kept) => {
  const { store, file } = await aFile((sealed) => sealed.subarray(0, startOf(kept)));
  await expectReleased(store, described(file, { bytes: kept * CHUNK }), kept - 1);
});

test('chunks: a last chunk in the middle of a longer file does not open', async () => {
  const store = aBlobStore();
  const file = await store.seal(someBytes(2 * CHUNK));
  store.damage(file, (sealed) => Buffer.concat([sealed, chunkOf(sealed, 1)]));
  const { released, error } = await store.read(described(file, { bytes: 3 * CHUNK }));
  expect(error).toMatchObject(damaged);
  expect(released.equals(someBytes(CHUNK))).toBe(true);
});

test.each([startOf(1), startOf(2), startOf(2) + 10, startOf(3) + LAST + TAG - 1])(
  'chunks: a file that is cut to %i bytes while it is read ends with damage',
  async (length) => {
    const { store, file } = await aFile();
    const opened = await openFile(store.blobs, file);
    truncateSync(store.pathOf(file), length);
    const released: Uint8Array[] = [];
    const reading = (async () => {
      for await (const chunk of opened.chunks()) released.push(chunk);
    })();
    await expect(reading).rejects.toMatchObject(damaged);
    const whole = Math.floor((length - HEADER) / SEALED_CHUNK);
    expect(Buffer.concat(released).equals(PLAINTEXT.subarray(0, whole * CHUNK))).toBe(true);
    expect(store.openHandles()).toBe(0);
  },
);

test('chunks: what is put behind a file while it is read is not released', async () => {
  const { store, file } = await aFile();
  const opened = await openFile(store.blobs, file);
  appendFileSync(store.pathOf(file), Buffer.alloc(SEALED_CHUNK));
  const released: Uint8Array[] = [];
  for await (const chunk of opened.chunks()) released.push(chunk);
  expect(Buffer.concat(released).equals(PLAINTEXT)).toBe(true);
});

test('openFile: the message says nothing of the content', async () => {
  const store = aBlobStore();
  const file = await store.seal(Buffer.from('078051120'));
  store.damage(file, (sealed) => withBitFlipped(sealed, 100));
  const { error } = await store.read(file);
  expect(String(error)).toContain('changed, cut or moved');
  expect(String(error)).not.toContain('078051120');
  expect(String(error)).not.toContain(file.blob);
});
