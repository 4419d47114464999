interface Options {
  readonly context?: Record<string, string>;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly status?: number;
  readonly meant?: string | undefined;
  readonly cause?: unknown;
}

/**
 * The one error class of the service. Anything else that is thrown is a bug and becomes 500 `internal_error`.
 *
 * `message` and `context` name identifiers, members and headers; they never hold a stored or submitted value.
 * `code` is a key of the catalogue in `contract/errors.ts`, which gives status, category and hint (contract §0.5, §12).
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: string;
  readonly context: Readonly<Record<string, string>> | undefined;
  /** Headers of the response, in addition to those that every response has. */
  readonly headers: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** The status of the response when a fault rule overrides the catalogue's. */
  readonly status: number | undefined;
  /** A suggestion, made of our own words only; `message` ends with it. */
  readonly meant: string | undefined;

  constructor(code: string, message: string, options: Options = {}) {
    super(
      options.meant === undefined ? message : `${message}; did you mean ${options.meant}?`,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.code = code;
    this.context = options.context;
    this.headers = options.headers;
    this.status = options.status;
    this.meant = options.meant;
  }
}

/** A request that is wrong in itself. */
export function invalid(message: string, options?: Options): ServiceError {
  return new ServiceError('invalid_request', message, options);
}

export function conflict(message: string, options?: Options): ServiceError {
  return new ServiceError('conflict', message, options);
}

/** The disk, the user's quota or the limit on file sizes (`ulimit -f`) is reached (contract §0.10). */
export function storageFull(cause?: unknown): ServiceError {
  const message =
    'No space is left on the disk, or a file is as large as it may be (ulimit -f); nothing was stored';
  return new ServiceError('storage_full', message, { cause });
}
