import { hkdf } from '@noble/hashes/hkdf';
import { sha256 } from '@noble/hashes/sha2';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  formatRecoveryCode,
  looksLikeRecoveryCode,
  newRecoveryCode,
  parseRecoveryCode,
} from '../../../src/vault/keyring/recovery-code.ts';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const aSecret = fc.uint8Array({ minLength: 20, maxLength: 20 });

/** Encodes base 32 with big-integer arithmetic, independent of the code under test. */
function crockford(bytes: Uint8Array): string {
  const digits = BigInt(`0x${Buffer.from(bytes).toString('hex')}`).toString(32);
  return Array.from(digits.padStart((bytes.length * 8) / 5, '0'))
    .map((digit) => CROCKFORD[parseInt(digit, 32)])
    .join('');
}

test('recovery code: is Crockford base 32 of the secret and of 20 bits of its SHA-256', () => {
  fc.assert(
    fc.property(aSecret, (secret) => {
      const digest = sha256(Buffer.concat([Buffer.from('kyclone recovery code\0'), secret]));
      const characters = crockford(secret) + crockford(digest.subarray(0, 5)).slice(0, 4);
      expect(formatRecoveryCode(secret)).toBe(`KYRC-${characters.match(/.{4}/g)?.join('-')}`);
    }),
  );
});

test('recovery code: gives the slot secret by HKDF, whatever the case, the spacing and the look-alikes', () => {
  fc.assert(
    fc.property(aSecret, (secret) => {
      const code = formatRecoveryCode(secret);
      const expected = hkdf(sha256, secret, undefined, 'kyclone recovery slot', 32);
      const sloppy = ` kyrc ${code.slice(5).toLowerCase().replace(/-/g, ' ').replace(/0/g, 'o').replace(/1/g, 'l')} `;
      expect(parseRecoveryCode(code)).toEqual(expected);
      expect(parseRecoveryCode(sloppy)).toEqual(expected);
    }),
  );
});

test('recovery code: a fresh one gives the secret it came with and differs from the next', () => {
  const [one, other] = [newRecoveryCode(), newRecoveryCode()];
  expect(one.secret).toHaveLength(32);
  expect(parseRecoveryCode(one.code)).toEqual(one.secret);
  expect(one.code).not.toBe(other.code);
});

test('recovery code: every wrong character and every swap of neighbours is found', () => {
  const code = formatRecoveryCode(new Uint8Array(20).map((_, index) => index * 37 + 11));
  const typos = new Set<string>();
  for (let at = 'KYRC-'.length; at < code.length; at++) {
    if (code[at] === '-') continue;
    for (const character of `${CROCKFORD}U!é`) typos.add(code.slice(0, at) + character + code.slice(at + 1));
    const next = code[at + 1] === '-' ? at + 2 : at + 1;
    const swapped = Array.from(code);
    [swapped[at], swapped[next]] = [swapped[next] ?? '', swapped[at] ?? ''];
    typos.add(swapped.join(''));
  }
  typos.delete(code);
  expect(typos.size).toBeGreaterThan(1000);
  for (const typo of typos) {
    expect(() => parseRecoveryCode(typo), typo).toThrow(
      expect.objectContaining({ code: 'vault_key_invalid' }),
    );
  }
});

test('recovery code: a missing or additional group is reported', () => {
  const { code } = newRecoveryCode();
  for (const wrong of [code.slice(0, -5), `${code}-0000`, 'KYRC-', code.slice(5)]) {
    expect(() => parseRecoveryCode(wrong)).toThrow('nine groups of four');
  }
});

test('recovery code: a passphrase is not taken for one', () => {
  const { code } = newRecoveryCode();
  for (const typed of [code, code.replaceAll('-', ''), code.replace('-', ''), ` ${code.toLowerCase()}`]) {
    expect(looksLikeRecoveryCode(typed)).toBe(true);
    expect(parseRecoveryCode(typed)).toEqual(parseRecoveryCode(code));
  }
  for (const passphrase of ['correct horse', 'kyrchner', '', 'my KYRC-1234']) {
    expect(looksLikeRecoveryCode(passphrase)).toBe(false);
  }
});
