/**
 * The command of `kyclone exec`: our streams, our process group, its own exit code, and the signals that are passed
 * on.
 *
 * The command stays in our process group so that it can read the terminal; the kernel sends a Ctrl-C there to both
 * processes, and many programs take a second one for "at once". So what a terminal types is passed on only where it can't
 * have come from one: when our group isn't in the terminal's foreground. Any other signal is meant for the command and
 * is always passed on.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { readFileSync } from 'node:fs';
import { causeOf } from '../../kernel/system-failure.ts';
import { SIGNAL_EXIT_BASE } from '../shell/exit-codes.ts';
import { CliError, UsageError } from '../shell/failure.ts';

/** As shells have it. */
const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;

/** `argv` of the command, what stands behind `--`. Throws UsageError. */
export function commandOf(argv: readonly string[]): readonly [string, ...string[]] {
  const end = argv.indexOf('--');
  const [program, ...rest] = end === -1 ? [] : argv.slice(end + 1);
  if (program === undefined || program === '') {
    throw new UsageError('The command to run stands behind --', 'kyclone exec -- npm test');
  }
  return [program, ...rest];
}

/** Runs it to its end; returns its exit code, or 128 and the number of the signal that ended it. Throws CliError. */
export async function runCommand(
  [program, ...args]: readonly [string, ...string[]],
  { environment, signals }: { environment: NodeJS.ProcessEnv; signals: CaughtSignals },
): Promise<number> {
  try {
    const child = spawn(program, args, { stdio: 'inherit', env: environment });
    signals.passTo(child);
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) =>
        resolve(code ?? SIGNAL_EXIT_BASE + (signal === null ? 0 : constants.signals[signal])),
      );
    });
  } catch (error) {
    throw notStarted(program, error);
  } finally {
    signals.passTo(undefined);
  }
}

function notStarted(program: string, error: unknown): CliError {
  const reason = (error as NodeJS.ErrnoException).code ?? 'failed';
  if (reason === 'ENOENT') {
    return new CliError(`The command ${program} was not found`, {
      code: 'command_not_found',
      exitCode: NOT_FOUND,
      hint: 'a command without a slash is looked for in PATH; shell words such as && need sh -c',
    });
  }
  return new CliError(`The command ${program} cannot be run: ${causeOf(error) ?? reason}`, {
    code: 'command_not_executable',
    exitCode: NOT_EXECUTABLE,
    ...(reason === 'EACCES' && { hint: 'chmod +x makes a file a command' }),
  });
}

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
