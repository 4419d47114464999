import type { Key } from 'ink';
import { expect, test } from 'vitest';
import { keysOf, pastedKey } from '../../src/tui/components/keys.ts';

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
  expect(keysOf('a\u0001\u0000b', AT_ONCE)).toEqual(['a', 'b']);
});

test('pastedKey: ctrl-C and escape leave a question and a form too, where all else of a pasted text does nothing', () => {
  expect(pastedKey('y', undefined, 'confirm', true)).toBeUndefined();
  expect(pastedKey('y', undefined, 'form', true)).toBeUndefined();
  expect(pastedKey('ctrl-c', undefined, 'confirm', true)).toBe('ctrl-c');
  expect(pastedKey('ctrl-c', undefined, 'form', true)).toBe('ctrl-c');
  expect(pastedKey('escape', undefined, 'confirm', false)).toBe('escape');
});
