/** Sends responses: JSON, text, bytes, or a streamed file. HEAD gets the same head as GET, without the body. */
import { once } from 'node:events';
import type { Answer } from '../contract/handler.ts';
import { jsonText } from '../kernel/exact-number.ts';
import { KIB } from '../kernel/units.ts';
import type { Call } from './call.ts';
import { isClosed, onceClosed } from './client-gone.ts';
import { lengthOfJson, piecesOfJson } from './streamed-json.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Sends only a head. */
export function sendEmpty(call: Call, status: number): void {
  const { answerHeaders } = call;
  if (status !== NO_CONTENT && call.method !== 'HEAD') answerHeaders['content-length'] = 0;
  writeHead(call, status);
  call.response.end();
}

const NO_CONTENT = 204;

/** Sends a whole response. With `ends: false` the caller ends it later. */
export function sendText(
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

export function sendJson(call: Call, status: number, body: unknown): void {
  sendText(call, status, { contentType: JSON_TYPE, text: jsonText(body) });
}

/** Sends an object whose texts are produced while they are sent. */
export async function sendStreamedJson(call: Call, status: number, body: object): Promise<void> {
  call.answerHeaders['content-type'] = JSON_TYPE;
  call.answerHeaders['content-length'] = lengthOfJson(body);
  await sendPieces(call, status, piecesOfJson(body));
}

/** Sends JSON in pieces as the socket accepts them, since a single write would copy all bytes at once. */
export async function sendJsonBytes(call: Call, status: number, bytes: Buffer): Promise<void> {
  call.answerHeaders['content-type'] = JSON_TYPE;
  call.answerHeaders['content-length'] = bytes.length;
  await sendPieces(call, status, cut(bytes));
}

/** Sends a response that is not JSON. A file is cut off when its bytes turn out to be damaged. */
export async function sendContent(
  call: Call,
  status: number,
  { produces, answer }: { produces: string; answer: Answer<unknown> },
): Promise<void> {
  const { body, headers } = answer;
  if (typeof body === 'string') {
    sendText(call, status, { contentType: produces, text: body });
    return;
  }
  if (body instanceof Uint8Array) {
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
