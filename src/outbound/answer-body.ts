/**
 * Reads and decodes the body of a response, up to a limit. The limit applies to the bytes on the wire and to the output
 * of each decoder, so that decompression bombs are aborted early.
 */
import type { IncomingMessage } from 'node:http';
import { pipeline, Transform, type Readable } from 'node:stream';
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
/** Error codes of zlib and Brotli. */
const DECODER_ERROR = /^(?:Z_|ERR_(?:_ERROR|BROTLI|PADDING))/;

/** Throws OutboundFailure `too_large` or `unreachable`, and then destroys the response. */
export async function readAnswerBody(
  answer: IncomingMessage,
  { method, maxBytes }: { method: string; maxBytes: number },
): Promise<Buffer> {
  if (method === 'HEAD' || STATUSES_WITHOUT_BODY.includes(answer.statusCode)) {
    answer.resume();
    return Buffer.alloc(0);
  }
  if (Number(answer.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes, '');
  const received = new ByteCount(maxBytes, '');
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of unpacked(answer, received)) chunks.push(chunk as Buffer);
  } catch (cause) {
    // An empty body is not damaged, whatever content coding it claims.
    if (received.bytes === 0 && answer.complete && DECODER_ERROR.test(codeOf(cause) ?? ''))
      return Buffer.alloc(0);
    throw asFailure(cause);
  }
  return Buffer.concat(chunks);
}

/** Throws for a coding that can't be decoded; the stream fails when it exceeds the limit or is damaged. */
function unpacked(answer: IncomingMessage, received: ByteCount): Readable {
  const decoders = decodersFor(contentCodings(answer.headers));
  const counts = decoders.map(() => new ByteCount(received.most, ' when it is unpacked'));
  const stages = [received, ...decoders.flatMap((decoder, index) => [decoder, counts[index] ?? received])];
  // The last stage reports a failure of any stage to its reader.
  pipeline([answer, ...stages], () => undefined);
  return stages.at(-1) ?? received;
}

/** Passes bytes on, and fails once they exceed the limit. */
class ByteCount extends Transform {
  bytes = 0;
  readonly most: number;
  readonly #when: string;

  constructor(most: number, when: string) {
    super();
    this.most = most;
    this.#when = when;
  }

  override _transform(
    chunk: Buffer,
    _: BufferEncoding,
    done: (error: Error | null, chunk?: Buffer) => void,
  ): void {
    this.bytes += chunk.length;
    if (this.bytes > this.most) done(tooLarge(this.most, this.#when));
    else done(null, chunk);
  }
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

function tooLarge(maxBytes: number, when: string): OutboundFailure {
  return new OutboundFailure('too_large', `The answer is larger than ${maxBytes} bytes${when}`);
}

function asFailure(cause: unknown): OutboundFailure {
  if (cause instanceof OutboundFailure) return cause;
  const code = codeOf(cause) ?? '';
  if (code.startsWith('HPE_')) {
    // Without the cause, which holds bytes of the response.
    return new OutboundFailure('unreachable', `The answer is no HTTP/1.1 (${code})`);
  }
  if (code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'EPIPE') {
    return new OutboundFailure('unreachable', 'The answer was cut off', { cause });
  }
  if (DECODER_ERROR.test(code)) {
    return new OutboundFailure('unreachable', `The answer's content encoding is damaged (${code})`, {
      cause,
    });
  }
  return new OutboundFailure('unreachable', `The answer can't be read${code && ` (${code})`}`, { cause });
}
