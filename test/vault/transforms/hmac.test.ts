import { expect, it } from 'vitest';
import type { TransformInput } from '../../../src/vault/transforms/index.ts';
import { applyTransformsAtOnce, parseChain } from '../../../src/vault/transforms/index.ts';
import { parseRefusal } from './refusal.ts';

const hmac = (key: string, value: TransformInput): unknown =>
  applyTransformsAtOnce(parseChain(`hmac_sha256('${key}')`), value);

/** RFC 4231, section 4. */
it('hmac_sha256: test case 1, as text and as the bytes of a file', () => {
  const [key, expected] = [
    '0b'.repeat(20),
    'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
  ];
  expect(hmac(key, 'Hi There')).toBe(expected);
  expect(hmac(key.toUpperCase(), Buffer.from('Hi There'))).toBe(expected);
});

it('hmac_sha256: test case 6, whose key is longer than a block', () => {
  expect(hmac('aa'.repeat(131), 'Test Using Larger Than Block-Size Key - Hash Key First')).toBe(
    '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
  );
});

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
