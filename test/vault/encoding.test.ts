import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonValue } from '../../src/kernel/text/json.ts';
import { decodeValue, encodeValue, isSameValue, storedText } from '../../src/vault/reader.ts';

const aText = fc.string({ unit: 'grapheme', maxLength: 300 });
const aValue = fc.jsonValue({ stringUnit: 'grapheme' }) as fc.Arbitrary<JsonValue>;

test('encode, decode: a text comes back as a text, whatever it looks like', () => {
  for (const text of ['', 'null', '"quoted"', '{}', '42', 'té', '😀', 'a\nb']) {
    expect(decodeValue(encodeValue(text))).toBe(text);
  }
  fc.assert(fc.property(aText, (text) => decodeValue(encodeValue(text)) === text));
});

test('encode, decode: any JSON value comes back with its type', () => {
  fc.assert(
    fc.property(aValue, (value) => {
      expect(JSON.stringify(decodeValue(encodeValue(value)))).toBe(JSON.stringify(value));
    }),
  );
});

test('decode: reads bytes that are a slice of a larger buffer', () => {
  const bytes = encodeValue('Zoë');
  const around = Buffer.concat([Buffer.alloc(3, 0x41), bytes, Buffer.alloc(3, 0x41)]);
  expect(decodeValue(around.subarray(3, 3 + bytes.length))).toBe('Zoë');
});

test('encode: the text of a value is its UTF-8, nothing more or less', () => {
  expect(Buffer.from(encodeValue('Zoë')).subarray(1)).toEqual(Buffer.from('Zoë'));
  expect(Buffer.from(encodeValue({ a: ['Zoë'] })).subarray(1)).toEqual(Buffer.from('{"a":["Zoë"]}'));
});

test('storedText: text as it is, other values as compact JSON in the order stored', () => {
  expect(storedText('078051120')).toBe('078051120');
  expect(storedText({ b: 1, a: [true, null] })).toBe('{"b":1,"a":[true,null]}');
  expect(storedText(12.5)).toBe('12.5');
});

test.each([
  ['a', 'a', true],
  ['a', 'b', false],
  [1, 1, true],
  [1, '1', false],
  [null, null, true],
  [[1, 2], [1, 2], true],
  [[1, 2], [2, 1], false],
  [{ a: 1 }, { a: 1 }, true],
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, false],
  [[], {}, false],
  ['[1]', [1], false],
  [false, null, false],
] satisfies [JsonValue, JsonValue, boolean][])('isSameValue: %j and %j', (one, other, isSame) => {
  expect(isSameValue(one, other)).toBe(isSame);
  expect(isSameValue(other, one)).toBe(isSame);
});
