/**
 * Signals that reach `kyclone exec`, and who gets them. The command stays in our process group so that it can read the
 * terminal; a Ctrl-C there comes to both of us from the kernel, and many programs take a second one for "at once". So
 * what a terminal types is passed on only where it can't have come from one: when our group isn't in the terminal's
 * foreground. Anything else is meant for the command and passed on always.
 */
import { readFileSync } from 'node:fs';

const TYPED = new Set<NodeJS.Signals>(['SIGINT', 'SIGQUIT']);
const PASSED_ON = ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const;

export interface CaughtSignals {
  /** The first that came; it ends the run where the command hasn't begun yet. */
  readonly first: NodeJS.Signals | undefined;
  /** Whether a Ctrl-C was among them. */
  readonly wasInterrupted: boolean;
  /** Settles with the first. */
  readonly caught: Promise<NodeJS.Signals>;
  /** From now on they go to this process, until there is none any more. */
  passTo(target: { kill(signal: NodeJS.Signals): boolean } | undefined): void;
  /** They do again what they did before. */
  release(): void;
}

/** Catches the signals from now on: we end only after the command has. */
export function catchSignals(isTyped: () => boolean = isTypedHere): CaughtSignals {
  let target: { kill(signal: NodeJS.Signals): boolean } | undefined;
  let first: NodeJS.Signals | undefined;
  let wasInterrupted = false;
  let settle: (signal: NodeJS.Signals) => void = () => undefined;
  const caught = new Promise<NodeJS.Signals>((resolve) => (settle = resolve));
  const take = (signal: NodeJS.Signals) => {
    first ??= signal;
    wasInterrupted ||= TYPED.has(signal);
    settle(signal);
    if (!(TYPED.has(signal) && isTyped())) target?.kill(signal);
  };
  for (const signal of PASSED_ON) process.on(signal, take);
  return {
    get first() {
      return first;
    },
    get wasInterrupted() {
      return wasInterrupted;
    },
    caught,
    passTo: (next) => void (target = next),
    release() {
      for (const signal of PASSED_ON) process.off(signal, take);
    },
  };
}

/** Whether the kernel sends our process group what is typed at its terminal. */
function isTypedHere(): boolean {
  try {
    return isForeground(readFileSync('/proc/self/stat', 'utf8'));
  } catch {
    // A system without /proc: who has a terminal is taken to be at it.
    return process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  }
}

/** By the line of proc(5): the process group is the one in the foreground of the controlling terminal. */
export function isForeground(stat: string): boolean {
  // The name of the program comes before, in parentheses, and may hold any character.
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return group !== undefined && group === foreground;
}
