import { pairs, table } from '../../../src/cli/shell/layout.ts';
import { describe, expect, test } from 'vitest';
import { PLAIN, printable } from '../../../src/cli/shell/output.ts';

describe('printable', () => {
  test.each([
    ['\u001b[31mred', '\\x1b[31mred'],
    ['a\nb\tc', 'a ↵ b\\x09c'],
    ['\u009b2J', '\\x9b2J'],
    ['abc\u202edcba', 'abc\\u202edcba'],
    ['Zoë 東京', 'Zoë 東京'],
  ])('printable: shows what a terminal would interpret (%j)', (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  test.each([[null], [undefined], ['']])('printable: %j is a hyphen', (nothing) => {
    expect(printable(nothing)).toBe('-');
  });

  test('printable: other JSON is compact', () => {
    expect(printable({ a: [1, true] })).toBe('{"a":[1,true]}');
  });
});

test('pairs: aligns values behind their names', () => {
  expect(pairs({ id: 'fp_id_1', external_id: null }, PLAIN)).toBe('id           fp_id_1\nexternal_id  -');
});

test('table: aligns by what a terminal shows, not by code units', () => {
  const shown = table(
    ['NAME', 'AGE'],
    [
      ['東京', 1],
      ['e\u0301a', 22],
      ['Jane Doe', 3],
    ],
    PLAIN,
    '',
  );
  expect(shown.split('\n')).toEqual(['NAME      AGE', '東京      1', 'e\u0301a        22', 'Jane Doe  3']);
});
