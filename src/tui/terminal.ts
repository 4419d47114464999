/** The user's terminal: taken for the time of the inspector, and given back as it was, however that ends. */
import { writeSync } from 'node:fs';
import type { TerminalInput } from './terminal-input.ts';

/** Lines aren't wrapped: a character that is wider than we know must not push down all that follows. */
const ENTER = '\u001b[?1049h\u001b[?7l\u001b[2J\u001b[H';
/** Clicks and the wheel are reported, and a pasted text comes between marks. */
const LISTEN = '\u001b[?1000h\u001b[?1006h\u001b[?2004h';
const HIDE_CURSOR = '\u001b[?25l';
/** The cursor, the colours, wrapping and the screen that was there before. */
const RESTORE = '\u001b[?2004l\u001b[?1006l\u001b[?1000l\u001b[0m\u001b[?25h\u001b[?7h\u001b[?1049l';

export interface Terminal {
  clear(): void;
  /** Before the process stops: the shell has the terminal as it was. */
  give(): void;
  /** After the process was stopped: the shell took the terminal in between. */
  retake(): void;
  restore(): void;
}

/**
 * Enters the alternate screen. `restore` may be called at any time and more than once; leaving the process does it,
 * too.
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
    // At once: a process that ends may not write what is queued.
    try {
      writeSync((stdout as NodeJS.WriteStream & { fd: number }).fd, RESTORE);
    } catch {
      // The terminal is gone.
    }
  }
  function retake(): void {
    if (!isTaken) return;
    if (stdin.isTTY) {
      // After SIGSTOP it counts as raw still, and would not be set again.
      stdin.setRawMode(false);
      stdin.setRawMode(true);
    }
    stdout.write(ENTER + LISTEN + HIDE_CURSOR);
  }
  process.on('exit', restore);
  return { give, retake, clear: () => void stdout.write('\u001b[2J\u001b[H'), restore };
}

/**
 * The terminal as ink is to see it: without a height, for where a frame is as high as the window ink clears all that the
 * user has scrolled by, and without resizes, which come with the size in the state (runtime.ts).
 */
export function forInk(stdout: NodeJS.WriteStream): NodeJS.WriteStream {
  const proxy: NodeJS.WriteStream = new Proxy(stdout, {
    get(target, name) {
      if (name === 'rows') return undefined;
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

/** Sequences that begin as a key's do. */
const SEQUENCE = /(?<!\u001b)\u001b+(?:\[\[?|O)[\d;?<=>]*[A-Za-z~^$]/g;
/** Those of keys that are used here. Ink fails of some that it doesn't know: a colour in a pasted text ended all. */
const KEY_SEQUENCE = /^\u001b+(?:\[\[?|O)(?:[\d;]*[ABCDFHZ]|[1-8](?:;\d+)?~|20[01]~)$/;

export function withoutUnknownKeys(text: string): string {
  return text.replaceAll(SEQUENCE, (sequence) => (KEY_SEQUENCE.test(sequence) ? sequence : ''));
}

/** The keyboard, as ink reads it; what else the terminal sends goes to `input`. */
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
