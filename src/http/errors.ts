import { errorEntry } from '../contract/errors.ts';
import type { ErrorBody } from '../contract/shapes.ts';
import { ServiceError } from '../kernel/errors.ts';

/** Failures of the HTTP library by the status it gives them. */
const BY_STATUS: Record<number, { code: string; message: string }> = {
  400: { code: 'invalid_request', message: 'The request cannot be read' },
  413: { code: 'payload_too_large', message: 'The body is over its limit' },
  415: { code: 'unsupported_media_type', message: 'The content type is not accepted' },
};

/** Any failure as what the service says of it; a bug becomes `internal_error` and tells nothing. */
export function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const status = (error as { statusCode?: number } | undefined)?.statusCode ?? 500;
  const known = BY_STATUS[status];
  if (known) return new ServiceError(known.code, known.message, { cause: error });
  return new ServiceError(
    'internal_error',
    'Something went wrong inside; the request id finds it in the log',
    {
      cause: error,
    },
  );
}

/** Status and body of a failure (contract §0.5). A code outside the catalogue is a bug, too. */
export function errorAnswer(error: ServiceError): { status: number; body: ErrorBody } {
  return {
    status: error.status ?? errorEntry(error.code).status,
    body: { message: error.message, code: error.code, ...(error.context && { context: error.context }) },
  };
}
