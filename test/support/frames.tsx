/** The inspector's frames. ink draws them into a fake terminal, and the tests press keys as a terminal sends them. */
import './colours.ts';
import { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { render } from 'ink';
import stringWidth from 'string-width';
import { expect } from 'vitest';
import type { ReactNode } from 'react';
import { displayWidth } from '../../src/kernel/text/terminal-text.ts';
import { App, Window } from '../../src/tui/components/app.tsx';
import { ThemeProvider, THEMES, type ThemeName } from '../../src/tui/components/theme.tsx';
import type { Source } from '../../src/tui/data/source.ts';
import type { ScreenPlace, Setup, Size, State } from '../../src/tui/state/model.ts';
import { keysIn, pressAll } from '../../src/tui/typing.ts';
import { aRuntime } from './a-runtime.ts';
import { PATIENCE_MS } from './patience.ts';

const POLL_MS = 5;

/** The bytes that a terminal sends for each key. */
const SEQUENCES: Readonly<Record<string, string>> = {
  enter: '\r',
  escape: '\u001b',
  tab: '\t',
  'shift-tab': '\u001b[Z',
  up: '\u001b[A',
  down: '\u001b[B',
  right: '\u001b[C',
  left: '\u001b[D',
  pageup: '\u001b[5~',
  pagedown: '\u001b[6~',
  home: '\u001b[H',
  end: '\u001b[F',
  backspace: '\u007f',
  space: ' ',
  'ctrl-c': '\u0003',
};

export class FakeScreen extends Writable {
  readonly isTTY = true;
  columns: number;
  rows: number;
  /** With ink's option `debug`, each write is a whole frame. */
  readonly frames: string[] = [];

  constructor({ columns, rows }: Size) {
    super({ decodeStrings: false });
    this.columns = columns;
    this.rows = rows;
  }

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, done: () => void): void {
    const text = chunk.toString();
    // ink hides and shows the cursor in writes of their own.
    if (!/^\u001b\[\?25[hl]$/.test(text)) this.frames.push(text);
    done();
  }

  /** Returns the lines of the current frame, without escape sequences. */
  lines(): readonly string[] {
    return linesOf(this.raw());
  }

  raw(): string {
    return this.frames.at(-1) ?? '';
  }
}

export function linesOf(raw: string): readonly string[] {
  return stripVTControlCharacters(raw).split('\n');
}

/** Checks that a frame fits its terminal, and that it consists of text and colours only. */
export function expectFits(raw: string, { columns, rows: height }: Size): void {
  const lines = linesOf(raw);
  expect(lines.length).toBeLessThanOrEqual(height - 1);
  for (const line of lines) {
    expect(displayWidth(line), line).toBeLessThanOrEqual(columns);
    expect(stringWidth(line), line).toBeLessThanOrEqual(columns);
  }
  expect(raw.replaceAll(/\u001b\[[\d;]*m/g, '').replaceAll('\n', '')).not.toMatch(
    /[\u0000-\u001f\u007f-\u009f\u202e]/,
  );
}

/** Draws a frame from a state. */
export function drawState(state: State, theme: ThemeName = 'none') {
  const { screen, instance } = mount(
    state.size,
    <ThemeProvider value={THEMES[theme]}>
      <Window state={state} />
    </ThemeProvider>,
  );
  const raw = screen.raw();
  instance.unmount();
  return { raw, lines: linesOf(raw), text: linesOf(raw).join('\n') };
}

/** Draws any node. */
export function mount(size: Size, node: ReactNode) {
  const screen = new FakeScreen(size);
  const instance = render(node, {
    stdout: screen as unknown as NodeJS.WriteStream,
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  return { screen, instance };
}

export interface OpenOptions {
  readonly source: Source;
  readonly place?: ScreenPlace;
  readonly size?: Size;
  readonly theme?: ThemeName;
  readonly setup?: Partial<Setup>;
}

export type OpenApp = ReturnType<typeof openApp>;

/** Opens the whole inspector on a data source. The terminal is fake, and there is no event stream. */
export function openApp({ source, place, size, theme = 'none', setup }: OpenOptions) {
  const copied: string[] = [];
  const now = () => performance.now();
  const copy = (text: string) => {
    copied.push(text);
    return Promise.resolve('copied' as const);
  };
  const given = { source: () => source, now, copy };
  const runtime = aRuntime(given, { ...(place && { start: place }), ...setup }, size);
  const app = (
    <ThemeProvider value={THEMES[theme]}>
      <App runtime={runtime} />
    </ThemeProvider>
  );
  const { screen, instance } = mount(size ?? { columns: 80, rows: 24 }, app);
  const text = () => screen.lines().join('\n');
  const send = async (chunk: string) => {
    pressAll(runtime, keysIn(chunk), now);
    // ink draws in turns of its own.
    for (let turn = 0; turn < 4; turn += 1) await new Promise(setImmediate);
  };
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) await send(SEQUENCES[key] ?? key);
  };
  runtime.dispatch({ type: 'connection', connection: { kind: 'live' } });
  return {
    runtime,
    screen,
    /** The texts that were copied to the clipboard. */
    copied,
    text,
    send: runtime.dispatch,
    /** Presses keys, each by its name. */
    press,
    /** Types a text, one key after another. */
    type: (text: string) => press(...Array.from(text)),
    /** Types a text and presses enter, then these keys. */
    enter: (text: string, ...keys: readonly string[]) => press(...Array.from(text), 'enter', ...keys),
    /** Sends a text in one piece, as a terminal pastes it. */
    paste: send,
    /** Waits until a frame shows `what` and no pane is loading. Returns the frame's text. */
    async until(what: RegExp) {
      const deadline = performance.now() + PATIENCE_MS;
      for (;;) {
        const isQuiet = runtime.getState().views.every(({ panes }) => panes.every((pane) => !pane.loading));
        if (isQuiet && what.test(text())) return text();
        if (performance.now() > deadline) throw new Error(`it never showed ${String(what)}:\n${text()}`);
        await pause(POLL_MS);
      }
    },
    [Symbol.dispose]() {
      runtime.dispatch({ type: 'key', key: 'ctrl-c', now: now() });
      instance.unmount();
    },
  };
}
