import * as crypto from 'node:crypto';
import fc from 'fast-check';
import nacl from 'tweetnacl';
import { expect, it } from 'vitest';
import { applyTransformsAtOnce, parseChain } from '../../../src/vault/transforms/index.ts';
import { ECIES, encryptChain, notUsable, RSA, SEALED_BOX, spki } from './encryption.ts';
import { parseRefusal } from './refusal.ts';

const rsa = crypto.generateKeyPairSync('rsa', { modulusLength: 2048 });
const p256 = crypto.generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const x25519 = nacl.box.keyPair();

const WHOLE_KEY = Buffer.from(x25519.publicKey).toString('hex');
it.each(['', '0', 'xyz0', '0x00', '00 11', `00\n`, `${WHOLE_KEY}zz`, `${WHOLE_KEY}0`])(
  'parseChain: refuses the hex %j',
  (hex) => {
    expect(parseRefusal(`encrypt('${SEALED_BOX}','${hex}')`)).toEqual({
      code: 'transform_invalid',
      message: 'Transform encrypt: public_key must be hex of even length, not empty',
    });
  },
);

it.each(['', 'rsa', 'RSA_PKCS1V15', 'constructor'])('parseChain: refuses the algorithm %j', (algorithm) => {
  expect(parseRefusal(`encrypt('${algorithm}','00')`)).toEqual({
    code: 'transform_invalid',
    message: `Transform encrypt: algorithm must be one of ${RSA}, ${ECIES}, ${SEALED_BOX}`,
  });
});

it('encrypt: its hex passes to further transforms, and upper-case hex is a key too', () => {
  const chain = parseChain(
    `encrypt("${SEALED_BOX}", "${WHOLE_KEY.toUpperCase()}") | prefix(64) | wrap_quotes`,
  );
  expect(applyTransformsAtOnce(chain, 'Jane')).toMatch(/^"[0-9a-f]{64}"$/);
});

it('parseChain: gives a transform or transform_invalid for any key', () => {
  const keys = [spki(rsa.publicKey), spki(p256.publicKey), spki(p256.publicKey).subarray(-65)];
  const mutated = fc
    .tuple(fc.constantFrom(...keys), fc.nat(), fc.nat({ max: 255 }))
    .map(([key, at, byte]) => Buffer.concat([key]).fill(byte, at % key.length, (at % key.length) + 1));
  fc.assert(
    fc.property(
      fc.constantFrom(RSA, ECIES, SEALED_BOX),
      fc.oneof(mutated, fc.uint8Array({ minLength: 1, maxLength: 100 })),
      (algorithm, key) => {
        try {
          expect(parseChain(encryptChain(algorithm, key))).toHaveLength(1);
        } catch (error) {
          expect(error).toMatchObject(notUsable(algorithm));
        }
      },
    ),
    { numRuns: 500 },
  );
});
