import fc from 'fast-check';
import nacl from 'tweetnacl';
import { expect, test } from 'vitest';
import { copyOf, openFrom, sealInto, TAG_BYTES } from '../../src/vault/envelope.ts';

const NONCE_BYTES = 24;
const KEY = Uint8Array.from({ length: 32 }, (_, index) => index);
const hex = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'));

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
/** Lengths around the block size of the stream cipher, and around the length that the library opens. */
const aMessage = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.constantFrom(0, 1, 31, 32, 33, 95, 96, 97, 1023, 1024, 1025, 4096).chain(bytes),
);

function boxOf(key: Uint8Array, nonce: Uint8Array, message: Uint8Array): Uint8Array {
  const envelope = new Uint8Array(NONCE_BYTES + TAG_BYTES + message.length);
  envelope.set(nonce);
  sealInto(envelope, 0, { key, message });
  return envelope.slice(NONCE_BYTES);
}

function opened(key: Uint8Array, nonce: Uint8Array, box: Uint8Array): Uint8Array | undefined {
  return openFrom(Uint8Array.of(...nonce, ...box), 0, { key, read: copyOf });
}

test('sealInto: gives the box of the test vector of NaCl', () => {
  // The vector is in tests/secretbox.c of NaCl.
  const key = hex('1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389');
  const nonce = hex('69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37');
  const message = hex(
    'be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c61296cdc3c01' +
      '233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde048977eb48f59ffd' +
      '4924ca1c60902e52f0a089bc76897040e082f937763848645e0705',
  );
  const box =
    'f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186ac0dfc17c' +
    '98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae90224368517acfea' +
    'bd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74e355a5';
  expect(Buffer.from(boxOf(key, nonce, message)).toString('hex')).toBe(box);
  expect(opened(key, nonce, hex(box))).toEqual(message);
});

test('sealInto, openFrom: are the secretbox of the library, for any key, nonce and message', () => {
  fc.assert(
    fc.property(bytes(32), bytes(NONCE_BYTES), aMessage, (key, nonce, message) => {
      const box = nacl.secretbox(message, nonce, key);
      expect(boxOf(key, nonce, message)).toEqual(box);
      expect(opened(key, nonce, box)).toEqual(message);
    }),
  );
});

test('openFrom: opens nothing that was changed, at any length, and the next one as before', () => {
  fc.assert(
    fc.property(bytes(NONCE_BYTES), aMessage, fc.nat(), (nonce, message, at) => {
      const box = nacl.secretbox(message, nonce, KEY);
      const changed = Uint8Array.from(box);
      const index = at % changed.length;
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(opened(KEY, nonce, changed)).toBeUndefined();
      expect(opened(KEY, nonce, box)).toEqual(message);
    }),
  );
});

test('openFrom: what it returns is a copy that the next message does not change', () => {
  const nonce = new Uint8Array(NONCE_BYTES);
  const [one, other] = [Uint8Array.of(1, 2, 3), Uint8Array.of(4, 5, 6)];
  const first = opened(KEY, nonce, nacl.secretbox(one, nonce, KEY));
  opened(KEY, nonce, nacl.secretbox(other, nonce, KEY));
  expect(first).toEqual(one);
  expect(first?.buffer.byteLength).toBe(one.length);
});
