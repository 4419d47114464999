/**
 * Reads the body of an answer, unpacked, and never more of it than the limit: what came over the wire and what each
 * decoder makes of it are counted as they come, so that a small body which unpacks to a huge one is given up early.
 */
import type { IncomingMessage } from 'node:http';
import { Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { contentCodings } from './answer-headers.ts';
import { codeOf } from './failures.ts';
import { OutboundFailure } from './outbound.ts';

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  deflate: () => createInflate(),
  br: () => createBrotliDecompress(),
};
const MOST_CODINGS = 3;
const STATUSES_WITHOUT_BODY: readonly (number | undefined)[] = [204, 304];

/** Throws OutboundFailure `too_large` or `unreachable`; the answer is destroyed then. */
export async function readAnswerBody(
  answer: IncomingMessage,
  { method, maxBytes }: { method: string; maxBytes: number },
): Promise<Buffer> {
  if (method === 'HEAD' || STATUSES_WITHOUT_BODY.includes(answer.statusCode)) {
    answer.resume();
    return Buffer.alloc(0);
  }
  if (Number(answer.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes, '');
  const decoders = decodersFor(contentCodings(answer.headers));
  const chunks: Buffer[] = [];
  let received = 0;
  const collector = new Writable({
    write(chunk: Buffer, _, done) {
      chunks.push(chunk);
      done();
    },
  });
  const counting = counted(maxBytes, '', (bytes) => (received = bytes));
  try {
    await pipeline([
      answer,
      counting,
      ...decoders.flatMap((decoder) => [decoder, counted(maxBytes, ' when it is unpacked')]),
      collector,
    ]);
  } catch (cause) {
    // No bytes are no damaged bytes, whatever they are said to be packed with.
    if (received === 0 && answer.complete && isDecoderError(cause)) return Buffer.alloc(0);
    throw asFailure(cause);
  }
  return Buffer.concat(chunks);
}

function decodersFor(codings: readonly string[]): readonly Transform[] {
  if (codings.length > MOST_CODINGS) {
    throw new OutboundFailure('unreachable', `The answer is packed more than ${MOST_CODINGS} times`);
  }
  return codings.toReversed().map((coding) => {
    const decoder = Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined;
    if (decoder) return decoder();
    throw new OutboundFailure(
      'unreachable',
      'The answer has a content encoding other than gzip, deflate and br',
    );
  });
}

/** Passes everything on, until it is more than `maxBytes`. */
function counted(maxBytes: number, when: string, note: (bytes: number) => void = () => undefined): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length;
      note(bytes);
      if (bytes > maxBytes) done(tooLarge(maxBytes, when));
      else done(null, chunk);
    },
  });
}

function tooLarge(maxBytes: number, when: string): OutboundFailure {
  return new OutboundFailure('too_large', `The answer is larger than ${maxBytes} bytes${when}`);
}

function isDecoderError(error: unknown): boolean {
  return /^(?:Z_|ERR_?_|ERR_BROTLI|ERR_PADDING)/.test(codeOf(error) ?? '');
}

function asFailure(cause: unknown): OutboundFailure {
  if (cause instanceof OutboundFailure) return cause;
  const code = codeOf(cause) ?? '';
  if (code.startsWith('HPE_')) {
    return new OutboundFailure('unreachable', `The answer is no HTTP/1.1 (${code})`, { cause });
  }
  if (code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'EPIPE') {
    return new OutboundFailure('unreachable', 'The answer was cut off', { cause });
  }
  if (isDecoderError(cause)) {
    return new OutboundFailure('unreachable', `The answer's content encoding is damaged (${code})`, {
      cause,
    });
  }
  return new OutboundFailure('unreachable', `The answer can't be read${code && ` (${code})`}`, { cause });
}
