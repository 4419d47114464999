/** Turns the result of a handler into the response that is sent, and into what the journal keeps of it. */
import type { Endpoint } from '../contract/endpoint.ts';
import type { Answer } from '../contract/handler.ts';
import { SHARE_BYTES, type Held } from '../kernel/byte-budget.ts';
import { ServiceError } from '../kernel/errors.ts';
import { jsonText } from '../kernel/exact-number.ts';
import type { Recorder } from '../resources/recording/index.ts';
import { challenge } from './authorization.ts';
import type { Call } from './call.ts';
import { asServiceError, errorAnswer } from './errors.ts';
import { shownAnswer } from './journal-entry.ts';
import { isPartOfSession } from './recorded-call.ts';
import { endAfterTheRest } from './rest-of-body.ts';
import { JSON_TYPE, sendContent, sendJsonBytes, sendStreamedJson, sendText, sendJson } from './sending.ts';
import { holdsStreams, withEmptyTexts, withoutStreams } from './streamed-json.ts';

export interface Answering {
  readonly recorder: Recorder;
  /** The call's memory account, opened at the first use. */
  held(): Held;
  /** Called once the status of the response is decided. */
  decided(status: number): void;
}

/** A promise where the answer leaves piece by piece, as the client takes it. */
export function sendAnswer(
  call: Call,
  { produces, carriesVaultData }: Endpoint,
  answering: Answering & { readonly answer: Answer<unknown> },
): Promise<void> | void {
  const { answer } = answering;
  const { status = 200, headers, body } = answer;
  if (headers) Object.assign(call.answerHeaders, headers);
  if (produces !== undefined) {
    const sent = sendContent(call, status, { produces, answer });
    answering.decided(status);
    return sent;
  }
  if (carriesVaultData && holdsStreams(body)) return sendStreams(call, status, { body, answering });
  call.responseBody = body;
  answering.decided(status);
  return sendHeldJson(call, status, { body, answering });
}

async function sendStreams(
  call: Call,
  status: number,
  { body, answering }: { body: object; answering: Answering },
): Promise<void> {
  const isRecorded = answering.recorder.isRecording && isPartOfSession(call);
  call.responseBody = isRecorded ? await withoutStreams(body) : withEmptyTexts(body);
  answering.decided(status);
  await sendStreamedJson(call, status, body);
}

/**
 * Sends a large body piece by piece from its bytes, and releases the objects it was made of. A page of a list is
 * complete in memory before it is counted; it is small by its limits: 100 rows, at most 30 KB each in the journal.
 * Values of a vault are counted as they are opened.
 */
function sendHeldJson(
  call: Call,
  status: number,
  { body, answering }: { body: unknown; answering: Answering },
): Promise<void> | undefined {
  const text = jsonText(body);
  if (text.length <= SHARE_BYTES) {
    sendText(call, status, { contentType: JSON_TYPE, text });
    return undefined;
  }
  const held = answering.held();
  if (!answering.recorder.isRecording) {
    call.shownResponse = shownAnswer(call);
    call.responseBody = undefined;
    held.free();
  }
  held.take(text.length);
  return sendJsonBytes(call, status, Buffer.from(text));
}

// Sends the response to a failed request (contract §0.5). No request can stop the daemon.

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
