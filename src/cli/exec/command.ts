/**
 * The command of `kyclone exec`: our streams, our process group, its own exit code, and the signals that are passed
 * on.
 *
 * The command stays in our process group so that it can read the terminal; the kernel sends a Ctrl-C there to both
 * processes, and many programs take a second one for "at once". So what a terminal types is passed on only where it can't
 * have come from one: when our group isn't in the terminal's foreground. Any other signal is meant for the command and
 * is always passed on.
 *
 * With a time limit the command gets a process group of its own, so that whatever it has started can be stopped with it;
 * no terminal reaches it there, and all signals are passed on.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { readFileSync } from 'node:fs';
import { pollUntil } from '../../client/discover.ts';
import { causeOf } from '../../kernel/system-failure.ts';
import { EXIT, SIGNAL_EXIT_BASE } from '../shell/exit-codes.ts';
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

export interface TimeLimit {
  readonly timeoutMs: number;
  /** How long it may take to end after a SIGTERM. */
  readonly killAfterMs: number;
}

interface CommandRun {
  readonly environment: NodeJS.ProcessEnv;
  readonly signals: CaughtSignals;
  readonly limit: TimeLimit | undefined;
}

/** Its exit code, or 128 and the number of the signal that ended it; 124 when its time was up. */
export interface CommandEnd {
  readonly exitCode: number;
  readonly isTimedOut: boolean;
}

/** Runs it to its end, or stops it and all it has started in its group when its time is up. Throws CliError. */
export async function runCommand(
  [program, ...args]: readonly [string, ...string[]],
  { environment, signals, limit }: CommandRun,
): Promise<CommandEnd> {
  const hasGroup = limit !== undefined && process.platform !== 'win32';
  let timer: NodeJS.Timeout | undefined;
  try {
    const child = spawn(program, args, { stdio: 'inherit', env: environment, detached: hasGroup });
    const target = hasGroup ? groupOf(child) : { kill: (signal: NodeJS.Signals | 0) => child.kill(signal) };
    signals.passTo(target);
    let stopped: Promise<void> | undefined;
    if (limit !== undefined) {
      timer = setTimeout(() => void (stopped = stop(target, limit)), limit.timeoutMs);
    }
    const exitCode = await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) =>
        resolve(code ?? SIGNAL_EXIT_BASE + (signal === null ? 0 : constants.signals[signal])),
      );
    });
    await stopped;
    return stopped === undefined
      ? { exitCode, isTimedOut: false }
      : { exitCode: EXIT.timedOut, isTimedOut: true };
  } catch (error) {
    throw notStarted(program, error);
  } finally {
    clearTimeout(timer);
    signals.passTo(undefined);
  }
}

const LOOK_EVERY_MS = 20;

/** SIGTERM, then SIGKILL for what is left of it. */
async function stop(target: ProbedTarget, { killAfterMs }: TimeLimit): Promise<void> {
  target.kill('SIGTERM');
  const isGone = await pollUntil(() => !target.kill(0), {
    everyMs: LOOK_EVERY_MS,
    timeoutMs: killAfterMs,
  });
  if (!isGone) target.kill('SIGKILL');
}

/** The command and what it has started. */
function groupOf({ pid }: ChildProcess): ProbedTarget {
  return {
    hearsTerminal: false,
    kill(signal) {
      try {
        return pid !== undefined && process.kill(-pid, signal);
      } catch {
        // Nobody is left in it.
        return false;
      }
    },
  };
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

interface SignalTarget {
  kill(signal: NodeJS.Signals): boolean;
  /** False where what is typed at our terminal doesn't reach it; left out, it does. */
  readonly hearsTerminal?: boolean;
}

/** 0 is sent to nobody: it asks whether there is anybody. */
interface ProbedTarget extends SignalTarget {
  kill(signal: NodeJS.Signals | 0): boolean;
}

export interface CaughtSignals {
  /** The first that came; it ends the run where the command hasn't begun yet. */
  readonly first: NodeJS.Signals | undefined;
  /** Whether a Ctrl-C was among them. */
  readonly wasInterrupted: boolean;
  /** Settles with the first. */
  readonly caught: Promise<NodeJS.Signals>;
  /** From now on they go to this process, until there is none any more. */
  passTo(target: SignalTarget | undefined): void;
  /** They do again what they did before. */
  release(): void;
}

/** Catches the signals from now on: we end only after the command has. */
export function catchSignals(isTyped: () => boolean = isTypedHere): CaughtSignals {
  let target: SignalTarget | undefined;
  let first: NodeJS.Signals | undefined;
  let wasInterrupted = false;
  let settle: (signal: NodeJS.Signals) => void = () => undefined;
  const caught = new Promise<NodeJS.Signals>((resolve) => (settle = resolve));
  const take = (signal: NodeJS.Signals) => {
    first ??= signal;
    wasInterrupted ||= TYPED.has(signal);
    settle(signal);
    const isThereAlready = TYPED.has(signal) && target?.hearsTerminal !== false && isTyped();
    if (!isThereAlready) target?.kill(signal);
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
