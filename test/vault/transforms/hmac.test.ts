import { expect, it } from 'vitest';
import type { TransformInput } from '../../../src/vault/transforms/index.ts';
import { applyTransformsAtOnce, parseChain } from '../../../src/vault/transforms/index.ts';
import { parseRefusal } from './refusal.ts';

const hmac = (key: string, value: TransformInput): unknown =>
  applyTransformsAtOnce(parseChain(`hmac_sha256('${key}')`), value);

/** RFC 4231, section 4; test case 5 truncates its output and is left out. */
const RFC_4231 = [
  [1, '0b'.repeat(20), 'Hi There', 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
  [
    2,
    '4a656665',
    'what do ya want for nothing?',
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  ],
  [
    6,
    'aa'.repeat(131),
    'Test Using Larger Than Block-Size Key - Hash Key First',
    '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
  ],
  [
    7,
    'aa'.repeat(131),
    'This is a test using a larger than block-size key and a larger than block-size data. ' +
      'The key needs to be hashed before being used by the HMAC algorithm.',
    '9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2',
  ],
] as const;

const RFC_4231_BYTES = [
  [3, 'aa'.repeat(20), 'dd'.repeat(50), '773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe'],
  [
    4,
    '0102030405060708090a0b0c0d0e0f10111213141516171819',
    'cd'.repeat(50),
    '82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b',
  ],
] as const;

it.each(RFC_4231)('hmac_sha256: RFC 4231 test case %i', (_case, key, text, expected) => {
  expect(hmac(key, text)).toBe(expected);
  expect(hmac(key.toUpperCase(), Buffer.from(text))).toBe(expected);
});

it.each(RFC_4231_BYTES)(
  'hmac_sha256: RFC 4231 test case %i, over the bytes of a file',
  (_case, key, hex, expected) => {
    expect(hmac(key, new Uint8Array(Buffer.from(hex, 'hex')))).toBe(expected);
  },
);

it('hmac_sha256: text counts as UTF-8, and other JSON as its text', () => {
  expect(hmac('0b', 'Zoë 🦊')).toBe(hmac('0b', Buffer.from('5a6fc3ab20f09fa68a', 'hex')));
  expect(hmac('0b', { a: 1 })).toBe(hmac('0b', '{"a":1}'));
});

it.each([
  ['an odd number of digits', '0b0'],
  ['no digits', ''],
  ['a letter beyond f', '0b0g'],
  ['a letter beyond f in front', 'zz0b'],
  ['a prefix 0x', '0x0b'],
  ['a blank', '0b 0'],
  ['a line feed at the end', '0b\n'],
  ['full-width digits', '００'],
])('hmac_sha256: refuses a key with %s', (_case, key) => {
  expect(parseRefusal(`hmac_sha256('${key}')`)).toEqual({
    code: 'transform_invalid',
    message: 'Transform hmac_sha256: key must be hex of even length, not empty',
  });
});
