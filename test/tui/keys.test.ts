import { describe, expect, test } from 'vitest';
import type { Message, Overlay, State } from '../../src/tui/state/model.ts';
import { keysIn, paste, pressAll } from '../../src/tui/typing.ts';
import { Inspector } from './state/states.ts';

type Kind = Overlay['kind'] | undefined;

/** A burst with more keys than a person types ahead. */
const PASTED = 40;
const TYPED_AHEAD = 3;

/**
 * Sends `count` keys at once, of which the first is escape and the second is `key`. `before` is the overlay that was
 * open, and `now` the one that the first key opened. Returns whether `key` was pressed: a list with it, or an empty
 * one.
 */
function pressed(key: string, before: Kind, now: Kind, count: number): readonly string[] {
  const keys: string[] = [];
  let open = before;
  const state = () => ({ overlay: open && { kind: open } }) as State;
  const dispatch = (message: Message) => {
    if (message.type === 'key') keys.push(message.key);
    open = now;
  };
  pressAll({ getState: state, dispatch }, ['escape', key, ...Array<string>(count - 2).fill('z')], () => 0);
  const [opening, first] = keys;
  expect(opening).toBe('escape');
  return first === undefined || first === 'z' ? [] : [first];
}

test.each([
  ['G', ['G']],
  ['\r', ['enter']],
  ['a\r\nb', ['a', 'enter', 'b']],
  ['\t\u001b[Z', ['tab', 'shift-tab']],
  ['\u0003', ['ctrl-c']],
  ['\u001b', ['escape']],
  ['\u001b[A\u001bOA\u001b[1;2A', ['up', 'up', 'up']],
  ['\u001b[H\u001b[4~\u001b[5~\u001b[6;5~', ['home', 'end', 'pageup', 'pagedown']],
  ['\u007f\b\u001b[3~', ['backspace', 'backspace', 'delete']],
  [' é👩', ['space', 'é', '👩']],
])('keysIn: %j is %j', (sent, names) => {
  expect(keysIn(sent)).toEqual(names);
});

test('keysIn: ctrl-C right after another key is ctrl-C', () => {
  expect(keysIn(':\u0003')).toEqual([':', 'ctrl-c']);
});

test('keysIn: a key right after escape is both', () => {
  expect(keysIn('\u001bq')).toEqual(['escape', 'q']);
});

test.each([
  ['ctrl', '\u001b[1;5D'],
  ['alt', '\u001b[1;3D'],
  ['alt, of other terminals,', '\u001b\u001b[D'],
])('keysIn: %s with an arrow is not the arrow, and leads back from no screen', (_, sent) => {
  expect(keysIn(sent)).toEqual([]);
});

test('keysIn: of a pasted text its colours are no keys, nor are keys that do nothing here', () => {
  expect(keysIn('a \u001b[31mb\u001b[99;5~\u001b[[A\u001bOP\u001b[2~\u001b[15~')).toEqual([
    'a',
    'space',
    'b',
  ]);
});

test('keysIn: other control characters of a text are none', () => {
  expect(keysIn('a\u001c\u0000b\u009b')).toEqual(['a', 'b']);
  expect(keysIn('\u0015/t')).toEqual(['ctrl-u', '/', 't']);
  expect(pressed('ctrl-u', 'form', 'form', PASTED)).toEqual([]);
});

test('pressAll: ctrl-C and escape leave a question and a form too, where all else of a pasted text does nothing', () => {
  expect(pressed('y', undefined, 'confirm', PASTED)).toEqual([]);
  expect(pressed('y', undefined, 'form', PASTED)).toEqual([]);
  expect(pressed('ctrl-c', undefined, 'confirm', PASTED)).toEqual(['ctrl-c']);
  expect(pressed('ctrl-c', undefined, 'form', PASTED)).toEqual(['ctrl-c']);
  expect(pressed('escape', undefined, 'confirm', PASTED)).toEqual(['escape']);
});

test('pressAll: a pasted text stays one line of a filter; what is typed ahead goes on behind it', () => {
  expect(pressed('enter', 'filter', 'filter', PASTED)).toEqual(['space']);
  expect(pressed('enter', 'filter', 'filter', TYPED_AHEAD)).toEqual(['enter']);
  expect(pressed('y', undefined, 'confirm', TYPED_AHEAD)).toEqual([]);
});

test('pressAll: ctrl-U among many keys at once clears an open filter or palette, and is dropped elsewhere', () => {
  expect(pressed('ctrl-u', undefined, 'filter', PASTED)).toEqual(['ctrl-u']);
  expect(pressed('ctrl-u', 'filter', 'filter', PASTED)).toEqual(['ctrl-u']);
  expect(pressed('ctrl-u', 'palette', 'palette', PASTED)).toEqual(['ctrl-u']);
  expect(pressed('ctrl-n', 'filter', 'filter', PASTED)).toEqual([]);
});

describe('paste', () => {
  const pasteInto = (it: Inspector, text: string) => {
    const dispatch = (message: Message) => void it.send(message);
    paste({ getState: () => it.state, dispatch }, text, () => 0);
    return it;
  };

  test('on a list it is what the list is filtered by', () => {
    const it = pasteInto(Inspector.loaded(3).press('/').type('old').press('enter'), ' 00002\n');
    expect(it.state.overlay).toMatchObject({ kind: 'filter', line: { text: '00002' } });
    expect(it.press('enter').pane.filter).toBe('00002');
  });

  test('in a line it is text: one line, whatever keys it would be', () => {
    const it = pasteInto(Inspector.loaded(3).press(':'), 'one\r\ntwo\u0003\tq\u001b[31m');
    expect(it.state.overlay).toMatchObject({ kind: 'palette', line: { text: 'one two q [31m' } });
    expect(it.state.isLeaving).toBe(false);
  });

  test('help and a window that is too small take none', () => {
    expect(pasteInto(Inspector.loaded(3).press('?'), 'jq').state.overlay).toEqual({ kind: 'help', top: 0 });
    const small = Inspector.loaded(3).send({ type: 'resized', size: { columns: 9, rows: 9 } });
    expect(pasteInto(small, 'fp').state.overlay).toBeUndefined();
  });
});
