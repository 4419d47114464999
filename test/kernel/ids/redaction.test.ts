import { expect, test } from 'vitest';
import { withoutCredentials } from '../../../src/kernel/ids/ids.ts';

test.each([
  ['a key', `sk_test_${'a'.repeat(32)}`, 'sk_test_***'],
  ['a live key within a text', `x sk_live_${'B9'.repeat(16)}:3 y`, 'x sk_live_***:3 y'],
  ['a token', `cttok_${'Z'.repeat(34)}`, 'cttok_***'],
  ['two of them', 'cttok_a,cttok_b', 'cttok_***,cttok_***'],
  [
    'what only looks a little like one',
    'sk_testing task_live_x cttok id.ssn9',
    'sk_testing task_live_x cttok id.ssn9',
  ],
])('withoutCredentials: %s', (_what, text, expected) => {
  expect(withoutCredentials(text)).toBe(expected);
});
