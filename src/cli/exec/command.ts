/**
 * Runs the command of `kyclone exec`: with our streams, in our process group, with its own exit code, and with
 * signals passed on.
 *
 * The command stays in our process group so that it can read the terminal. The kernel sends a Ctrl-C there to both
 * processes, and many programs treat a second one as "at once". So a signal that a terminal can send is passed on
 * only if it can't come from one: if our group isn't in the terminal's foreground. Any other signal is always passed
 * on to the command.
 *
 * With a time limit, the command gets a process group of its own, so that everything it has started can be stopped
 * with it. No terminal reaches it there, and all signals are passed on.
 */
import { attempt } from '../../kernel/attempt.ts';
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pollUntil } from '../../kernel/time/poll-until.ts';
import { causeOf } from '../../kernel/system-failure.ts';
import { EXIT, exitCodeOfEnd } from '../shell/exit-codes.ts';
import { CliError, UsageError } from '../shell/failure.ts';

/** By the name of a flag of `kyclone exec`, whether the next word is its value. */
export type TakesValue = ReadonlyMap<string, boolean>;

/**
 * Divides `argv` into our own words and the command's, at `--`. Some package managers swallow that: without it the
 * command begins with the first word that is no flag or value of ours, unless a flag of ours follows. Throws UsageError.
 */
export function commandOf(
  argv: readonly string[],
  flags: TakesValue = new Map(),
): { readonly own: readonly string[]; readonly command: readonly [string, ...string[]] } {
  const end = argv.indexOf('--');
  const begins = end === -1 ? firstOther(argv, flags) : end + 1;
  const [program, ...rest] = argv.slice(begins);
  const isOurs = end === -1 && rest.some((word) => flags.has(word.replace(/=.*/s, '')));
  if (program === undefined || program === '' || isOurs) {
    throw new UsageError('The command to run comes after --', 'kyclone exec -- npm test');
  }
  return { own: argv.slice(0, end === -1 ? begins : end), command: [program, ...rest] };
}

/** The index of the first word that is neither a flag of ours nor its value. */
function firstOther(argv: readonly string[], flags: TakesValue): number {
  let at = 0;
  for (let word = argv[at]; word?.startsWith('-'); word = argv[at]) {
    const takesValue = flags.get(word.replace(/=.*/s, ''));
    if (takesValue === undefined) return argv.length;
    at += takesValue && !word.includes('=') ? 2 : 1;
  }
  return at;
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

/** The exit code, or 128 plus the number of the signal that ended the command; 124 when its time ran out. */
export interface CommandEnd {
  readonly exitCode: number;
  readonly isTimedOut: boolean;
}

/**
 * Runs the command to its end. When its time runs out, stops it with everything it has started in its group. Throws
 * CliError.
 */
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
      child.once('exit', (code, signal) => resolve(exitCodeOfEnd(code, signal)));
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

/** Sends SIGTERM, then SIGKILL to whatever is left. */
async function stop(target: ProbedTarget, { killAfterMs }: TimeLimit): Promise<void> {
  target.kill('SIGTERM');
  const isGone = await pollUntil(() => !target.kill(0), { everyMs: LOOK_EVERY_MS, timeoutMs: killAfterMs });
  if (!isGone) target.kill('SIGKILL');
}

/** The command and all processes it has started. */
function groupOf({ pid }: ChildProcess): ProbedTarget {
  return {
    getsTerminalSignals: false,
    // False if no process is left in the group.
    kill: (signal) => pid !== undefined && attempt(() => process.kill(-pid, signal)) === true,
  };
}

function notStarted(program: string, error: unknown): CliError {
  const reason = (error as NodeJS.ErrnoException).code ?? 'failed';
  if (reason === 'ENOENT') {
    return new CliError(`The command ${program} was not found`, {
      code: 'command_not_found',
      hint: 'a command without a slash is searched in PATH; shell words such as && need sh -c',
    });
  }
  return new CliError(`The command ${program} cannot be run: ${causeOf(error) ?? reason}`, {
    code: 'command_not_executable',
    ...(reason === 'EACCES' && { hint: 'chmod +x makes a file executable' }),
  });
}

const TYPED = new Set<NodeJS.Signals>(['SIGINT', 'SIGQUIT']);
const PASSED_ON = ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const;

interface SignalTarget {
  kill(signal: NodeJS.Signals): boolean;
  /** False if signals typed at our terminal don't reach the target. Default: they do. */
  readonly getsTerminalSignals?: boolean;
}

/** Signal 0 is not delivered: it only checks whether a process exists. */
interface ProbedTarget extends SignalTarget {
  kill(signal: NodeJS.Signals | 0): boolean;
}

export interface CaughtSignals {
  /** The first signal. It ends the run if the command hasn't started yet. */
  readonly first: NodeJS.Signals | undefined;
  readonly wasInterrupted: boolean;
  /** Settles with the first signal. */
  readonly caught: Promise<NodeJS.Signals>;
  /** From now on signals go to this process; undefined if it has ended. */
  passTo(target: SignalTarget | undefined): void;
  release(): void;
}

/** Catches the signals from now on, because we may end only after the command. */
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
    const isThereAlready = TYPED.has(signal) && target?.getsTerminalSignals !== false && isTyped();
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

/** Whether the kernel sends our process group the signals typed at its terminal. */
function isTypedHere(): boolean {
  const stat = attempt(() => readFileSync('/proc/self/stat', 'utf8'));
  // Without /proc, a process with a terminal counts as in the foreground.
  if (stat === undefined) return process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  return isForeground(stat);
}

/** Reads a line of proc(5): whether the process group is in the foreground of the controlling terminal. */
export function isForeground(stat: string): boolean {
  // The program's name comes before, in parentheses, and may contain any character.
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return group !== undefined && group === foreground;
}
