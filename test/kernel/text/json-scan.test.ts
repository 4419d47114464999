import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shapeOfJson } from '../../../src/kernel/text/json.ts';

test.each([
  ['7', 0, undefined],
  ['"{[{["', 0, undefined],
  ['{}', 1, undefined],
  ['[{"a":[1,{"b":2}]}]', 4, undefined],
  ['{"a":1,"b":{"a":2},"c":[{"a":1},{"a":1}]}', 3, undefined],
  ['{"a":1,"b":2,"a":3}', 1, 'a'],
  ['{"a":{"b":1,"b":2}}', 2, 'b'],
  ['[{"a":1},{"x":1,"x":1}]', 2, 'x'],
  [String.raw`{"a":1,"\u0061":2}`, 1, 'a'],
  [String.raw`{"a\"":1,"b":"\\","a\"":2}`, 1, 'a"'],
  ['{"a":"b","b":"a"}', 1, undefined],
  ['{"a":["a","a"],"b":1}', 2, undefined],
  ['{"__proto__":1,"__proto__":2}', 1, '__proto__'],
  [' { "a" : [ ] , "a" : null } ', 2, 'a'],
])('shapeOfJson: %s', (text, depth, repeated) => {
  JSON.parse(text);
  expect(shapeOfJson(text)).toMatchObject({ depth, repeated });
});

test('shapeOfJson: what JSON.stringify writes repeats nothing, and its depth is that of the value', () => {
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(shapeOfJson(JSON.stringify(value))).toMatchObject({
        depth: depthOf(value),
        repeated: undefined,
      });
    }),
  );
});

test('shapeOfJson: any nesting', () => {
  const text = '['.repeat(300_000) + ']'.repeat(300_000);
  expect(shapeOfJson(text).depth).toBe(300_000);
});

test('shapeOfJson: says where the second name begins', () => {
  const text = '{"a": 1,\n "b": {"c": 1, "c": 2}, "a": 3}';
  expect(shapeOfJson(text).repeatedAt).toBe(text.lastIndexOf('"c"'));
  expect(shapeOfJson('{"a":[1]}').repeatedAt).toBeUndefined();
});
