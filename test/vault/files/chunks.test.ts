import { webcrypto } from 'node:crypto';
import { expect, test } from 'vitest';
import { CHUNK_BYTES, openChunk, SEALED_CHUNK_BYTES, sealChunk } from '../../../src/vault/files/index.ts';
import { someBytes } from './a-blob-store.ts';

const KEY = Uint8Array.from({ length: 32 }, (_, index) => index);
const PLAINTEXT = Buffer.from('078051120');
const damaged = expect.objectContaining({ code: 'vault_damaged' }) as Error;

const seal = (place: { index: number; isLast: boolean }, plaintext: Uint8Array = PLAINTEXT) =>
  Uint8Array.from(sealChunk(KEY, place, { plaintext, target: Buffer.alloc(SEALED_CHUNK_BYTES) }));

/**
 * Opens a chunk in the form of docs/architecture.md#vault with WebCrypto: counter and flag are the nonce, the header is
 * the associated data.
 */
async function openedByWebCrypto(nonceHex: string, sealed: Uint8Array): Promise<Buffer> {
  const key = await webcrypto.subtle.importKey('raw', KEY, 'AES-GCM', false, ['decrypt']);
  const additionalData = Buffer.concat([Buffer.from('kyfile'), Buffer.from([1, 1])]);
  const iv = Buffer.from(nonceHex, 'hex');
  return Buffer.from(
    await webcrypto.subtle.decrypt({ name: 'AES-GCM', iv, additionalData, tagLength: 128 }, key, sealed),
  );
}

test.each([
  [{ index: 0, isLast: false }, '000000000000000000000000'],
  [{ index: 0, isLast: true }, '000000000000000000000001'],
  [{ index: 1, isLast: false }, '000000000000000000000100'],
  [{ index: 258, isLast: true }, '000000000000000000010201'],
  [{ index: 2 ** 32, isLast: true }, '000000000000010000000001'],
])('sealChunk: AES-256-GCM with place %j as nonce %s', async (place, nonce) => {
  expect(await openedByWebCrypto(nonce, seal(place))).toEqual(PLAINTEXT);
});

test('sealChunk: the tag of 16 bytes is behind the ciphertext', () => {
  expect(seal({ index: 0, isLast: true })).toHaveLength(PLAINTEXT.length + 16);
});

test('sealChunk: refuses a number that its counter has no room for', () => {
  expect(() => seal({ index: 2 ** 48, isLast: false })).toThrow(RangeError);
});

test('openChunk: a whole chunk comes back, in its place', () => {
  const plaintext = someBytes(CHUNK_BYTES);
  const opened = openChunk(KEY, { index: 7, isLast: false }, seal({ index: 7, isLast: false }, plaintext));
  expect(plaintext.equals(opened)).toBe(true);
});

test('openChunk: a shorter tag is no tag', () => {
  const place = { index: 0, isLast: true };
  const sealed = seal(place);
  for (let length = 0; length < sealed.length; length++) {
    expect(() => openChunk(KEY, place, sealed.subarray(0, length))).toThrow(damaged);
  }
});
