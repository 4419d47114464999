import { expect, test } from 'vitest';
import {
  isPrintable,
  printable,
  printableJson,
  printableLines,
  printableStyled,
  shownLines,
} from '../../../src/kernel/text/terminal-text.ts';

/** Every control character, line separator and direction mark of Unicode. */
const OBEYED = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
  .filter((character) => /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(character));

test('printable: U+061C and every other control and direction character is an escape (U+061C came through)', () => {
  expect(OBEYED.length).toBeGreaterThan(70);
  expect(OBEYED.filter((character) => /[^ -~]/.test(printable(`a${character}b`)))).toEqual(['\n']);
  expect(printable('a\u061cb')).toBe('a\\u061cb');
  expect(printable('a\u{e0041}b')).toBe('a\\u{e0041}b');
  expect(isPrintable('a\u061cb')).toBe(false);
  expect(isPrintable('Zoë 東京 👩‍👧')).toBe(true);
});

test('printable: a line end is a mark, so that several lines can be read on one', () => {
  expect(printable('first\nsecond\r\nthird\rfourth')).toBe('first ↵ second ↵ third\\x0dfourth');
  expect(printable('{"a":"b\n"}')).toBe('{"a":"b ↵ "}');
});

test('shownLines: each line is printable, and nothing is a hyphen', () => {
  expect(shownLines('a\tb\r\n\n\u001b[2Jc\rd')).toEqual(['a\\x09b', '', '\\x1b[2Jc\\x0dd']);
  expect(shownLines('')).toEqual(['-']);
});

test('printableLines: keeps lines and columns, and no character that a terminal interprets', () => {
  expect(printableLines('a\tb\n\u001b[2J\rc\u202e')).toBe('a\tb\n\\x1b[2J\\x0dc\\u202e');
});

test('printableStyled: keeps colours of a view, and no other escape sequence', () => {
  expect(printableStyled('\u001b[2mID\u001b[22m \u001b[2J\u001b]52;c;eA==\u0007')).toBe(
    '\u001b[2mID\u001b[22m \\x1b[2J\\x1b]52;c;eA==\\x07',
  );
});

test('printableJson: the text stays JSON of the same value', () => {
  const value = { [`name${OBEYED.join('')}`]: ['\u{e0041}\u0085\u009b2J\u061c', { deep: 'Zoë' }] };
  for (const indentation of [0, 2]) {
    const shown = printableJson(JSON.stringify(value, null, indentation));
    expect(shown).not.toMatch(
      /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u.exec(shown.replaceAll('\n', ''))?.[0] ?? /$^/,
    );
    expect(JSON.parse(shown)).toEqual(value);
  }
  expect(JSON.parse(printableJson('{\r\n\t"a":\t1}'))).toEqual({ a: 1 });
});
