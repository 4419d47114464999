import '../../support/tier-all.ts';
import { execFileSync } from 'node:child_process';
import * as crypto from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encrypt, encryptChain, notUsable, P256_INFINITY, RSA, spki } from './encryption.ts';
import { failureOf, parseRefusal } from './refusal.ts';

const rsa = crypto.generateKeyPairSync('rsa', { modulusLength: 2048 });

/** Makes an RSA public key without a private key. Any odd number with this many bits is a modulus for the tests. */
function rsaOfBits(bits: number, exponent = 65_537): Buffer {
  const modulus = crypto.randomBytes(Math.ceil(bits / 8));
  const topBit = (bits - 1) % 8;
  modulus[0] = ((modulus[0] ?? 0) & ((1 << topBit) - 1)) | (1 << topBit);
  modulus[modulus.length - 1] = (modulus[modulus.length - 1] ?? 0) | 1;
  const e = Buffer.from(exponent.toString(16).padStart(6, '0'), 'hex');
  const jwk = { kty: 'RSA', n: modulus.toString('base64url'), e: e.toString('base64url') };
  return spki(crypto.createPublicKey({ key: jwk, format: 'jwk' }));
}

describe('encrypt by rsa_pkcs1v15', () => {
  let directory = '';
  let keyFile = '';
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'kyclone-rsa-'));
    keyFile = join(directory, 'key.pem');
    writeFileSync(keyFile, rsa.privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  /** Decrypts PKCS#1 v1.5 with the openssl command, because Node no longer offers it. */
  const decrypt = (ciphertext: Uint8Array): Buffer =>
    execFileSync(
      'openssl',
      ['pkeyutl', '-decrypt', '-inkey', keyFile, '-pkeyopt', 'rsa_padding_mode:pkcs1'],
      { input: ciphertext },
    );

  it.each([
    ['SubjectPublicKeyInfo', spki(rsa.publicKey)],
    ['RSAPublicKey', rsa.publicKey.export({ format: 'der', type: 'pkcs1' })],
  ])('encrypt: openssl decrypts what was encrypted to a %s', (_form, key) => {
    for (const text of ['Jane Doe', '', 'Zoë 🦊\0', 'x'.repeat(245)]) {
      const ciphertext = encrypt(RSA, key, text);
      expect(ciphertext).toHaveLength(256);
      expect(decrypt(ciphertext).toString()).toBe(text);
    }
  });

  it('encrypt: the bytes of a file are taken as they are', () => {
    const file = new Uint8Array([0, 255, 254, 128, 10]);
    expect(decrypt(encrypt(RSA, spki(rsa.publicKey), file))).toEqual(Buffer.from(file));
  });

  it('encrypt: text longer than the modulus minus 11 bytes fails, counted in UTF-8', () => {
    for (const text of ['x'.repeat(246), `${'x'.repeat(244)}ë`]) {
      expect(failureOf(() => encrypt(RSA, spki(rsa.publicKey), text))).toEqual({
        code: 'transform_failed',
        message: 'transform encrypt failed',
        transform: 'encrypt',
      });
    }
  });

  it.each([2048, 2049, 4096, 8192])('encrypt: takes a key of %i bits', (bits) => {
    const bytes = Math.ceil(bits / 8);
    expect(encrypt(RSA, rsaOfBits(bits), 'x'.repeat(bytes - 11))).toHaveLength(bytes);
    failureOf(() => encrypt(RSA, rsaOfBits(bits), 'x'.repeat(bytes - 10)));
  });

  const der = spki(rsa.publicKey);
  const pkcs1 = rsa.publicKey.export({ format: 'der', type: 'pkcs1' });
  const evenModulus = Buffer.from(der);
  evenModulus[der.length - 6] = (der[der.length - 6] ?? 0) & 0xfe;
  it.each([
    ['1024 bits', rsaOfBits(1024)],
    ['2047 bits', rsaOfBits(2047)],
    ['8193 bits', rsaOfBits(8193)],
    ['exponent 1', rsaOfBits(2048, 1)],
    ['an even exponent', rsaOfBits(2048, 65_536)],
    ['an even modulus', evenModulus],
    ['a byte behind SubjectPublicKeyInfo', Buffer.concat([der, Buffer.of(0)])],
    ['a byte behind RSAPublicKey', Buffer.concat([pkcs1, Buffer.of(0)])],
    ['a byte missing', der.subarray(0, -1)],
    ['an RSA-PSS key', spki(crypto.generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).publicKey)],
    ['a private key', rsa.privateKey.export({ format: 'der', type: 'pkcs8' })],
    ['a private RSA key', rsa.privateKey.export({ format: 'der', type: 'pkcs1' })],
    ['an elliptic-curve key', spki(crypto.generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).publicKey)],
    ['an elliptic-curve key at infinity', P256_INFINITY],
    ['an Ed25519 key', spki(crypto.generateKeyPairSync('ed25519').publicKey)],
    ['PEM', Buffer.from(rsa.publicKey.export({ format: 'pem', type: 'spki' }))],
    ['one byte', Buffer.of(0x30)],
  ])('parseChain: refuses %s', (_case, key) => {
    expect(parseRefusal(encryptChain(RSA, key))).toEqual(notUsable(RSA));
  });
});
