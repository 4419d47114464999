import * as crypto from 'node:crypto';
import { blake2b } from '@noble/hashes/blake2';
import fc from 'fast-check';
import nacl from 'tweetnacl';
import { expect, it } from 'vitest';
import { encrypt, encryptChain, notUsable, SEALED_BOX, spki } from './encryption.ts';
import { parseRefusal } from './refusal.ts';

const x25519 = nacl.box.keyPair();
const texts = fc.string({ unit: 'binary', maxLength: 60 });
const utf8 = (text: string): string => Buffer.from(text).toString();

/** Opens a sealed box like libsodium's crypto_box_seal_open. */
function open(message: Uint8Array, keys: nacl.BoxKeyPair): string {
  const ephemeral = message.subarray(0, 32);
  const nonce = blake2b.create({ dkLen: 24 }).update(ephemeral).update(keys.publicKey).digest();
  const opened = nacl.box.open(message.subarray(32), nonce, ephemeral, keys.secretKey);
  if (opened === null) throw new Error('the box does not open');
  return Buffer.from(opened).toString();
}

it('the opener of this test: opens a box that libsodium 1.0.22 has sealed', () => {
  const keys = nacl.box.keyPair.fromSecretKey(Uint8Array.from({ length: 32 }, (_, index) => index + 1));
  const sealed =
    '46714da14f82c962ab90b13f3ac912f80633d1715a9682fa50a0d09d10e5ec2dfa1a1495c203832a6ed2c82479ba41ca2a31df0b5c0fde4f8901cdc3e308a5';
  expect(open(Buffer.from(sealed, 'hex'), keys)).toBe('Zoë 🦊 \0 end');
});

it('encrypt: the receiver opens the sealed box', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const message = encrypt(SEALED_BOX, x25519.publicKey, text);
      expect(message).toHaveLength(32 + 16 + Buffer.byteLength(text));
      expect(open(message, x25519)).toBe(utf8(text));
    }),
    { numRuns: 30 },
  );
});

it.each([
  ['31 bytes', x25519.publicKey.subarray(1)],
  ['33 bytes', Buffer.concat([x25519.publicKey, Buffer.of(0)])],
  ['DER', spki(crypto.generateKeyPairSync('x25519').publicKey)],
  ['a key of zeros, to which anyone could open', new Uint8Array(32)],
  [
    'a point of order 8',
    Buffer.from('e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800', 'hex'),
  ],
])('parseChain: refuses %s', (_case, key) => {
  expect(parseRefusal(encryptChain(SEALED_BOX, key))).toEqual(notUsable(SEALED_BOX));
});
