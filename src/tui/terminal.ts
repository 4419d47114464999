/** The user's terminal: taken while the inspector runs, and restored however it ends. */
import { writeSync } from 'node:fs';
import { createFrameWriter } from './frame-writer.ts';
import type { TerminalInput } from './terminal-input.ts';

/** Disables line wrapping: a character wider than expected must not shift everything after it. */
const ENTER = '\u001b[?1049h\u001b[?7l\u001b[2J\u001b[H';
/** Erases keys that were pressed before the terminal was raw again: it showed them below the shell's line. */
const ERASE_TYPED = '\r\u001b[K';
/** Enables reports of clicks and the wheel, and markers around pasted text. */
const LISTEN = '\u001b[?1000h\u001b[?1006h\u001b[?2004h';
const HIDE_CURSOR = '\u001b[?25l';
/** Restores the cursor, the colours, wrapping and the previous screen. */
const RESTORE = '\u001b[?2004l\u001b[?1006l\u001b[?1000l\u001b[0m\u001b[?25h\u001b[?7h\u001b[?1049l';

export interface Terminal {
  clear(): void;
  /** Call before the process stops: gives the terminal back to the shell. */
  give(): void;
  /** Call after the process continues: takes the terminal again from the shell. */
  retake(): void;
  restore(): void;
}

/**
 * Enters the alternate screen. `restore` may be called at any time and more than once; it also runs when the process
 * exits.
 */
export function takeTerminal(stdout: NodeJS.WriteStream, stdin: NodeJS.ReadStream): Terminal {
  let isTaken = true;
  stdout.write(ENTER + LISTEN);
  function restore(): void {
    if (!isTaken) return;
    isTaken = false;
    process.off('exit', restore);
    give();
  }
  function give(): void {
    if (stdin.isTTY) stdin.setRawMode(false);
    // Synchronous, because a process that exits may not write queued output.
    try {
      writeSync((stdout as NodeJS.WriteStream & { fd: number }).fd, RESTORE);
    } catch {
      // The terminal is gone.
    }
  }
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
export function forInk(stdout: NodeJS.WriteStream, now: () => number): NodeJS.WriteStream {
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

/** Sequences that begin like those of a key. */
const SEQUENCE = /(?<!\u001b)\u001b+(?:\[\[?|O)[\d;?<=>]*[A-Za-z~^$]/g;
/**
 * Sequences of keys that the inspector uses. Ink crashes on some unknown ones: a colour in a pasted text ended the
 * inspector.
 */
const KEY_SEQUENCE = /^\u001b+(?:\[\[?|O)(?:[\d;]*[ABCDFHZ]|[1-8](?:;\d+)?~|20[01]~)$/;

export function withoutUnknownKeys(text: string): string {
  return text.replaceAll(SEQUENCE, (sequence) => (KEY_SEQUENCE.test(sequence) ? sequence : ''));
}

/** The keyboard as ink reads it. All other terminal input goes to `input`. */
export function keysForInk(stdin: NodeJS.ReadStream, input: TerminalInput): NodeJS.ReadStream {
  const proxy: NodeJS.ReadStream = new Proxy(stdin, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...values: unknown[]): unknown => {
        const result = (value as (...values: unknown[]) => unknown).apply(target, values);
        if (name === 'read' && typeof result === 'string') return withoutUnknownKeys(input.keysOf(result));
        return result === target ? proxy : result;
      };
    },
  });
  return proxy;
}
