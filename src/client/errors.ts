/** What a call to the daemon can end in, besides an answer. None of them holds a submitted or stored value. */

/** The daemon answered with a failure: the same code, message and context it would give any caller (contract §0.5). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: string;
  readonly status: number;
  readonly context: Readonly<Record<string, string>> | undefined;
  /** `x-request-id` of the answer: finds the call in the journal and the access log. */
  readonly requestId: string | undefined;
  /** The endpoint as the contract names it: `GET /users/{fp_id}`; undefined for a request by hand. */
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

/** No answer came: nothing listens, the connection broke, or the time was up. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  readonly code = 'daemon_unreachable';
}

/**
 * What answers at an address has not proven to be the daemon whose secret we hold, so nothing was sent to it. It is
 * another program, another instance, or the secret is no longer that of the instance.
 */
export class UnprovenError extends Error {
  override readonly name = 'UnprovenError';
  readonly code = 'identity_unproven';

  constructor(authority: string) {
    super(`What answers at http://${authority} does not prove to be the daemon; nothing was sent to it`);
  }
}

/** The daemon has proven by the API key to be the one that is meant, and has another control token by now. */
export class StaleControlTokenError extends Error {
  override readonly name = 'StaleControlTokenError';
  readonly code = 'control_token_stale';

  constructor(authority: string) {
    super(
      `The control token is not the one of the instance at http://${authority} any more; nothing was sent`,
    );
  }
}

/** The call needs an API key or a control token, and none is known. */
export class MissingCredentialError extends Error {
  override readonly name = 'MissingCredentialError';
  readonly code = 'credential_missing';
}

/** The request can't be put on the wire: a header holds what no HTTP header can. Nothing was sent. */
export class UnsendableError extends Error {
  override readonly name = 'UnsendableError';
  readonly code = 'request_unsendable';
}

/** A file that must belong to the user alone is open to others or owned by someone else; it was not used. */
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

/** A file that was being sent is no longer as long as it was when it was opened; nothing was stored of it. */
export class FileChangedError extends Error {
  override readonly name = 'FileChangedError';
  readonly code = 'file_changed';

  constructor() {
    super('The file changed its length while it was read; nothing was stored');
  }
}
