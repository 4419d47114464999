/** Handles input as it arrives: the names of keys, one by one, typed ahead on a slow line, or pasted; and the mouse. */
import type { Runtime } from './runtime.ts';
import type { Overlay } from './state/model.ts';
import { commandOf } from './state/key-map.ts';
import { currentView, lineOfOverlay } from './state/reading.ts';

/** A sequence that begins with escape, or a character. */
const SENT = /(?<!\u001b)\u001b+(\[\[?|O)([\d;?<=>]*)([A-Za-z~^$])|[^]/gu;

const SEQUENCES: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  F: 'end',
  H: 'home',
  Z: 'shift-tab',
  '1~': 'home',
  '3~': 'delete',
  '4~': 'end',
  '5~': 'pageup',
  '6~': 'pagedown',
  '7~': 'home',
  '8~': 'end',
};
const CHARACTERS: Readonly<Record<string, string>> = {
  '\n': 'enter',
  '\r': 'enter',
  '\t': 'tab',
  ' ': 'space',
  '\b': 'backspace',
  '\u007f': 'backspace',
  '\u001b': 'escape',
};
/** From a control character to its letter. */
const LETTERS = 0x60;

/**
 * The names of the keys (key-map.ts) in what a terminal sent. For alt with a key, it sends escape and the key, the same
 * as when a user types both quickly; no binding here uses alt. What is no key here is left out.
 */
export function keysIn(text: string): string[] {
  return Array.from(text.replaceAll('\r\n', '\n').matchAll(SENT), nameOf).filter(
    (name) => name !== undefined,
  );
}

/** How long the beginning of a sequence waits for its rest: over a slow line it may come in two parts. */
const REST_MS = 100;
const BEGUN = /^\u001b+(?:\[\[?|O)?[\d;]{0,8}$/;

/** Returns a listener to what a terminal sends. It calls `take` with the sequences of keys whole. */
export function wholeKeys(take: (text: string) => void): (sent: string) => void {
  let begun = '';
  let timer: NodeJS.Timeout | undefined;
  const takeBegun = () => {
    const text = begun;
    begun = '';
    take(text);
  };
  return (sent) => {
    clearTimeout(timer);
    const text = begun + sent;
    let from = text.lastIndexOf('\u001b');
    while (text[from - 1] === '\u001b') from -= 1;
    begun = from >= 0 && BEGUN.test(text.slice(from)) ? text.slice(from) : '';
    if (begun !== '') timer = setTimeout(takeBegun, REST_MS);
    if (begun.length < text.length) take(text.slice(0, text.length - begun.length));
  };
}

function nameOf([sent, prefix, numbers = '', final]: RegExpExecArray): string | undefined {
  if (final !== undefined) {
    const [number = '', modifier] = numbers.split(';');
    // Such a chord is another key: alone, `left` leads back.
    const isChord = sent.startsWith('\u001b\u001b') || (/[A-D]/.test(final) && Number(modifier) > 2);
    return isChord || prefix === '[[' ? undefined : SEQUENCES[final === '~' ? number + final : final];
  }
  if (CHARACTERS[sent] !== undefined) return CHARACTERS[sent];
  if (/^[\u0001-\u001a]$/.test(sent)) return `ctrl-${String.fromCharCode(sent.charCodeAt(0) + LETTERS)}`;
  // Other control characters are not text.
  return /^[\u0000-\u001f\u0080-\u009f]$/.test(sent) ? undefined : sent;
}

/** More keys than this at once are pasted text, not typing ahead on a slow line. */
const MOST_TYPED_AHEAD = 16;

/**
 * Presses keys that arrived at once. Several keys together never confirm a question. Keys of a pasted text don't fill
 * a form that the text itself opened. In a form that was open before, the lines of the text are joined into one.
 */
export function pressAll(
  { getState, dispatch }: Pick<Runtime, 'getState' | 'dispatch'>,
  keys: readonly string[],
  now: () => number,
): void {
  const before = getState().overlay?.kind;
  for (const [at, key] of keys.entries()) {
    const place = { isLast: at === keys.length - 1, count: keys.length };
    const meant = keys.length === 1 ? key : meantBy(key, before, getState().overlay?.kind, place);
    if (meant === undefined) continue;
    const isNextCase = commandOf(meant) === 'next_case' && getState().overlay === undefined;
    const former = isNextCase ? currentView(getState()).id : undefined;
    dispatch({ type: 'key', key: meant, now: now() });
    // Without a next case, the keys after it are about none.
    if (isNextCase && currentView(getState()).id === former) return;
  }
}

/** Undefined if the key has no effect. */
function meantBy(
  key: string,
  before: Overlay['kind'] | undefined,
  now: Overlay['kind'] | undefined,
  { isLast, count }: { readonly isLast: boolean; readonly count: number },
): string | undefined {
  // A credential can't be shown again, so only a single key closes it.
  if (now === 'secret') return key === 'ctrl-c' ? key : undefined;
  if (key === 'ctrl-c' || key === 'escape') return key;
  if (now === 'confirm') return undefined;
  if (count <= MOST_TYPED_AHEAD) return key;
  // What is typed ahead on a slow line clears the text that a filter had, whether its `/` came along or before.
  if (key === 'ctrl-u' && (now === 'filter' || now === 'palette')) return key;
  if (key.startsWith('ctrl-')) return undefined;
  // Otherwise everything after the first line would act as keys of the list.
  if (before === 'filter' || before === 'palette' || before === 'operator')
    return (key === 'enter' || key === 'tab') && !isLast ? 'space' : key;
  if (now !== 'form') return key;
  if (before !== 'form') return undefined;
  return (key === 'enter' || key === 'tab') && !isLast ? 'space' : key;
}

/**
 * Inserts a text that the terminal has marked as pasted: as one line into the current input, without any other
 * effect. If there is no input, the text becomes the filter of the list.
 */
export function paste(
  { getState, dispatch }: Pick<Runtime, 'getState' | 'dispatch'>,
  text: string,
  now: () => number,
): void {
  const press = (key: string) => dispatch({ type: 'key', key, now: now() });
  const line = text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
  if (line === '') return;
  if (getState().overlay === undefined) {
    press('/');
    press('ctrl-u');
  }
  for (const character of Array.from(line)) {
    // A window that is too small accepts no input.
    if (lineOfOverlay(getState().overlay) === undefined) return;
    press(character === ' ' ? 'space' : character);
  }
}

/**
 * Terminal input besides keys: pasted text between its markers, and the mouse. Both are taken out of the input and
 * reported; the rest are keys.
 */

export type MouseEvent =
  | { readonly kind: 'click'; readonly line: number; readonly column: number }
  | { readonly kind: 'wheel'; readonly direction: 'up' | 'down' };

const PASTE_BEGINS = '\u001b[200~';
const PASTE_ENDS = '\u001b[201~';
/**
 * The report of a mouse button (SGR): number, column, line; `M` for pressed, `m` for released. Column and line count
 * from 1.
 */
const MOUSE = /\u001b\[<(\d{1,3});(\d{1,5});(\d{1,5})([Mm])/g;
/** Input that may continue in the next chunk. */
const UNFINISHED = /\u001b\[<[\d;]{0,16}$|\u001b\[20[01]?$/;
const WHEEL_UP = 64;
const WHEEL_DOWN = 65;
const FIRST_BUTTON = 0;
/** A terminal that never ends a paste must not block the keyboard. */
const LONGEST_PASTE = 1_000_000;

export function createTerminalInput(report: {
  /** Receives a pasted text, without its markers. */
  readonly paste: (text: string) => void;
  readonly mouse: (event: MouseEvent) => void;
}) {
  /** The text of a paste that has not ended. */
  let pasted: string | undefined;
  let unfinished = '';

  function outside(text: string): string {
    const begins = text.indexOf(PASTE_BEGINS);
    if (begins >= 0)
      return withoutMouse(text.slice(0, begins)) + inside(text.slice(begins + PASTE_BEGINS.length));
    const cut = UNFINISHED.exec(text)?.index ?? text.length;
    unfinished = text.slice(cut);
    return withoutMouse(text.slice(0, cut));
  }

  function inside(text: string): string {
    const all = (pasted ?? '') + text;
    const ends = all.indexOf(PASTE_ENDS);
    if (ends < 0 && all.length <= LONGEST_PASTE) {
      pasted = all;
      return '';
    }
    pasted = undefined;
    report.paste(ends < 0 ? all.slice(0, LONGEST_PASTE) : all.slice(0, ends));
    return ends < 0 ? '' : outside(all.slice(ends + PASTE_ENDS.length));
  }

  function withoutMouse(text: string): string {
    return text.replaceAll(MOUSE, (_, button: string, column: string, line: string, end: string) => {
      const event = eventOf(Number(button), { column: Number(column), line: Number(line) }, end === 'M');
      if (event !== undefined) report.mouse(event);
      return '';
    });
  }

  return {
    /** The keys in a chunk of input. */
    keysOf(read: string): string {
      const text = unfinished + read;
      unfinished = '';
      return pasted === undefined ? outside(text) : inside(text);
    },
  };
}

function eventOf(
  button: number,
  { line, column }: { readonly line: number; readonly column: number },
  isPressed: boolean,
): MouseEvent | undefined {
  if (button === WHEEL_UP || button === WHEEL_DOWN)
    return { kind: 'wheel', direction: button === WHEEL_UP ? 'up' : 'down' };
  // A click counts when the button is pressed. Other buttons and modifiers are left to the terminal.
  if (button !== FIRST_BUTTON || !isPressed) return undefined;
  return { kind: 'click', line: line - 1, column: column - 1 };
}
