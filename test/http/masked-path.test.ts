import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maskedPath } from '../../src/http/request-log.ts';
import { words } from '../support/words.ts';

test.each([
  ['/users/fp_id_Ab12/vault/decrypt', '/users/fp_id_Ab12/vault/decrypt'],
  ['/users/fp_id_abcdef', '/users/fp_id_abcdef'],
  ['/users/900-12-3456', '/users/***'],
  [`/users/fp_id_${'a1'.repeat(17)}`, '/users/***'],
  ['/openapi.json', '/openapi.json'],
  ['/vault/id.ssn9', '/vault/id.ssn9'],
  ['/vault/custom.plan@v2', '/vault/custom.plan@v2'],
  ['/vault/custom.a%3Ahunter2', '/vault/***'],
  [`/vault/custom.sk_test_${'a'.repeat(32)}`, '/vault/custom.sk_test_***'],
  ['/', '/'],
  ['/users/?external_id=x&piper@example.com=y', '/users/?external_id=***&***=***'],
])('maskedPath: %s is shown as %s', (path, expected) => {
  expect(maskedPath(path)).toBe(expected);
});

test('maskedPath: a path is its words, each masked alone', () => {
  const aWord = fc.oneof(
    fc.constantFrom('', ...words`users tok_n openapi.json id.ssn9 fp_id_Z9 ob_ Piper`, `w${'x'.repeat(32)}`),
    fc.string({ unit: fc.constantFrom('a', 'Z', '0', '_', '-', '.', '%'), maxLength: 40 }),
    fc.string({ unit: fc.constantFrom('a', 'Z', '0'), maxLength: 34 }).map((rest) => `req_${rest}`),
  );
  fc.assert(
    fc.property(fc.array(aWord, { minLength: 1, maxLength: 6 }), (words) => {
      const alone = words.map((word) => maskedPath(`/${word}`)).join('');
      expect(maskedPath(words.map((word) => `/${word}`).join(''))).toBe(alone);
    }),
  );
});
