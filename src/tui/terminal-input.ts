/**
 * Terminal input besides keys: pasted text between its markers, and the mouse. Both are taken out of the input and
 * reported; the rest are keys.
 */

/** Receives a pasted text, without its markers. */
export type OnPaste = (text: string) => void;

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

export interface TerminalInput {
  /** The keys in a chunk of input. */
  keysOf(text: string): string;
}

export function createTerminalInput(report: {
  readonly paste: OnPaste;
  readonly mouse: (event: MouseEvent) => void;
}): TerminalInput {
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
    keysOf(read) {
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
