import { constants } from 'node:os';
import type { ErrorCategory } from '../../contract/errors.ts';

/** Every exit code, and its meaning in words for `kyclone capabilities`. */
export const EXIT_CODES = {
  ok: [0, 'done, or yes'],
  failed: [1, "failed, or the question's answer is no"],
  usage: [2, 'the command line is wrong'],
  needsInput: [3, 'input is needed, and there is no terminal to ask on'],
  credential: [4, 'credential, permission or transport refused, or the vault is sealed'],
  unreachable: [5, 'no daemon responds'],
  notFound: [6, 'there is no such thing'],
  invalid: [7, 'the daemon refused what was sent'],
  conflict: [8, 'conflict of port, lock or version'],
  timedOut: [124, 'the time ran out'],
  // As shells number them.
  commandNotExecutable: [126, "exec: the command can't be run"],
  commandNotFound: [127, 'exec: the command was not found'],
} as const;

/** By name. Only `exec` returns another, that of its child (docs/architecture.md#command-line). */
export const EXIT = Object.fromEntries(Object.entries(EXIT_CODES).map(([name, [code]]) => [name, code])) as {
  readonly [Name in keyof typeof EXIT_CODES]: (typeof EXIT_CODES)[Name][0];
};

/** Added to a signal's number. */
export const SIGNAL_EXIT_BASE = 128;

/** The exit code of a process that ended so; for a signal that ended it, 128 plus its number. */
export function exitCodeOfEnd(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? SIGNAL_EXIT_BASE + (signal === null ? 0 : constants.signals[signal]);
}

export function exitCodeOfSignal(signal: NodeJS.Signals): number {
  return exitCodeOfEnd(null, signal);
}

const EXIT_BY_CATEGORY: Record<ErrorCategory, number> = {
  validation: EXIT.invalid,
  onboarding: EXIT.invalid,
  input: EXIT.invalid,
  limit: EXIT.invalid,
  proxy: EXIT.invalid,
  upstream: EXIT.failed,
  state: EXIT.failed,
  credential: EXIT.credential,
  permission: EXIT.credential,
  transport: EXIT.credential,
  lookup: EXIT.notFound,
  server: EXIT.failed,
  fault: EXIT.failed,
  startup: EXIT.conflict,
};

/** Codes whose exit code differs from that of their category. */
const EXIT_BY_CODE: Readonly<Record<string, number>> = {
  sealed: EXIT.credential,
  key_file_refused: EXIT.credential,
  not_ready: EXIT.unreachable,
};

/** Codes of the CLI's own failures; the exit code of any other is that of a failure. */
const EXIT_BY_OWN_CODE: Readonly<Record<string, number>> = {
  command_not_executable: EXIT.commandNotExecutable,
  command_not_found: EXIT.commandNotFound,
  daemon_died: EXIT.unreachable,
  daemon_unreachable: EXIT.unreachable,
  instance_differs: EXIT.conflict,
  instance_unnamed: EXIT.usage,
  live_key_refused: EXIT.credential,
  live_refused: EXIT.credential,
  not_found: EXIT.notFound,
  port_taken: EXIT.conflict,
  project_untrusted: EXIT.needsInput,
  remote_key_refused: EXIT.credential,
  remote_unreachable: EXIT.unreachable,
  setting_invalid: EXIT.usage,
  statement_refused: EXIT.invalid,
  timed_out: EXIT.timedOut,
  version_conflict: EXIT.conflict,
};

export function exitCodeOfOwn(code: string): number {
  return EXIT_BY_OWN_CODE[code] ?? EXIT.failed;
}

/**
 * The exit code for an API error. A 409 is a conflict whatever its category. The exit code of an unknown error code
 * depends on its status.
 */
export function exitCodeOf(error: {
  code: string;
  category: ErrorCategory | undefined;
  status: number;
}): number {
  const byCode = EXIT_BY_CODE[error.code];
  if (byCode !== undefined) return byCode;
  if (error.category === 'startup') return EXIT.conflict;
  if (error.status === 409) return EXIT.failed;
  return error.category === undefined ? exitCodeOfStatus(error.status) : EXIT_BY_CATEGORY[error.category];
}

function exitCodeOfStatus(status: number): number {
  if ([401, 403, 421].includes(status)) return EXIT.credential;
  if ([404, 405].includes(status)) return EXIT.notFound;
  return status >= 400 && status < 500 ? EXIT.invalid : EXIT.failed;
}
