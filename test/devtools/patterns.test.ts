import { expect, test } from 'vitest';
import { fault, patternsOf, patternsOfSchema } from '../../src/devtools/patterns.ts';

test('patternsOf: finds expressions, constructors of fixed texts and places of those that are put together', () => {
  const text = String.raw`
    const WORD = '[a-z]+';
    const both = new RegExp(String.raw${'`^${WORD}\\d`'}, 'i');
    const each = /a\/b/g.test('x') || RegExp(WORD);
    const built = new RegExp(name);
  `;
  const { patterns, built } = patternsOf('a.ts', text);
  expect(patterns.map(({ place, source, flags }) => [place, source, flags])).toEqual([
    ['a.ts:3', String.raw`^[a-z]+\d`, 'i'],
    ['a.ts:4', String.raw`a\/b`, 'g'],
    ['a.ts:4', '[a-z]+', ''],
  ]);
  expect(built).toEqual(['a.ts:5']);
});

test('patternsOfSchema: finds patterns at any depth', () => {
  const schema = { body: { properties: { a: { anyOf: [{ type: 'string', pattern: '^x$' }] } } } };
  expect(patternsOfSchema('POST /x', schema)).toEqual([{ place: 'POST /x', source: '^x$', flags: '' }]);
});

test.each([
  // What made an institution name of 80,000 letters block for six seconds.
  [String.raw`^[^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]*$`, '2nd degree polynomial'],
  ['^(a+)+$', 'exponential'],
])('fault: %s takes a time that grows faster than its text', async (source, why) => {
  expect(await fault({ source, flags: '' })).toContain(why);
});

test.each([
  '^[A-Za-z0-9_.\\-]{5,256}$',
  String.raw`^[^\S\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]*$`,
])('fault: %s is linear', async (source) => {
  expect(await fault({ source, flags: '' })).toBeUndefined();
});
