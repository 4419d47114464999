/** The errors of a call to the daemon. None contains a submitted or stored value. */

/** The daemon reported a failure. Code, message and context are those that any caller gets (contract §0.5). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: string;
  readonly status: number;
  readonly context: Readonly<Record<string, string>> | undefined;
  /** `x-request-id` of the response, which finds the call in the journal and the access log. */
  readonly requestId: string | undefined;
  /** The endpoint as the contract names it, such as `GET /users/{fp_id}`; undefined for a raw request. */
  readonly endpoint: string | undefined;

  constructor(failure: {
    code: string;
    message: string;
    status: number;
    context?: Record<string, string> | undefined;
    requestId?: string | undefined;
    endpoint?: string | undefined;
  }) {
    super(failure.message);
    this.code = failure.code;
    this.status = failure.status;
    this.context = failure.context;
    this.requestId = failure.requestId;
    this.endpoint = failure.endpoint;
  }
}

/** The response, or undefined for what is not there (404). Rejects with any other error. */
export async function ifFound<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** No response arrived: nothing listens, the connection broke, or the time ran out. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  readonly code = 'daemon_unreachable';
}

/** No connection was made. */
const NOT_CONNECTED: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
]);

export function unreachable(origin: string, cause?: unknown): UnreachableError {
  const { code } = (cause ?? {}) as NodeJS.ErrnoException;
  const what = NOT_CONNECTED.has(code) ? 'Nothing answers at' : 'No answer from';
  return new UnreachableError(`${what} ${origin} (${code ?? 'connection broken'})`, { cause });
}

/**
 * The server at an address did not prove to be the daemon whose secret we hold, so nothing was sent to it. It is
 * another program or another instance, or the secret is outdated.
 */
export class UnprovenError extends Error {
  override readonly name = 'UnprovenError';
  readonly code = 'identity_unproven';

  /** Whether the server responds as a daemon does, though it doesn't know the secret. */
  readonly isOfDaemon: boolean;

  constructor(authority: string, isOfDaemon: boolean, protocol = 'http:') {
    const address = `${protocol}//${authority}`;
    const what = isOfDaemon
      ? `The server at ${address} does not prove to be the daemon`
      : `What answers at ${address} is no kyclone`;
    super(`${what}; nothing was sent to it`);
    this.isOfDaemon = isOfDaemon;
  }
}

/** The daemon proved its identity with the API key, but its control token has changed. */
export class StaleControlTokenError extends Error {
  override readonly name = 'StaleControlTokenError';
  readonly code = 'control_token_stale';

  constructor(authority: string) {
    super(`The control token is no longer the one of the instance at http://${authority}; nothing was sent`);
  }
}

/** The call needs an API key or a control token, and none is known. */
export class MissingCredentialError extends Error {
  override readonly name = 'MissingCredentialError';
  readonly code = 'credential_missing';
}

/** The request cannot be sent: a header contains a character that HTTP does not allow. Nothing was sent. */
export class UnsendableError extends Error {
  override readonly name = 'UnsendableError';
  readonly code = 'request_unsendable';
}

/** A file that must be private to the user is open to others or owned by someone else. It was not used. */
export class PrivateFileError extends Error {
  override readonly name = 'PrivateFileError';
  readonly code = 'file_refused';
  /** The file that the system refused to read. */
  readonly path: string | undefined;

  constructor(message: string, path?: string) {
    super(message);
    this.path = path;
  }
}

/** A file changed its length after the upload opened it. Nothing of it was stored. */
export class FileChangedError extends Error {
  override readonly name = 'FileChangedError';
  readonly code = 'file_changed';

  constructor() {
    super('The file changed its length while it was being read; nothing was stored');
  }
}
