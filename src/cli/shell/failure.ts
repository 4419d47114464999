/**
 * Turns any error of a command into its report. Shows the daemon's message unchanged. For an unexpected error, shows
 * only its kind, because runtime messages can quote their input.
 */
import { ApiError, PrivateFileError } from '../../client/errors.ts';
import { FixtureError } from '../../client/fixtures/errors.ts';
import { ERRORS, type ErrorCode, type ErrorEntry } from '../../contract/errors.ts';
import { hintOf } from '../../contract/hints.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { NoHomeError } from '../../kernel/files/paths.ts';
import { CHECK, systemFailureOf, type SystemFailure } from '../../kernel/system-failure.ts';
import { EXIT, exitCodeOf, exitCodeOfOwn, exitCodeOfSignal } from './exit-codes.ts';

/** A failure that the CLI itself detects. `message` and `hint` never contain a value from the command line. */
export class CliError extends Error {
  override readonly name: string = 'CliError';
  readonly code: string;
  readonly exitCode: number;
  readonly hint: string | undefined;
  readonly context: Readonly<Record<string, string>> | undefined;
  readonly requestId: string | undefined;
  /** The path that the system refused. */
  readonly path: string | undefined;

  constructor(
    message: string,
    options: Omit<Failure, 'message' | 'exitCode'> & { readonly exitCode?: number; readonly cause?: unknown },
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.exitCode = options.exitCode ?? exitCodeOfOwn(options.code);
    this.hint = options.hint;
    this.context = options.context;
    this.requestId = options.requestId;
    this.path = options.path;
  }
}

export class UsageError extends CliError {
  override readonly name = 'UsageError';

  constructor(message: string, hint?: string) {
    super(message, { code: 'usage', exitCode: EXIT.usage, hint });
  }
}

/** What a flag's `parse` returns: the value, or a rejection with UsageError if the text has none. */
export function parsed<Value>(value: Value | undefined, message: string, hint?: string): Promise<Value> {
  return value === undefined ? Promise.reject(new UsageError(message, hint)) : Promise.resolve(value);
}

/** The members to change. Throws UsageError if there are none; `hint` names the flags that give them. */
export function someChange<Body extends object>(body: Body, hint: string): Body {
  if (Object.values(body).some((member) => member !== undefined)) return body;
  throw new UsageError('There is nothing to change', hint);
}

export class InputNeededError extends CliError {
  override readonly name = 'InputNeededError';

  constructor(message: string, hint?: string) {
    super(message, { code: 'input_needed', exitCode: EXIT.needsInput, hint });
  }
}

/** Ctrl-C at a prompt. */
export function cancelled(): CliError {
  return new CliError('Cancelled; nothing was changed', {
    code: 'cancelled',
    exitCode: exitCodeOfSignal('SIGINT'),
  });
}

export interface Failure {
  readonly message: string;
  readonly code: string;
  readonly context?: Readonly<Record<string, string>> | undefined;
  readonly exitCode: number;
  readonly hint?: string | undefined;
  /** `x-request-id` of the response. */
  readonly requestId?: string | undefined;
  /** The path that the system refused. */
  readonly path?: string | undefined;
}

export function describeFailure(error: unknown): Failure {
  if (error instanceof CliError) {
    const { message, code, context, exitCode, hint, requestId, path } = error;
    return { message, code, context, exitCode, hint, requestId, path };
  }
  if (error instanceof ApiError) return { ...describeCatalogued(error), requestId: error.requestId };
  if (error instanceof ServiceError) return describeCatalogued(error);
  if (error instanceof FixtureError) return describeFixture(error);
  if (error instanceof NoHomeError)
    return { message: error.message, code: 'no_home', exitCode: EXIT.usage, hint: error.remedy };
  if (error instanceof PrivateFileError) return describePrivateFile(error);
  const refused = systemFailureOf(error);
  if (refused !== undefined) return describeRefused(refused);
  if (!(error instanceof Error)) return unexpected('a thrown value that is not an Error');
  if (error.name === 'ExitPromptError') return describeFailure(cancelled());
  const known = BY_NAME.get(error.name);
  return known === undefined ? unexpected(error.name) : { message: error.message, ...known };
}

const ENV_ANEW = 'eval "$(kyclone env --instance NAME)" sets KYCLONE_BASE_URL and its credentials anew';

/** Errors of the client, and of the prompts, by their names. */
const BY_NAME: ReadonlyMap<string, Omit<Failure, 'message'>> = new Map([
  ['UnreachableError', { code: 'daemon_unreachable', exitCode: EXIT.unreachable }],
  ['UnsendableError', { code: 'request_unsendable', exitCode: EXIT.invalid }],
  ['FileChangedError', { code: 'file_changed', exitCode: EXIT.failed }],
  [
    'MissingCredentialError',
    {
      code: 'credential_missing',
      exitCode: EXIT.credential,
      hint: 'set KYCLONE_API_KEY and KYCLONE_CONTROL_TOKEN beside KYCLONE_BASE_URL, or unset all three',
    },
  ],
  [
    'UnprovenError',
    {
      code: 'identity_unproven',
      exitCode: EXIT.credential,
      hint: `it may be another program, or an instance whose data was replaced: ${ENV_ANEW}`,
    },
  ],
  [
    'StaleControlTokenError',
    {
      code: 'control_token_stale',
      exitCode: EXIT.credential,
      hint: `the token is valid as long as the data of an instance: ${ENV_ANEW}`,
    },
  ],
]);

/** Uses the catalogue. A code that it lacks (of a newer daemon) is classified by its status. */
function describeCatalogued(error: ApiError | ServiceError): Failure {
  const entry: ErrorEntry | undefined = Object.hasOwn(ERRORS, error.code)
    ? ERRORS[error.code as ErrorCode]
    : undefined;
  const status = error instanceof ApiError ? error.status : (entry?.status ?? 500);
  return {
    message: error.message,
    code: error.code,
    context: error.context,
    exitCode: exitCodeOf({ code: error.code, category: entry?.category, status }),
    hint: hintOf(error.code, error instanceof ApiError ? error.endpoint : undefined, error.message),
  };
}

function describeFixture({ message, code, details }: FixtureError): Failure {
  const exitCodes = {
    fixture_invalid: EXIT.invalid,
    fixture_variable: EXIT.needsInput,
    fixture_unreadable: EXIT.usage,
    fixture_failed: EXIT.failed,
  };
  return {
    message,
    code,
    context: details.apiContext,
    exitCode: exitCodes[code],
    hint: code === 'fixture_variable' ? 'set it with --set NAME=VALUE' : undefined,
    requestId: details.requestId,
  };
}

function describePrivateFile({ message, path }: PrivateFileError): Failure {
  const refused = path === undefined ? {} : { path, hint: CHECK };
  return { message, code: 'file_refused', exitCode: EXIT.credential, ...refused };
}

/** The system's error about a file, with `path` if the system names none. */
export function refusedFile(error: unknown, path: string): unknown {
  const refused = systemFailureOf(error, path);
  return refused === undefined ? error : new CliError(refused.message, describeRefused(refused));
}

function describeRefused({ message, remedy: hint, path }: SystemFailure): Failure {
  return { message, code: 'system_refused', exitCode: EXIT.failed, hint, path };
}

function unexpected(what: string): Failure {
  return {
    message: `Unexpected failure: ${what}`,
    code: 'internal_error',
    exitCode: EXIT.failed,
    hint: 'KYCLONE_DEBUG=1 shows where',
  };
}
