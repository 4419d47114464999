import { expand } from '@noble/hashes/hkdf';
import { sha256 } from '@noble/hashes/sha2';
import fc from 'fast-check';
import nacl from 'tweetnacl';
import { expect, test } from 'vitest';
import { derivedKey, KEY_BYTES, open, seal } from '../../src/vault/envelope.ts';

const aKey = fc.uint8Array({ minLength: 32, maxLength: 32 });
const KEY = Uint8Array.from({ length: 32 }, (_, index) => index);
const PLAINTEXT = Buffer.from('078051120');
const HEADER_BYTES = 26;
const TAG_BYTES = 16;

const damaged = expect.objectContaining({ code: 'vault_damaged' }) as Error;

test('seal: version, algorithm, nonce, box, which another implementation of secretbox opens', () => {
  const envelope = seal(KEY, PLAINTEXT);
  expect([envelope[0], envelope[1]]).toEqual([1, 1]);
  expect(envelope).toHaveLength(HEADER_BYTES + TAG_BYTES + PLAINTEXT.length);
  const plaintext = nacl.secretbox.open(envelope.slice(HEADER_BYTES), envelope.slice(2, HEADER_BYTES), KEY);
  expect(plaintext && Buffer.from(plaintext)).toEqual(PLAINTEXT);
});

test('seal: the same plaintext never looks the same, and no nonce comes twice', () => {
  const envelopes = Array.from({ length: 2000 }, () => Buffer.from(seal(KEY, PLAINTEXT)));
  expect(new Set(envelopes.map((envelope) => envelope.toString('hex'))).size).toBe(2000);
  expect(new Set(envelopes.map((envelope) => envelope.toString('hex', 2, HEADER_BYTES))).size).toBe(2000);
  expect(envelopes.some((envelope) => envelope.includes(PLAINTEXT))).toBe(false);
});

test('open: takes an envelope that is a slice of a larger buffer, as SQLite may give it', () => {
  const envelope = seal(KEY, PLAINTEXT);
  const around = Buffer.concat([Buffer.alloc(7, 1), envelope, Buffer.alloc(7, 1)]);
  expect(Buffer.from(open(KEY, around.subarray(7, 7 + envelope.length)))).toEqual(PLAINTEXT);
});

test('open: no bit of an envelope can be flipped', () => {
  const envelope = seal(KEY, PLAINTEXT);
  for (let bit = 0; bit < envelope.length * 8; bit++) {
    const changed = Uint8Array.from(envelope);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(() => open(KEY, changed)).toThrow(damaged);
  }
});

test('open: no envelope of another length', () => {
  const envelope = seal(KEY, PLAINTEXT);
  for (let length = 0; length < envelope.length; length++) {
    expect(() => open(KEY, envelope.subarray(0, length))).toThrow(damaged);
  }
  expect(() => open(KEY, Buffer.concat([envelope, Buffer.alloc(1)]))).toThrow(damaged);
});

test('open: no other version or algorithm, whatever its box says', () => {
  const envelope = seal(KEY, PLAINTEXT);
  for (let value = 0; value < 256; value++) {
    if (value === 1) continue;
    for (const at of [0, 1]) {
      const changed = Uint8Array.from(envelope);
      changed[at] = value;
      expect(() => open(KEY, changed)).toThrow(damaged);
    }
  }
});

test('open: the message says nothing of the content', () => {
  const envelope = seal(KEY, PLAINTEXT);
  envelope[HEADER_BYTES] = (envelope[HEADER_BYTES] ?? 0) ^ 1;
  let message = '';
  try {
    open(KEY, envelope);
  } catch (error) {
    message = String(error);
  }
  expect(message).toContain('authentication');
  expect(message).not.toContain('078051120');
});

/** Encodes a context as docs/architecture.md#vault defines it: the length of each part stands before the part. */
const context = (parts: readonly string[]) =>
  Buffer.from(parts.map((part) => `${part.length}:${part}`).join(''));

test('derivedKey: is HKDF-Expand of RFC 5869, checked by an independent library', () => {
  fc.assert(
    fc.property(aKey, fc.array(fc.string({ unit: 'grapheme', maxLength: 40 })), (parent, parts) => {
      const key = derivedKey(parent, ...parts);
      expect(key).toHaveLength(KEY_BYTES);
      expect(Uint8Array.from(key)).toEqual(expand(sha256, parent, context(parts), 32));
    }),
  );
});

test('derivedKey: unpaired surrogates, which all become U+FFFD in UTF-8, are refused instead of sharing a key', () => {
  for (const part of ['\ud800', '\udc00', 'a\ud83d', '\ude00\ud83d']) {
    expect(() => derivedKey(KEY, 'value', part)).toThrow(RangeError);
  }
  expect(derivedKey(KEY, 'value', '\u{1f600}')).toHaveLength(KEY_BYTES);
});
