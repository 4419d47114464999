import type { KeyObject } from 'node:crypto';
import { expect } from 'vitest';
import type { TransformInput } from '../../../src/vault/transforms/index.ts';
import { applyTransformsAtOnce, parseChain } from '../../../src/vault/transforms/index.ts';

export const RSA = 'rsa_pkcs1v15';
export const ECIES = 'ecies_p256_x963_sha256_aes_gcm';
export const SEALED_BOX = 'x25519_xsalsa20_poly1305';

/**
 * The SubjectPublicKeyInfo of the point at infinity of P-256. Node 20 aborts the whole process when it is asked for the
 * details of such a key.
 */
export const P256_INFINITY = Buffer.from('3019301306072a8648ce3d020106082a8648ce3d03010703020000', 'hex');

export const spki = (key: KeyObject): Buffer => key.export({ format: 'der', type: 'spki' });

export const encryptChain = (algorithm: string, key: Uint8Array): string =>
  `encrypt('${algorithm}','${Buffer.from(key).toString('hex')}')`;

/** Encrypts a value and returns the bytes. The transform itself returns them as lower-case hex. */
export function encrypt(algorithm: string, key: Uint8Array, value: TransformInput): Buffer {
  const hex = applyTransformsAtOnce(parseChain(encryptChain(algorithm, key)), value) as string;
  const bytes = Buffer.from(hex, 'hex');
  // A pattern can need a stack as deep as the text is long.
  expect(bytes.toString('hex') === hex).toBe(true);
  return bytes;
}

/** The refusal of a key. It is the same for every defect of the key. */
export const notUsable = (algorithm: string): { code: string; message: string } => ({
  code: 'transform_invalid',
  message: `Transform encrypt: public_key is not a usable key for ${algorithm}`,
});
