/**
 * Reads and decodes the body of a response, up to a limit. The limit applies to the bytes on the wire and to the output
 * of each decoder, so that decompression bombs are aborted early.
 *
 * The target has acted, so what common clients read is passed on (contract §3.3, Response): deflate without its zlib
 * wrapper, a plain body that claims to be packed, and a coding that nobody knows, whose bytes stay as they are.
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Duplex, PassThrough, pipeline, Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import type { Socket } from 'node:net';
import { codeOf } from './failures.ts';
import { OutboundFailure, type TargetAnswer } from './outbound.ts';

type Decoders = Readonly<Record<string, () => Transform>>;

const DECODERS: Decoders = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  deflate: () => createInflate(),
  br: () => createBrotliDecompress(),
};
/** Old servers send deflate without the wrapper of RFC 9110 §8.4.1.2. */
const RAW_DECODERS: Decoders = { ...DECODERS, deflate: () => createInflateRaw() };
const MOST_CODINGS = 3;
const STATUSES_WITHOUT_BODY: readonly (number | undefined)[] = [204, 304];
/** Error codes of zlib and Brotli. */
const DECODER_ERROR = /^(?:Z_|ERR_(?:_ERROR|BROTLI|PADDING))/;

export interface AnswerBody {
  readonly bytes: Buffer;
  /** The codings that are still on it, as the target names them. */
  readonly codings: readonly string[];
  /** What a developer should know about it; without a text of the target. */
  readonly remarks: readonly string[];
}

/** Throws OutboundFailure `too_large` or `unreachable`, and then destroys the response. */
export async function readAnswerBody(
  answer: IncomingMessage,
  { method, maxBytes }: { method: string; maxBytes: number },
): Promise<AnswerBody> {
  if (method === 'HEAD' || STATUSES_WITHOUT_BODY.includes(answer.statusCode)) {
    answer.resume();
    return { bytes: Buffer.alloc(0), codings: [], remarks: [] };
  }
  if (Number(answer.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes, '');
  const codings = commaList(answer.headers['content-encoding']).filter((coding) => coding !== 'identity');
  const known = codings.filter((coding) => Object.hasOwn(DECODERS, coding));
  const unknown = codings.filter((coding) => !Object.hasOwn(DECODERS, coding));
  if (known.length > MOST_CODINGS) {
    throw new OutboundFailure('unreachable', `The answer is packed more than ${MOST_CODINGS} times`);
  }
  const remarks = unknown.length > 0 ? [UNKNOWN_CODING] : [];
  if (known.length === 0) return { bytes: await receive(answer, maxBytes), codings: unknown, remarks };
  const input = new PassThrough();
  const unpacked = unpack(input, decodersFor(known, DECODERS), maxBytes);
  // A bomb is given up before it has come whole.
  unpacked.catch((error: unknown) => error instanceof OutboundFailure && answer.destroy(error));
  const received = await receive(answer, maxBytes, input);
  if (received.length === 0) return { bytes: received, codings: [], remarks: [] };
  try {
    return { bytes: await unpacked, codings: unknown, remarks };
  } catch (error) {
    if (!DECODER_ERROR.test(codeOf(error) ?? '')) throw asFailure(error);
    if (isPlain(received, known))
      return { bytes: received, codings: unknown, remarks: [...remarks, NOT_PACKED] };
    if (!known.includes('deflate')) throw asFailure(error);
    const again = unpack(Readable.from([received]), decodersFor(known, RAW_DECODERS), maxBytes);
    return {
      bytes: await again.catch((cause: unknown) => Promise.reject(asFailure(cause))),
      codings: unknown,
      remarks,
    };
  }
}

const UNKNOWN_CODING =
  "The target's answer has a content encoding other than gzip, deflate and br: the body is passed on as it came";
const NOT_PACKED =
  "The target's answer names a content encoding, but its body is plain: it is passed on as it came";

/** The bytes on the wire, also written to `input`. */
async function receive(answer: IncomingMessage, maxBytes: number, input?: PassThrough): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer) {
      bytes += (chunk as Buffer).length;
      if (bytes > maxBytes) throw tooLarge(maxBytes, '');
      chunks.push(chunk as Buffer);
      if (input?.destroyed === false) input.write(chunk);
    }
  } catch (cause) {
    input?.destroy();
    throw asFailure(cause);
  }
  input?.end();
  return Buffer.concat(chunks);
}

/** Rejects with the error of a decoder, or `too_large`. */
async function unpack(input: Readable, decoders: readonly Transform[], maxBytes: number): Promise<Buffer> {
  const stages = decoders.flatMap((decoder) => [decoder, byteLimit(maxBytes)]);
  // The last stage reports a failure of any stage to its reader.
  pipeline([input, ...stages], () => undefined);
  const chunks: Buffer[] = [];
  for await (const chunk of stages.at(-1) ?? input) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const GZIP_START = Buffer.from([0x1f, 0x8b]);

/** No packed body is text, and gzip has a beginning of its own. `codings` in the order in which they were applied. */
function isPlain(bytes: Buffer, codings: readonly string[]): boolean {
  const isGzip = codings.at(-1)?.endsWith('gzip') === true;
  return isUtf8(bytes) || (isGzip && !bytes.subarray(0, GZIP_START.length).equals(GZIP_START));
}

/** Passes bytes on, and fails once they exceed the limit. */
function byteLimit(maxBytes: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length;
      if (bytes > maxBytes) done(tooLarge(maxBytes, ' when it is unpacked'));
      else done(null, chunk);
    },
  });
}

function decodersFor(codings: readonly string[], decoders: Decoders): Transform[] {
  return codings.toReversed().flatMap((coding) => decoders[coding]?.() ?? []);
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

// Selects the headers of a response that are passed on: all but those about this connection or the body's coding.

/** Hop-by-hop headers (RFC 9110 §7.6.1), and those that are wrong for a decoded body. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
  'content-encoding',
]);

/**
 * Also drops every header that `connection` lists. Repeated headers are joined into one as in HTTP, except cookies. The
 * first of several content types counts.
 */
export function handedOn({
  headersDistinct,
}: Pick<IncomingMessage, 'headersDistinct'>): TargetAnswer['headers'] {
  const listed = new Set(commaList(headersDistinct['connection']?.join(',')));
  return Object.fromEntries(
    Object.entries(headersDistinct).flatMap(([name, values = []]) =>
      LEFT_OUT.has(name) || listed.has(name) ? [] : [[name, joined(name, values)]],
    ),
  );
}

function joined(name: string, values: readonly string[]): string | readonly string[] {
  if (name === 'set-cookie') return values;
  return name === 'content-type' ? (values[0] ?? '') : values.join(', ');
}

/** Lower case; without empty elements. */
function commaList(value: string | undefined): readonly string[] {
  return (value ?? '')
    .split(',')
    .map((element) => element.trim().toLowerCase())
    .filter((element) => element !== '');
}

// The socket of a call, with heads of its answer in the one spelling that Node's parser takes. The target has acted when
// it answers, so what common clients read must not be lost (contract §3.3, Response): line ends without a carriage
// return, a folded line, a blank before a colon, a line without a name, a length or chunked given twice alike, a length
// beside chunks, which count then (RFC 9112 §6.3). Lengths that differ stay, and are refused by the parser. The body
// passes unchanged.

const START = Buffer.from('HTTP/');
const HEAD_END = /\r?\n\r?\n/;
const INFORMATIONAL = /^HTTP\/\d\.\d 1(?!01)\d\d\b/;
const FOLD = /\r?\n[ \t]+/g;
const BLANK_BEFORE_COLON = /^([^\s:]+)[ \t]+:/;
/** The longest end of a head, less one byte. */
const END_OVERLAP_BYTES = 3;

export class LenientHead extends Duplex {
  readonly #socket: Socket;
  readonly #limitBytes: number;
  /** The beginning of a head; undefined in the body. */
  #head: Buffer | undefined = Buffer.alloc(0);
  /** How much of it was searched for its end. */
  #searchedBytes = 0;
  #hasEnded = false;

  /** `limitBytes`: a longer head passes unchanged, for the parser to refuse. */
  constructor(socket: Socket, limitBytes: number) {
    super();
    this.#socket = socket;
    this.#limitBytes = limitBytes;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('end', () => {
      this.#hasEnded = true;
      if (this.#head !== undefined && this.#head.length > 0) this.push(this.#head);
      this.push(null);
    });
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => {
      if (!this.#hasEnded) this.destroy();
    });
  }

  #take(chunk: Buffer): void {
    if (this.#head === undefined) {
      if (!this.push(chunk)) this.#socket.pause();
      return;
    }
    this.#head = Buffer.concat([this.#head, chunk]);
    while (this.#head.length > 0) {
      const begins = this.#head.subarray(0, START.length);
      const from = Math.max(0, this.#searchedBytes - END_OVERLAP_BYTES);
      const end = HEAD_END.exec(this.#head.toString('latin1', from, this.#limitBytes));
      this.#searchedBytes = this.#head.length;
      const isOther = !START.subarray(0, begins.length).equals(begins);
      if (isOther || (!end && this.#head.length > this.#limitBytes)) {
        this.#passOn();
        return;
      }
      if (!end) return;
      const rest: Buffer = this.#head.subarray(from + end.index + end[0].length);
      const head = this.#head.toString('latin1', 0, from + end.index);
      this.#searchedBytes = 0;
      this.push(Buffer.from(mended(head), 'latin1'));
      this.#head = rest;
      if (!INFORMATIONAL.test(head)) {
        this.#passOn();
        return;
      }
    }
  }

  /** The rest needs no reading. */
  #passOn(): void {
    const rest = this.#head;
    this.#head = undefined;
    if (rest !== undefined && rest.length > 0) this.push(rest);
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  /** The head of the request and its body go out together. */
  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#socket.write(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}

function mended(head: string): string {
  const [status = '', ...given] = head.replace(FOLD, ' ').split(/\r?\n/);
  const lines = given
    .filter((line) => !line.startsWith(':'))
    .map((line) => line.replace(BLANK_BEFORE_COLON, '$1:'));
  const elementsOf = (name: string) => new Set(lines.flatMap((line) => commaList(valueOf(line, name))));
  const lengths = elementsOf('content-length');
  const codings = elementsOf('transfer-encoding');
  // A transfer encoding that says that there is none.
  codings.delete('identity');
  const isChunked = codings.has('chunked');
  const isClear = isChunked || lengths.size === 1;
  const others = lines.filter(
    (line) =>
      valueOf(line, 'transfer-encoding') === undefined &&
      (!isClear || valueOf(line, 'content-length') === undefined),
  );
  const coding = codings.size > 0 ? [`transfer-encoding: ${[...codings].join(', ')}`] : [];
  const length = isClear && !isChunked ? [`content-length: ${[...lengths].join('')}`] : [];
  return [status, ...others, ...coding, ...length, '', ''].join('\r\n');
}

/** The value of a header line, if it has this name. */
function valueOf(line: string, name: string): string | undefined {
  const isNamed = line.charAt(name.length) === ':' && line.slice(0, name.length).toLowerCase() === name;
  return isNamed ? line.slice(name.length + 1).trim() : undefined;
}
