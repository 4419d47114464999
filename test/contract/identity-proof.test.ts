import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  apiKeyName,
  apiKeySecret,
  identityProof,
  isChallenge,
  isProof,
  type IdentityClaim,
} from '../../src/contract/identity-proof.ts';

const TOKEN = { kind: 'control_token', token: 'c'.repeat(43) } as const;
const CLAIM: IdentityClaim = {
  challenge: Buffer.alloc(32, 7).toString('base64url'),
  pid: 4711,
  instance: 'default',
  authority: '127.0.0.1:4630',
};

test('identityProof: is the HMAC of challenge, pid, instance and address under a derived key', () => {
  const info = Buffer.from('kyclone identity proof v1\0control_token\u0001', 'latin1');
  const key = createHmac('sha256', 'c'.repeat(43)).update(info).digest();
  const text = `["${CLAIM.challenge}",4711,"default","127.0.0.1:4630"]`;
  const expected = createHmac('sha256', key).update(text).digest('base64url');
  expect(identityProof(TOKEN, CLAIM)).toBe(expected);
  expect(isProof(expected, TOKEN, CLAIM)).toBe(true);
});

test.each([[undefined], [null], [1], [''], ['A'], ['A'.repeat(43)], ['A'.repeat(44)], [['A'.repeat(43)]]])(
  'isProof: %j is none',
  (text) => {
    expect(isProof(text, TOKEN, CLAIM)).toBe(false);
  },
);

test('isProof: a key and a token with the same bytes prove different things', () => {
  const digest = Buffer.from(TOKEN.token, 'latin1');
  expect(isProof(identityProof({ kind: 'api_key', digest }, CLAIM), TOKEN, CLAIM)).toBe(false);
});

test('apiKeyName: names a key without showing it or its digest', () => {
  const key = 'sk_test_abcdefghijklmnopqrstuvwxyz012345';
  const { digest } = apiKeySecret(key);
  const name = apiKeyName(digest);
  expect(name).toMatch(/^[\w-]{22}$/);
  expect(Buffer.from(digest).toString('base64url')).not.toContain(name);
  expect(apiKeyName(apiKeySecret(`${key}6`).digest)).not.toBe(name);
});

test.each([
  [15, false],
  [16, true],
  [64, true],
  [65, false],
])('isChallenge: of %i bytes: %s', (bytes, isOne) => {
  expect(isChallenge(Buffer.alloc(bytes, 0xff).toString('base64url'))).toBe(isOne);
});

test.each([['+'.repeat(43)], [`${'A'.repeat(42)}B`], [`${'A'.repeat(43)}=`], ['A'.repeat(41)]])(
  'isChallenge: %s is not base64url as an encoder writes it',
  (text) => {
    expect(isChallenge(text)).toBe(false);
  },
);
