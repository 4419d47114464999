/** Sends the response to a failed request (contract §0.5). No request can stop the daemon. */
import { ServiceError } from '../kernel/errors.ts';
import { challenge } from './authorization.ts';
import type { Call } from './call.ts';
import { asServiceError, errorAnswer } from './errors.ts';
import { endAfterTheRest } from './rest-of-body.ts';
import { JSON_TYPE, sendJson, sendText } from './sending.ts';

interface Refusal {
  /** Whether the store was removed; failures from then on are attributed to that. */
  readonly isRetired: boolean;
  /** Called with the status before anything is sent. */
  readonly decided: (status: number) => void;
  /** Milliseconds that a client may take to send the rest of a refused body before its connection is closed. */
  readonly restMs: number;
}

/** Sends the failure, or aborts a response that is in progress. Never throws. */
export function refuse(call: Call, error: unknown, refusal: Refusal): void {
  const { response } = call;
  try {
    if (response.headersSent) response.destroy();
    else answerFailure(call, error, refusal);
  } catch {
    response.destroy();
  }
}

function answerFailure(call: Call, error: unknown, { isRetired, decided, restMs }: Refusal): void {
  const failure = asServiceError(error);
  const known = isRetired ? afterRetirement(failure) : failure;
  const { status, body } = errorAnswer(known);
  const { answerHeaders, endpoint, headers, request } = call;
  call.code = known.code;
  call.responseBody = body;
  call.failure = known;
  if (status === 401) answerHeaders['www-authenticate'] = challenge(endpoint, headers);
  // Discards the rest of a refused upload, so that the connection can continue.
  if (endpoint?.takesFile) request.resume();
  // The response was prepared as a file and ends as a failure.
  delete answerHeaders['content-length'];
  delete answerHeaders['content-disposition'];
  Object.assign(answerHeaders, known.headers);
  decided(status);
  if (closesTooEarly(call)) {
    sendText(call, status, { contentType: JSON_TYPE, text: JSON.stringify(body), ends: false });
    endAfterTheRest(call, restMs);
  } else sendJson(call, status, body);
}

/**
 * Whether the connection closes after this response and the client still sends its body. Node would close at once, and the
 * system discards an answer that the client has not read when more bytes arrive (RFC 9112 §9.6).
 */
function closesTooEarly({ request, response, method, answerHeaders }: Call): boolean {
  return (
    !response.shouldKeepAlive &&
    !request.complete &&
    method !== 'HEAD' &&
    answerHeaders['connection'] === undefined &&
    (request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length']) > 0)
  );
}

function afterRetirement(error: ServiceError): ServiceError {
  if (error.code !== 'internal_error') return error;
  return new ServiceError('not_ready', 'The state was replaced by a snapshot meanwhile: try again', {
    cause: error,
  });
}
