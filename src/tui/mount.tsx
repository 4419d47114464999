/** Draws the inspector in a terminal until the user leaves. */
import { writeSync } from 'node:fs';
import { render, Text } from 'ink';
import { Component, type ReactNode } from 'react';
import { SECOND_MS } from '../kernel/numbers/units.ts';
import { App } from './components/app.tsx';
import { ThemeProvider, THEMES, type ThemeName } from './components/theme.tsx';
import { imageEscape, type Image } from './data/images.ts';
import { sizeOf, type InspectorSession, type SessionOptions } from './session.ts';
import { createTerminalInput, keysIn, paste, pressAll, wholeKeys } from './typing.ts';

// The user's terminal: taken while the inspector runs, and restored however it ends.

// Writes frames to the terminal as their differences. Ink rewrites the whole window for each frame; over a slow line
// that is most of what the inspector costs. Here unchanged lines are left alone, and rows that only move are moved by
// the terminal itself.

/** Another program may have written over the window. A whole frame restores it, at the latest after this time. */
const WHOLE_AGAIN_MS = 30 * SECOND_MS;

/** What ink writes to erase its previous frame. */
const ERASURE = /^(?:\u001b\[2K(?:\u001b\[1A)?)+\u001b\[G/;

/** `now`: milliseconds of a clock that only goes forward. */
export function createFrameWriter(now: () => number) {
  /** The lines on the terminal; undefined when it is unknown what it shows. */
  let shown: readonly string[] | undefined;
  let wholeAt = 0;
  return {
    /** The text to write instead of `text`, which ink writes. Frames begin in the upper left corner of the terminal. */
    shorten(text: string): string {
      const frame = text.replace(ERASURE, '');
      if (!frame.endsWith('\n')) {
        // Erased without a new frame.
        if (frame !== text) shown = undefined;
        return text;
      }
      const lines = frame.slice(0, -1).split('\n');
      const before = shown;
      shown = lines;
      if (before?.length === lines.length && now() - wholeAt < WHOLE_AGAIN_MS)
        return difference(before, lines);
      wholeAt = now();
      return text;
    },
  };
}

/** Ends where ink expects the cursor: at the beginning of the line after the frame. */
function difference(before: readonly string[], lines: readonly string[]): string {
  const inPlace = rewritten(before, lines);
  const move = likeliestMove(before, lines);
  const moved = move && movedBy(move, before, lines);
  return (moved !== undefined && moved.length < inPlace.length ? moved : inPlace) + toLine(lines.length);
}

/** Writes the lines that differ. The cursor doesn't pass the last column, so a line is erased before it is written. */
function rewritten(before: readonly string[], lines: readonly string[]): string {
  return lines.map((line, at) => (line === before[at] ? '' : `${toLine(at)}\u001b[2K${line}`)).join('');
}

interface Move {
  /** The moved lines in the new frame. */
  readonly from: number;
  readonly to: number;
  /** How far down they have moved; negative: up. */
  readonly by: number;
}

/** The move that brings most lines to their new place. */
function likeliestMove(before: readonly string[], lines: readonly string[]): Move | undefined {
  const places = new Map(before.map((line, at) => [line, at]));
  const moves = new Map<number, { move: Move; count: number }>();
  for (const [at, line] of lines.entries()) {
    const by = at - (places.get(line) ?? at);
    if (by === 0 || line === '') continue;
    const same = moves.get(by);
    moves.set(by, { move: { from: same?.move.from ?? at, to: at, by }, count: (same?.count ?? 0) + 1 });
  }
  return [...moves.values()].toSorted((one, other) => other.count - one.count)[0]?.move;
}

/** Has the terminal move lines, and then writes those that differ. Lines outside of the move keep their place. */
function movedBy({ from, to, by }: Move, before: readonly string[], lines: readonly string[]): string {
  const count = Math.abs(by);
  // Deleting pulls up what is below, and inserting pushes it down again.
  const [deletedAt, insertedAt] = by > 0 ? [to - count + 1, from - count] : [from, to + 1];
  const after = before
    .toSpliced(deletedAt, count)
    .toSpliced(insertedAt, 0, ...Array.from({ length: count }, () => ''));
  const move = `${toLine(deletedAt)}\u001b[${count}M${toLine(insertedAt)}\u001b[${count}L`;
  return move + rewritten(after, lines);
}

const toLine = (at: number) => `\u001b[${at + 1}H`;

/** Disables line wrapping: a character wider than expected must not shift everything after it. */
const ENTER = '\u001b[?1049h\u001b[?7l\u001b[2J\u001b[H';
/** Erases keys that were pressed before the terminal was raw again: it showed them below the shell's line. */
const ERASE_TYPED = '\r\u001b[K';
/** Enables reports of clicks and the wheel, and markers around pasted text. */
const LISTEN = '\u001b[?1000h\u001b[?1006h\u001b[?2004h';
const HIDE_CURSOR = '\u001b[?25l';
/** Restores the cursor, the colours, wrapping and the previous screen. */
const RESTORE = '\u001b[?2004l\u001b[?1006l\u001b[?1000l\u001b[0m\u001b[?25h\u001b[?7h\u001b[?1049l';

/**
 * Enters the alternate screen. `restore` may be called at any time and more than once; it also runs when the process
 * exits.
 */
export function takeTerminal(stdout: NodeJS.WriteStream, stdin: NodeJS.ReadStream) {
  let isTaken = true;
  stdout.write(ENTER + LISTEN);
  function restore(): void {
    if (!isTaken) return;
    isTaken = false;
    process.off('exit', restore);
    give();
  }
  /** Call before the process stops: gives the terminal back to the shell. */
  function give(): void {
    if (stdin.isTTY) stdin.setRawMode(false);
    // Synchronous, because a process that exits may not write queued output.
    try {
      writeSync((stdout as NodeJS.WriteStream & { fd: number }).fd, RESTORE);
    } catch {
      // The terminal is gone.
    }
  }
  /** Call after the process continues: takes the terminal again from the shell. */
  function retake(): void {
    if (!isTaken) return;
    if (stdin.isTTY) {
      // After SIGSTOP, Node still considers the terminal raw and would not set it again.
      stdin.setRawMode(false);
      stdin.setRawMode(true);
    }
    stdout.write(ERASE_TYPED + ENTER + LISTEN + HIDE_CURSOR);
  }
  process.on('exit', restore);
  return { give, retake, clear: () => void stdout.write('\u001b[2J\u001b[H'), restore };
}

/**
 * The terminal as ink sees it. It has no height: if a frame is as high as the window, ink clears the user's
 * scrollback. It reports no resizes: they come with the size in the state (runtime.ts). Frames are written as their
 * differences. `now`: milliseconds of a clock that only goes forward.
 */
function forInk(stdout: NodeJS.WriteStream, now: () => number): NodeJS.WriteStream {
  const frames = createFrameWriter(now);
  const proxy: NodeJS.WriteStream = new Proxy(stdout, {
    get(target, name) {
      if (name === 'rows') return undefined;
      if (name === 'write') return (text: string, ...rest: []) => target.write(frames.shorten(text), ...rest);
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...values: unknown[]): unknown => {
        if ((name === 'on' || name === 'off') && values[0] === 'resize') return proxy;
        return (value as (...values: unknown[]) => unknown).apply(target, values);
      };
    },
  });
  return proxy;
}

/** Keys take effect at once; news from elsewhere comes in batches (link.ts). */
const MOST_FRAMES_PER_SECOND = 60;
/** Rows for one notch of the wheel. */
const ROWS_OF_WHEEL = 3;
/** Longer than a frame. */
const REDRAW_MS = 50;

/** Returns the signal that ended it, or undefined when the user left. Throws CrashError when drawing failed. */
export async function draw(
  session: InspectorSession,
  { stdin, stdout, environment }: SessionOptions,
  theme: ThemeName,
): Promise<NodeJS.Signals | undefined> {
  const { runtime, now } = session;
  const { dispatch, getState } = runtime;
  const terminal = takeTerminal(stdout, stdin);
  const escapeOf = (shown: Image) => {
    const { columns, rows } = sizeOf(stdout);
    return imageEscape(shown, environment, columns, rows - 2);
  };
  session.showImagesIf((shown) => escapeOf(shown) !== undefined);
  const app = (
    <Guard onCrash={session.crashed}>
      <ThemeProvider value={THEMES[theme]}>
        <App runtime={runtime} />
      </ThemeProvider>
    </Guard>
  );
  /** The image that is shown in place of the window. */
  let image: Image | undefined;
  /** As at the end of its time, so that the notice about it stays. */
  const hideImage = () => {
    const { revealed } = getState();
    if (image !== undefined && revealed !== undefined) dispatch({ type: 'tick', now: revealed.hidesAt });
  };
  const input = createTerminalInput({
    paste: (text) => paste(runtime, text, now),
    mouse(event) {
      if (image !== undefined) hideImage();
      else if (event.kind === 'wheel')
        for (let turn = 0; turn < ROWS_OF_WHEEL; turn += 1)
          dispatch({ type: 'key', key: event.direction, now: now() });
      else dispatch({ type: 'click', line: event.line, column: event.column, now: now() });
    },
  });
  const onData = wholeKeys((sent) => {
    const text = input.keysOf(sent);
    if (image === undefined || text === '\u0003') pressAll(runtime, keysIn(text), now);
    else if (text !== '') hideImage();
  });
  session.suspendBy(terminal.give);
  stdin.setEncoding('utf8');
  stdin.setRawMode(true);
  // A prompt before, such as that of --user ?, has paused it.
  stdin.on('data', onData).resume();
  const instance = render(app, {
    stdout: forInk(stdout, now),
    exitOnCtrlC: false,
    patchConsole: false,
    maxFps: MOST_FRAMES_PER_SECOND,
    isScreenReaderEnabled: false,
  });

  /** Shows the image of the state while ink draws nothing. Any key hides it. */
  const unsubscribe = runtime.subscribe(() => {
    const next = getState().revealed?.image;
    if (next === image) return;
    image = next;
    if (image === undefined) {
      terminal.clear();
      instance.rerender(app);
      return;
    }
    instance.clear();
    instance.rerender(null);
    terminal.clear();
    stdout.write(`${escapeOf(image) ?? ''}\r\n(any key goes back)`);
  });

  const onResize = () => {
    hideImage();
    instance.clear();
    terminal.clear();
    dispatch({ type: 'resized', size: sizeOf(stdout) });
  };
  stdout.on('resize', onResize);
  // Ink skips a frame equal to the last one, so an empty frame comes in between.
  let redrawing: NodeJS.Timeout | undefined;
  const onContinue = () => {
    hideImage();
    terminal.retake();
    instance.clear();
    instance.rerender(<Text> </Text>);
    clearTimeout(redrawing);
    redrawing = setTimeout(() => {
      instance.clear();
      terminal.clear();
      instance.rerender(app);
      dispatch({ type: 'resized', size: sizeOf(stdout) });
    }, REDRAW_MS);
  };
  process.on('SIGCONT', onContinue);
  stdin.on('end', session.hungUp);
  try {
    return await session.ended;
  } finally {
    unsubscribe();
    stdout.off('resize', onResize);
    process.off('SIGCONT', onContinue);
    clearTimeout(redrawing);
    stdin.off('data', onData);
    stdin.off('end', session.hungUp);
    stdin.pause();
    instance.unmount();
    terminal.restore();
  }
}

export class Guard extends Component<
  { children: ReactNode; onCrash: (error: Error) => void },
  { hasFailed: boolean }
> {
  override readonly state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override componentDidCatch(error: Error): void {
    this.props.onCrash(error);
  }

  override render(): ReactNode {
    return this.state.hasFailed ? null : this.props.children;
  }
}
