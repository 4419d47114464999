import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { indentedJson, losslessJson } from '../../../src/cli/shell/json-text.ts';

describe('indentedJson', () => {
  test('indentedJson: as JSON.stringify indents', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (value) => {
        const indented = JSON.stringify(value, null, 2);
        expect(indentedJson(JSON.stringify(value))).toBe(indented);
        expect(indentedJson(indented)).toBe(indented);
      }),
    );
  });

  test('indentedJson: digits, escapes and members that come twice stay as they were written', () => {
    expect(indentedJson('{"a":12345678901234567890,"a":[1.10,-0,1E+2],"b":"\\u00e9\\/\\"]"}')).toBe(
      '{\n  "a": 12345678901234567890,\n  "a": [\n    1.10,\n    -0,\n    1E+2\n  ],\n  "b": "\\u00e9\\/\\"]"\n}',
    );
  });

  test.each(['', '{"a":', '{"a":1} x', '\ufeff{}', 'no'])(
    'indentedJson: what is no JSON stays as it is: %j',
    (text) => {
      expect(indentedJson(text)).toBe(text);
    },
  );

  test('indentedJson: brackets within brackets without end are left alone', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(indentedJson(deep)).toBe(deep);
  });
});

describe('losslessJson', () => {
  test('losslessJson: whatever JSON.stringify writes, with blanks or without', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const parsed = { value: JSON.parse(text) as unknown };
        expect(losslessJson(text)).toEqual(parsed);
        expect(losslessJson(JSON.stringify(value, null, '\t'))).toEqual(parsed);
      }),
    );
  });

  test('losslessJson: escapes mean the same however they are written', () => {
    expect(losslessJson('{"\\u0061":"\\/\\u00e9"}')).toEqual({ value: { a: '/é' } });
  });

  test.each(['12345678901234567890', '1.10', '-0', '1e400', '{"a":1,"a":2}', '{"b":1,"2":1}', '{', ''])(
    'losslessJson: nothing for what would be changed or is none: %s',
    (text) => {
      expect(losslessJson(text)).toBeUndefined();
    },
  );

  test('losslessJson: nothing for what is nested too deep to be written', () => {
    expect(losslessJson('['.repeat(100_000) + ']'.repeat(100_000))).toBeUndefined();
  });
});
