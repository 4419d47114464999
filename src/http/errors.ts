import { errorEntry } from '../contract/errors.ts';
import type { ErrorBody } from '../contract/shapes.ts';
import { ServiceError, storageFull } from '../kernel/errors.ts';
import { systemFailureOf } from '../kernel/system-failure.ts';
import { defined } from '../kernel/defined.ts';

/** Errors of libraries that carry a status of their own. */
const BY_STATUS: Record<number, { code: string; message: string }> = {
  400: { code: 'invalid_request', message: 'The request cannot be read' },
  413: { code: 'payload_too_large', message: 'The body is over its limit' },
  415: { code: 'unsupported_media_type', message: 'The content type is not accepted' },
};

const DISK_FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'SQLITE_FULL']);
const DISK_REFUSES = /^SQLITE_(?:IOERR|CANTOPEN|READONLY)(?:_|$)/;
const REFUSED_FILES: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'EIO', 'ENOTDIR', 'EMFILE']);

/** Converts any failure to the service's error; a bug becomes `internal_error` and reveals nothing. */
export function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const refused = refusedByDisk(error);
  if (refused) return refused;
  const status = (error as { statusCode?: number } | undefined)?.statusCode ?? 500;
  const known = BY_STATUS[status];
  if (known) return new ServiceError(known.code, known.message, { cause: error });
  return new ServiceError(
    'internal_error',
    'Something went wrong inside; the request id finds it in the log',
    { cause: error },
  );
}

/** An error of the disk or its permissions is not a bug: the message names the path and the remedy. */
function refusedByDisk(error: unknown): ServiceError | undefined {
  const { code = '', name } = (error ?? {}) as { code?: unknown; name?: unknown };
  if (typeof code !== 'string') return undefined;
  if (DISK_FULL.has(code)) return storageFull(error);
  if (name === 'SqliteError' && DISK_REFUSES.test(code)) {
    const message = `A file of this instance cannot be read or written (${code}): check its disk and who may use its folder`;
    return new ServiceError('storage_failed', message, { cause: error });
  }
  const failure = REFUSED_FILES.has(code) ? systemFailureOf(error) : undefined;
  return (
    failure && new ServiceError('storage_failed', `${failure.message}; ${failure.remedy}`, { cause: error })
  );
}

/** Status and body of a failure (contract §0.5). A code outside the catalogue is a bug. */
export function errorAnswer(error: ServiceError): { status: number; body: ErrorBody } {
  return {
    status: error.status ?? errorEntry(error.code).status,
    body: { message: error.message, code: error.code, ...defined({ context: error.context }) },
  };
}

/**
 * Bodies are never unpacked (contract §0.8). A gateway or client that compresses on its own gets this error, whatever the
 * endpoint does with the body. Throws `unsupported_media_type`.
 */
export function requireNoEncoding(encoding: string | undefined): void {
  const codings = encoding?.split(',').map((coding) => coding.trim().toLowerCase()) ?? [];
  if (codings.every((coding) => coding === '' || coding === 'identity')) return;
  throw new ServiceError('unsupported_media_type', 'The body must be sent without a content encoding');
}

/** The response closes the connection, since the rest of the body could arrive at any later time. */
export function tooSlow(): ServiceError {
  return new ServiceError('request_timeout', 'The body did not come in time', {
    headers: { connection: 'close' },
  });
}
