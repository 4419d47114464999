/** Turns the result of a handler into the response that is sent, and into what the journal keeps of it. */
import { isUint8Array } from 'node:util/types';
import { once } from 'node:events';
import type { Endpoint } from '../contract/endpoint.ts';
import type { Answer } from '../contract/handler.ts';
import { type Held, SHARE_BYTES } from '../kernel/numbers/byte-budget.ts';
import { ServiceError } from '../kernel/errors.ts';
import { jsonText } from '../kernel/text/json.ts';
import type { Recorder } from '../nouns/recording/service.ts';
import { challenge } from './authorization.ts';
import { type Call, isClosed, onceClosed } from './call.ts';
import { asServiceError, errorAnswer } from './errors.ts';
import { shownAnswer, isPartOfSession } from './request-log.ts';
import { endAfterTheRest } from './rest-of-body.ts';
import { KIB } from '../kernel/numbers/units.ts';
import { StreamedText } from '../kernel/text/streamed-text.ts';

// Sends responses: JSON, text, bytes, or a streamed file. HEAD gets the same head as GET, without the body.

const JSON_TYPE = 'application/json; charset=utf-8';

/** Sends only a head. */
export function sendEmpty(call: Call, status: number): void {
  const { answerHeaders } = call;
  if (status !== NO_CONTENT && call.method !== 'HEAD') answerHeaders['content-length'] = 0;
  writeHead(call, status);
  call.response.end();
}

const NO_CONTENT = 204;

/** Sends a whole response. With `ends: false` the caller ends it later. */
function sendText(
  call: Call,
  status: number,
  { contentType, text, ends = true }: { contentType: string; text: string; ends?: boolean },
): void {
  const { answerHeaders, response } = call;
  answerHeaders['content-type'] = contentType;
  answerHeaders['content-length'] = Buffer.byteLength(text);
  writeHead(call, status);
  if (!ends) response.write(text);
  else if (call.method === 'HEAD') response.end();
  else response.end(text);
}

/** Sends JSON in pieces as the socket accepts them, since a single write would copy all bytes at once. */
async function sendJsonPieces(
  call: Call,
  status: number,
  { length, pieces }: { length: number; pieces: Parameters<typeof sendPieces>[2] },
): Promise<void> {
  call.answerHeaders['content-type'] = JSON_TYPE;
  call.answerHeaders['content-length'] = length;
  await sendPieces(call, status, pieces);
}

/** Sends a response that is not JSON. A file is cut off when its bytes turn out to be damaged. */
async function sendContent(
  call: Call,
  status: number,
  { produces, answer }: { produces: string; answer: Answer<unknown> },
): Promise<void> {
  const { body, headers } = answer;
  if (typeof body === 'string') {
    sendText(call, status, { contentType: produces, text: body });
    return;
  }
  if (isUint8Array(body)) {
    await sendBytes(call, status, { body, contentType: contentTypeOf(headers) });
    return;
  }
  const contentType = contentTypeOf(headers) ?? produces;
  call.answerHeaders['content-type'] = contentType;
  const length = headers?.['content-length'];
  const download = { contentType, bytes: Number(length ?? 0) };
  call.download = download;
  const file = body as AsyncIterable<Uint8Array>;
  if (call.method === 'HEAD') {
    // Closes the file before the response is sent.
    await file[Symbol.asyncIterator]().return?.();
    sendEmpty(call, status);
    return;
  }
  await sendPieces(call, status, length === undefined ? counted(file, download) : file);
}

/** Counts the bytes of a stream of unknown length, so that the journal can record how many were sent. */
async function* counted(
  content: AsyncIterable<Uint8Array>,
  download: { bytes: number },
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of content) {
    download.bytes += chunk.length;
    yield chunk;
  }
}

/** Sends bytes with exactly the content type of the response's own header, or without one. */
async function sendBytes(
  call: Call,
  status: number,
  { body, contentType }: { body: Uint8Array; contentType: string | undefined },
): Promise<void> {
  call.download = { contentType: contentType ?? 'application/octet-stream', bytes: body.length };
  if (body.length === 0) {
    sendEmpty(call, status);
    return;
  }
  call.answerHeaders['content-length'] = body.length;
  await sendPieces(call, status, cut(Buffer.from(body.buffer, body.byteOffset, body.length)));
}

function contentTypeOf(headers: Answer<unknown>['headers']): string | undefined {
  const value = headers?.['content-type'];
  return typeof value === 'string' ? value : value?.[0];
}

const PIECE_BYTES = 64 * KIB;

function* cut(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES)
    yield bytes.subarray(start, start + PIECE_BYTES);
}

/**
 * Sends what `content` yields at the speed of the client. The head is sent with the first piece, so a failure before it
 * is thrown and can still become an error response. A later failure aborts the response.
 */
async function sendPieces(
  call: Call,
  status: number,
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  const { response } = call;
  const pieces =
    Symbol.asyncIterator in content ? content[Symbol.asyncIterator]() : content[Symbol.iterator]();
  // Ends a source that waits for its next piece as soon as the client is gone.
  const leave = () => void Promise.resolve(pieces.return?.()).catch(() => undefined);
  if (call.method === 'HEAD') {
    leave();
    sendEmpty(call, status);
    return;
  }
  const forget = onceClosed(call, leave);
  try {
    let piece = await pieces.next();
    if (isClosed(call)) return;
    writeHead(call, status);
    for (; piece.done !== true; piece = await pieces.next()) {
      if (call.session?.ended.aborted === true) {
        // Nobody may have the rest any longer.
        leave();
        response.destroy();
        return;
      }
      if (!response.write(piece.value) && !isClosed(call)) await taken(call);
      if (isClosed(call)) return;
    }
    response.end();
  } catch (error) {
    leave();
    if (!response.headersSent && !isClosed(call)) throw error;
    response.destroy();
  } finally {
    forget();
  }
}

/** Settles when the client has taken what was written, or has disconnected. */
async function taken(call: Call): Promise<void> {
  const over = new AbortController();
  const forget = onceClosed(call, () => over.abort());
  await once(call.response, 'drain', { signal: over.signal }).catch(() => undefined);
  forget();
}

function writeHead({ response, answerHeaders }: Call, status: number): void {
  response.writeHead(status, answerHeaders as Record<string, string | string[] | number>);
}

// JSON objects in which some texts are produced while they are sent.

function holdsStreams(body: unknown): body is object {
  if (typeof body !== 'object' || body === null) return false;
  for (const name in body)
    if ((body as Readonly<Record<string, unknown>>)[name] instanceof StreamedText) return true;
  return false;
}

/** For the journal, which shows only that a text is present. */
function withEmptyTexts(body: object): object {
  const entries = Object.entries(body).map(([name, value]: [string, unknown]) => [
    name,
    value instanceof StreamedText ? '' : value,
  ]);
  return Object.fromEntries(entries) as object;
}

async function withoutStreams(body: object): Promise<object> {
  const whole: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    whole[name] = value instanceof StreamedText ? await value.whole() : value;
  }
  return whole;
}

/** Bytes. */
function lengthOfJson(body: object): number {
  let length = 0;
  for (const part of partsOf(body))
    length += typeof part === 'string' ? Buffer.byteLength(part) : part.byteLength;
  return length;
}

async function* piecesOfJson(body: object): AsyncGenerator<Buffer> {
  for (const part of partsOf(body)) {
    if (typeof part === 'string') yield Buffer.from(part);
    else yield* part.pieces();
  }
}

function* partsOf(body: object): Generator<string | StreamedText> {
  let before = '{';
  for (const [name, value] of Object.entries(body)) {
    const start = `${before}${JSON.stringify(name)}:`;
    before = ',';
    if (value instanceof StreamedText) {
      yield `${start}"`;
      yield value;
      yield '"';
    } else yield start + jsonText(value);
  }
  yield '}';
}

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
  { produces, carriesVaultData, stability }: Endpoint,
  answering: Answering & { readonly answer: Answer<unknown> },
): Promise<void> | void {
  const { answer } = answering;
  const { status = 200, headers, body } = answer;
  if (headers) Object.assign(call.answerHeaders, headers);
  // There is another endpoint for it (contract §2.19, §2.25).
  if (stability === 'deprecated') call.answerHeaders['deprecation'] = 'true';
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
  // Its texts are produced while they are sent.
  await sendJsonPieces(call, status, { length: lengthOfJson(body), pieces: piecesOfJson(body) });
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
  const bytes = Buffer.from(text);
  return sendJsonPieces(call, status, { length: bytes.length, pieces: cut(bytes) });
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
  const ends = !closesTooEarly(call);
  sendText(call, status, { contentType: JSON_TYPE, text: jsonText(body), ends });
  if (!ends) endAfterTheRest(call, restMs);
}

/**
 * Whether the connection closes after this response and the client still sends its body. Node would close at once, and
 * the system discards an answer that the client has not read when more bytes arrive (RFC 9112 §9.6).
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
