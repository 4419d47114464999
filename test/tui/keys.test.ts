import type { Key } from 'ink';
import { expect, test } from 'vitest';
import { keysOf, pastedKey } from '../../src/tui/components/keys.ts';

const PASTED = { isLast: false, count: 40 };
const TYPED_AHEAD = { isLast: false, count: 3 };

/** What ink tells of keys that came at once: their text, and none of them named. */
const AT_ONCE = {} as Key;

test('keysOf: ctrl-C right after another key is ctrl-C', () => {
  expect(keysOf(':\u0003', AT_ONCE)).toEqual([':', 'ctrl-c']);
  expect(keysOf('c', { ctrl: true } as Key)).toEqual(['ctrl-c']);
});

test('keysOf: a key right after escape is both', () => {
  expect(keysOf('q', { meta: true } as Key)).toEqual(['escape', 'q']);
});

test('keysOf: other control characters of a text are none', () => {
  expect(keysOf('a\u001c\u0000b', AT_ONCE)).toEqual(['a', 'b']);
  expect(keysOf('\u0015/t', AT_ONCE)).toEqual(['ctrl-u', '/', 't']);
  expect(pastedKey('ctrl-u', 'form', 'form', PASTED)).toBeUndefined();
});

test('pastedKey: ctrl-C and escape leave a question and a form too, where all else of a pasted text does nothing', () => {
  expect(pastedKey('y', undefined, 'confirm', PASTED)).toBeUndefined();
  expect(pastedKey('y', undefined, 'form', PASTED)).toBeUndefined();
  expect(pastedKey('ctrl-c', undefined, 'confirm', PASTED)).toBe('ctrl-c');
  expect(pastedKey('ctrl-c', undefined, 'form', PASTED)).toBe('ctrl-c');
  expect(pastedKey('escape', undefined, 'confirm', PASTED)).toBe('escape');
});

test('pastedKey: a pasted text stays one line of a filter; what is typed ahead goes on behind it', () => {
  expect(pastedKey('enter', 'filter', 'filter', PASTED)).toBe('space');
  expect(pastedKey('enter', 'filter', 'filter', TYPED_AHEAD)).toBe('enter');
  expect(pastedKey('y', undefined, 'confirm', TYPED_AHEAD)).toBeUndefined();
});
