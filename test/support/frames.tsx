/** The inspector's frames, drawn by ink into a terminal that is none, with keys pressed as a terminal sends them. */
import './colours.ts';
import { PassThrough, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { render } from 'ink';
import stringWidth from 'string-width';
import { expect } from 'vitest';
import type { ReactNode } from 'react';
import { displayWidth } from '../../src/kernel/terminal-text.ts';
import { App, Window } from '../../src/tui/components/app.tsx';
import { ThemeProvider, THEMES, type ThemeName } from '../../src/tui/components/theme.tsx';
import type { Source } from '../../src/tui/data/source.ts';
import { createRuntime, type Runtime } from '../../src/tui/runtime.ts';
import type { Message, ScreenPlace, Setup, Size, State } from '../../src/tui/state/model.ts';
import { PATIENCE_MS } from './patience.ts';

const POLL_MS = 5;

/** As a terminal sends them. */
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
  /** With `debug` each write is a whole frame. */
  readonly frames: string[] = [];

  constructor({ columns, rows }: Size) {
    super({ decodeStrings: false });
    this.columns = columns;
    this.rows = rows;
  }

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, done: () => void): void {
    const text = chunk.toString();
    // ink hides and shows the cursor beside its frames.
    if (!/^\u001b\[\?25[hl]$/.test(text)) this.frames.push(text);
    done();
  }

  /** The lines of the current frame, without escape sequences. */
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

/** Contract of every frame: it fits, and is text and colours only. */
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

class FakeKeyboard extends PassThrough {
  readonly isTTY = true;
  setRawMode = (): this => this;
  ref = (): this => this;
  unref = (): this => this;
}

export interface Drawn {
  readonly raw: string;
  readonly lines: readonly string[];
  readonly text: string;
}

/** A frame, from a state alone. */
export function drawState(state: State, theme: ThemeName = 'none'): Drawn {
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

/** Draws anything. */
export function mount(size: Size, node: ReactNode) {
  const screen = new FakeScreen(size);
  const keyboard = new FakeKeyboard();
  const instance = render(node, {
    stdout: screen as unknown as NodeJS.WriteStream,
    stdin: keyboard as unknown as NodeJS.ReadStream,
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  return { screen, keyboard, instance };
}

export interface OpenOptions {
  readonly source: Source;
  readonly place?: ScreenPlace;
  readonly size?: Size;
  readonly theme?: ThemeName;
  readonly setup?: Partial<Setup>;
}

export interface OpenApp extends Disposable {
  readonly runtime: Runtime;
  readonly screen: FakeScreen;
  /** What went to the clipboard. */
  readonly copied: readonly string[];
  /** Keys by their names, each as a terminal sends it. */
  press(...keys: readonly string[]): Promise<void>;
  /** A text, key by key. */
  type(text: string): Promise<void>;
  /** A text that comes at once. */
  paste(text: string): Promise<void>;
  send(message: Message): void;
  text(): string;
  /** The frame in which this is to be seen, with nothing on its way any more. */
  until(what: RegExp): Promise<string>;
}

/** The whole inspector on a daemon, but for its terminal and its stream. */
export function openApp({ source, place, size, theme = 'none', setup }: OpenOptions): OpenApp {
  const copied: string[] = [];
  const now = () => performance.now();
  const start = place ?? { screen: 'users', params: {} };
  const runtime = createRuntime(
    { instance: 'default', environment: 'sandbox', isReadonly: false, operator: 'Ada', start, ...setup },
    size ?? { columns: 80, rows: 24 },
    {
      source: () => source,
      now,
      copy(text) {
        copied.push(text);
        return Promise.resolve('copied');
      },
      reconnect: () => undefined,
      suspend: () => undefined,
      showImage: () => false,
    },
  );
  const app = (
    <ThemeProvider value={THEMES[theme]}>
      <App runtime={runtime} now={now} />
    </ThemeProvider>
  );
  const { screen, keyboard, instance } = mount(size ?? { columns: 80, rows: 24 }, app);
  const text = () => screen.lines().join('\n');
  const send = async (chunk: string) => {
    keyboard.write(chunk);
    // A lone escape is one after the parser has seen that nothing follows.
    for (let turn = 0; turn < 4; turn += 1) await new Promise(setImmediate);
  };
  runtime.dispatch({ type: 'connection', connection: { kind: 'live' } });
  return {
    runtime,
    screen,
    copied,
    text,
    send: runtime.dispatch,
    async press(...keys) {
      for (const key of keys) await send(SEQUENCES[key] ?? key);
    },
    async type(text) {
      for (const character of Array.from(text)) await send(character);
    },
    paste: send,
    async until(what) {
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
