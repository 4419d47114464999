import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mayBeginWith, textGlob } from '../../../src/kernel/text/text.ts';

test.each([
  ['customer-1', ['customer-1'], ['customer-10', 'customer-', 'Customer-1', 'a customer-1']],
  ['*-fails', ['-fails', '1-fails'], ['fails', '1-fails-not']],
  ['a.c', ['a.c'], ['abc']],
])('text glob %s: matches %j, not %j', (pattern, matching, others) => {
  const matches = textGlob(pattern);
  expect(matching.filter((text) => !matches(text))).toEqual([]);
  expect(others.filter(matches)).toEqual([]);
});

test('text glob: says what a regular expression of the same meaning says', () => {
  const texts = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });
  fc.assert(
    fc.property(texts, texts, (pattern, drawn) => {
      const text = drawn.replaceAll('*', '');
      const regex = new RegExp(`^${pattern.replaceAll('*', '.*')}$`);
      expect(textGlob(pattern)(text)).toBe(regex.test(text));
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ['fp_id_1', true],
  ['fp_id_*', true],
  ['fp_*', true],
  ['*', true],
  ['*1', true],
  ['fp_*_1', true],
  ['fp_bid_*', false],
  ['fp_id', false],
  ['fp_', false],
  ['x*', false],
])('text glob: whether %s may match a text that begins with fp_id_: %s', (pattern, may) => {
  expect(mayBeginWith(pattern, 'fp_id_')).toBe(may);
});
