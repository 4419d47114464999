import type { ErrorCategory } from '../../contract/errors.ts';

/**
 * The meaning of every command's exit code. Only `exec` returns that of its child
 * (docs/architecture.md#command-line).
 */
export const EXIT = {
  ok: 0,
  /** Failed, or the answer of a check is no. */
  failed: 1,
  usage: 2,
  /** Input is needed, but there is no terminal to ask on. */
  needsInput: 3,
  /** Credential, permission, transport or a sealed vault. */
  credential: 4,
  unreachable: 5,
  notFound: 6,
  invalid: 7,
  /** Conflict of port, lock or version. */
  conflict: 8,
  timedOut: 124,
  /** The command of `exec`, as shells number it. */
  commandNotExecutable: 126,
  commandNotFound: 127,
} as const;

/** In words, for `kyclone capabilities`. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'done, or yes',
  failed: "failed, or the question's answer is no",
  usage: 'the command line is wrong',
  needsInput: 'input is needed, and there is no terminal to ask on',
  credential: 'credential, permission or transport refused, or the vault is sealed',
  unreachable: 'no daemon responds',
  notFound: 'there is no such thing',
  invalid: 'the daemon refused what was sent',
  conflict: 'conflict of port, lock or version',
  timedOut: 'the time ran out',
  commandNotExecutable: "exec: the command can't be run",
  commandNotFound: 'exec: the command was not found',
};

/** Added to a signal's number. */
export const SIGNAL_EXIT_BASE = 128;

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
