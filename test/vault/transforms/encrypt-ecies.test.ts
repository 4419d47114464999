import * as crypto from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseChain } from '../../../src/vault/transforms/index.ts';
import { ECIES, encrypt, encryptChain, notUsable, P256_INFINITY, spki } from './encryption.ts';
import { parseRefusal } from './refusal.ts';
import { applied } from './applied.ts';

const curveKeys = (namedCurve: string): crypto.KeyPairKeyObjectResult =>
  crypto.generateKeyPairSync('ec', { namedCurve });
const p256 = curveKeys('prime256v1');
const texts = fc.string({ unit: 'binary', maxLength: 60 });
const utf8 = (text: string): string => Buffer.from(text).toString();

const der = spki(p256.publicKey);
const point = der.subarray(-65);
const compressed = Buffer.concat([
  Buffer.from('3039301306072a8648ce3d020106082a8648ce3d030107032200', 'hex'),
  Buffer.of(0x02 | ((point[64] ?? 0) & 1)),
  point.subarray(1, 33),
]);

/** Decrypts a message with the byte layout of contract §3.2, as its receiver does. */
function decrypt(message: Buffer): Buffer {
  const ephemeralPoint = message.subarray(0, 65);
  const ephemeral = crypto.createPublicKey({
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: ephemeralPoint.subarray(1, 33).toString('base64url'),
      y: ephemeralPoint.subarray(33).toString('base64url'),
    },
    format: 'jwk',
  });
  expect(ephemeralPoint[0]).toBe(4);
  const secret = crypto.diffieHellman({ privateKey: p256.privateKey, publicKey: ephemeral });
  const counter = Buffer.of(0, 0, 0, 1);
  const okm = crypto.createHash('sha256').update(secret).update(counter).update(ephemeralPoint).digest();
  const decipher = crypto.createDecipheriv('aes-128-gcm', okm.subarray(0, 16), okm.subarray(16, 32));
  decipher.setAuthTag(message.subarray(-16));
  return Buffer.concat([decipher.update(message.subarray(65, -16)), decipher.final()]);
}

it.each([
  ['SubjectPublicKeyInfo', der],
  ['SubjectPublicKeyInfo with a compressed point', compressed],
  ['bare uncompressed point', point],
])('encrypt: the receiver decrypts what was encrypted to a %s', (_form, key) => {
  fc.assert(
    fc.property(texts, (text) => {
      const message = encrypt(ECIES, key, text);
      expect(message).toHaveLength(65 + Buffer.byteLength(text) + 16);
      expect(decrypt(message).toString()).toBe(utf8(text));
    }),
    { numRuns: 30 },
  );
});

it('encrypt: takes the bytes of a file of 10 MiB', () => {
  const file = crypto.randomBytes(10 * 1024 * 1024);
  expect(decrypt(encrypt(ECIES, der, file)).equals(file)).toBe(true);
});

it('encrypt: every value gets an ephemeral key of its own', () => {
  const [transform] = parseChain(encryptChain(ECIES, der));
  const points = [1, 2, 3].map(() => applied(transform, 'same')?.slice(0, 130));
  expect(new Set(points).size).toBe(3);
});

const offCurve = Buffer.from(point);
offCurve[64] = (offCurve[64] ?? 0) ^ 1;
const hybrid = Buffer.from(der);
hybrid[26] = 0x06 | ((point[64] ?? 0) & 1);
const explicit = crypto.generateKeyPairSync('ec', { namedCurve: 'P-256', paramEncoding: 'explicit' });
it.each([
  ['a point off the curve', offCurve],
  ['SubjectPublicKeyInfo of a point off the curve', Buffer.concat([der.subarray(0, 26), offCurve])],
  ['a point of zeros', Buffer.concat([Buffer.of(4), Buffer.alloc(64)])],
  ['coordinates beyond the field', Buffer.concat([Buffer.of(4), Buffer.alloc(64, 0xff)])],
  ['the point at infinity', P256_INFINITY],
  ['a bare compressed point', compressed.subarray(-33)],
  ['a hybrid point', hybrid],
  ['a bare hybrid point', hybrid.subarray(-65)],
  ['a bare point with a byte behind it', Buffer.concat([point, Buffer.of(0)])],
  ['a byte behind the DER', Buffer.concat([der, Buffer.of(0)])],
  ['a byte missing', der.subarray(0, -1)],
  ['a compressed header before an uncompressed point', Buffer.concat([compressed.subarray(0, 26), point])],
  ['P-384', spki(curveKeys('secp384r1').publicKey)],
  ['secp256k1', spki(curveKeys('secp256k1').publicKey)],
  ['a bare point of secp256k1', spki(curveKeys('secp256k1').publicKey).subarray(-65)],
  ['explicit curve parameters', spki(explicit.publicKey)],
  ['a private key', p256.privateKey.export({ format: 'der', type: 'pkcs8' })],
  ['an RSA key', spki(crypto.generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey)],
  ['an X25519 key', Buffer.alloc(32, 9)],
])('parseChain: refuses %s', (_case, key) => {
  expect(parseRefusal(encryptChain(ECIES, key))).toEqual(notUsable(ECIES));
});
