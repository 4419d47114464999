import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { hmac } from '../../src/vault/envelope.ts';

const aKey = fc.uint8Array({ minLength: 32, maxLength: 32 });
const KEY = Uint8Array.from({ length: 32 }, (_, index) => index);

const byNode = (key: Uint8Array, message: string) =>
  createHmac('sha256', key).update(message, 'utf8').digest();

test('hmac: is HMAC-SHA256 of the UTF-8 of any text under any 32-byte key', () => {
  fc.assert(
    fc.property(aKey, fc.string({ unit: 'binary', maxLength: 4000 }), (key, message) => {
      expect(hmac(key, message)).toEqual(byNode(key, message));
    }),
    { numRuns: 500 },
  );
});

test.each(['a', 'é', '€', '😀'])(
  'hmac: every length around the end of its scratch, in characters like %s',
  (unit) => {
    const around = Math.floor(2048 / 3);
    for (let length = around - 4; length <= around + 4; length++) {
      const message = unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
      expect([length, hmac(KEY, message)]).toEqual([length, byNode(KEY, message)]);
    }
  },
);

test('hmac: a long message does not colour the next short one, nor one key the next', () => {
  const other = Uint8Array.from(KEY, (byte) => byte ^ 0xff);
  const before = hmac(KEY, 'short');
  hmac(other, 'x'.repeat(682));
  hmac(other, '');
  expect(hmac(KEY, 'short')).toEqual(before);
});

test('hmac: each answer is a buffer of its own', () => {
  const first = hmac(KEY, 'one');
  const copy = Buffer.from(first);
  hmac(KEY, 'two');
  expect(first).toEqual(copy);
});

test('hmac: nothing of a key or message stays in its buffers', async () => {
  const made: Buffer[] = [];
  const alloc = vi.spyOn(Buffer, 'alloc').mockImplementation((size, fill) => {
    const buffer = Buffer.from(new Uint8Array(size).fill(Number(fill)));
    made.push(buffer);
    return buffer;
  });
  vi.resetModules();
  const anew = await import('../../src/vault/envelope.ts');
  alloc.mockRestore();
  expect(made).toHaveLength(2);
  const before = made.map((buffer) => Buffer.from(buffer.subarray(0, 64)));

  expect(anew.hmac(KEY, 'Jane Doe')).toEqual(byNode(KEY, 'Jane Doe'));
  expect(() => anew.hmac(KEY, Symbol('no text') as never)).toThrow();

  expect(made.map((buffer) => buffer.subarray(0, 64))).toEqual(before);
  // Zeros, and the constants that HMAC pads a key with.
  for (const buffer of made) expect(buffer.every((byte) => [0, 0x36, 0x5c].includes(byte))).toBe(true);
});

test.each([0, 16, 31, 33, 64])('hmac: a key of %i bytes is refused', (length) => {
  expect(() => hmac(new Uint8Array(length), 'message')).toThrow(RangeError);
});
