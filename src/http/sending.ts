/** How an answer leaves: JSON, text, or a file that streams. HEAD is told all that GET is, without the body. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Answer } from '../contract/handler.ts';
import { KIB } from '../kernel/units.ts';
import type { Exchange } from './recording.ts';
import { lengthOfJson, piecesOfJson } from './streamed-json.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

export function sendJson(reply: FastifyReply, body: unknown): FastifyReply {
  return sendText(reply, JSON_TYPE, JSON.stringify(body));
}

/** An object whose texts are made while they are sent. */
export function sendStreamedJson(reply: FastifyReply, body: object): FastifyReply {
  reply.type(JSON_TYPE).header('content-length', lengthOfJson(body));
  return reply.send(Readable.from(piecesOfJson(body), { objectMode: false }));
}

/** Bytes that are given to the socket as it takes them: it would make a copy of all at once. */
export function sendPieces(reply: FastifyReply, contentType: string, bytes: Buffer): FastifyReply {
  reply.type(contentType).header('content-length', bytes.length);
  if (reply.request.method === 'HEAD') return reply.send();
  return reply.send(Readable.from(cut(bytes), { objectMode: false }));
}

const PIECE_BYTES = 64 * KIB;

function* cut(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES)
    yield bytes.subarray(start, start + PIECE_BYTES);
}

/** An answer that is no JSON. A file is cut off when its bytes turn out to be damaged on the way. */
export async function sendContent(
  reply: FastifyReply,
  produces: string,
  { answer, exchange }: { answer: Answer<unknown>; exchange: Exchange },
): Promise<FastifyReply> {
  const { body, headers } = answer;
  if (typeof body === 'string') return sendText(reply, produces, body);
  if (body instanceof Uint8Array) return sendBytes(reply, body, { headers, exchange });
  const contentType = contentTypeOf(headers) ?? produces;
  reply.header('content-type', contentType);
  const length = headers?.['content-length'];
  const download = { contentType, bytes: Number(length ?? 0) };
  exchange.download = download;
  const file = body as AsyncIterable<Uint8Array>;
  const content = length === undefined ? counted(file, download) : file;
  if (reply.request.method !== 'HEAD') return reply.send(Readable.from(content, { objectMode: false }));
  await file[Symbol.asyncIterator]().return?.();
  return reply.send();
}

/** What has no length of its own, and perhaps no end: the journal tells how much was sent. */
async function* counted(
  content: AsyncIterable<Uint8Array>,
  download: { bytes: number },
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of content) {
    download.bytes += chunk.length;
    yield chunk;
  }
}

/**
 * Bytes under exactly the type that the answer's own header names, or under none. As a stream: the HTTP library would
 * name a type for bytes, and put its own in the place of one that it doesn't know.
 */
function sendBytes(
  reply: FastifyReply,
  body: Uint8Array,
  { headers, exchange }: { headers: Answer<unknown>['headers']; exchange: Exchange },
): FastifyReply {
  const contentType = contentTypeOf(headers) ?? 'application/octet-stream';
  exchange.download = { contentType, bytes: body.length };
  if (body.length === 0) return reply.send();
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  return reply.header('content-length', body.length).send(Readable.from(cut(bytes), { objectMode: false }));
}

function contentTypeOf(headers: Answer<unknown>['headers']): string | undefined {
  const value = headers?.['content-type'];
  return typeof value === 'string' ? value : value?.[0];
}

export function sendText(reply: FastifyReply, contentType: string, text: string): FastifyReply {
  reply.type(contentType);
  if (reply.request.method !== 'HEAD') return reply.send(text);
  return reply.header('content-length', Buffer.byteLength(text)).send();
}
