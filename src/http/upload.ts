/**
 * The uploaded file of a request, as a stream (contract §0.10, §2.7).
 *
 * Memory use is constant: bytes are read only as the consumer asks for them. A consumer may stop at any point and the
 * connection stays usable: the response reaches the client, and the rest of its upload is discarded. Errors never quote
 * the upload.
 */
import type { IncomingMessage } from 'node:http';
import type { Upload } from '../contract/shapes.ts';
import { ServiceError, invalid } from '../kernel/errors.ts';
import { KIB } from '../kernel/numbers/units.ts';
import { realTime, unlessMoreArrives } from '../kernel/time/real-time.ts';
import { requireNoEncoding, tooSlow } from './errors.ts';

export interface MeasuredUpload extends Upload {
  /** Bytes passed on so far; the whole size at the end. */
  readonly bytesRead: number;
}

export interface UploadLimits {
  readonly limitBytes: number;
  /** Milliseconds without a byte while the reader waits for one. */
  readonly stallMs: number;
  /** Called after the last byte of the file; what it throws refuses the file. */
  readonly atEnd?: (() => void) | undefined;
}

/** How much longer than its file a multipart form may be. */
const FORM_OVERHEAD_BYTES = 64 * KIB;

const DEFAULT_TYPE = 'application/octet-stream';
/** Types that programs send for bytes of any kind: that of curl, and one of object stores. */
const ANY_BYTES = /^(?:application\/x-www-form-urlencoded|binary\/octet-stream) *(?:;|$)/i;
const TYPE_LIMIT_CHARACTERS = 255;
const PRINTABLE = /^[ -~]*$/;
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/** RFC 9110 §8.3.1 with §5.6.6, which allows empty parameters. */
const MEDIA_TYPE = new RegExp(
  `^${TOKEN}/${TOKEN}(?: *;(?: *${TOKEN}=(?:${TOKEN}|"(?:[^"\\\\]|\\\\.)*"))?)*$`,
);
const FORM_TYPE = /^multipart\/form-data *(?:;|$)/i;

/**
 * The uploaded file: the raw body, or the part `upload_file` of a multipart form. A raw body is not read before
 * `content` is iterated; a multipart body is read up to the part's header. A caller that then doesn't read `content`
 * must call `request.resume()` once the response is decided, or the connection hangs in the body.
 *
 * Throws here or while `content` is read: `unsupported_media_type` for an encoded body, `payload_too_large`,
 * `request_timeout` for a stalled one, `invalid_request` for an empty or unfinished body, an invalid content type, or
 * another form.
 */
export async function readUpload(
  request: IncomingMessage,
  { limitBytes, stallMs, atEnd }: UploadLimits,
): Promise<MeasuredUpload> {
  requireNoEncoding(request.headers['content-encoding']);
  const contentType = mediaType(request.headers['content-type'], 'Header content-type');
  const isForm = FORM_TYPE.test(contentType);
  requireLength(request.headers['content-length'], limitBytes, isForm ? FORM_OVERHEAD_BYTES : 0);
  const bytes = () => bodyBytes(request, { what: 'upload', stallMs });
  if (!isForm) return measured(request, contentType, bytes(), { limitBytes, atEnd });
  try {
    const { readForm } = await import('./multipart.ts');
    const file = await readForm(formBytes(bytes, limitBytes), contentType);
    const fileType = mediaType(file.contentType, 'The content-type of part upload_file');
    return measured(request, fileType, file.content, { limitBytes, atEnd });
  } catch (refusal) {
    request.resume();
    throw refusal;
  }
}

function mediaType(header: string | undefined, what: string): string {
  const type = header?.trim() ?? '';
  if (type === '' || ANY_BYTES.test(type)) return DEFAULT_TYPE;
  if (type.length <= TYPE_LIMIT_CHARACTERS && PRINTABLE.test(type) && MEDIA_TYPE.test(type)) return type;
  throw invalid(`${what} is not a media type`);
}

/** Checks the size as far as the headers reveal it. */
function requireLength(header: string | undefined, limitBytes: number, overheadBytes: number): void {
  if (header === undefined) return;
  const length = Number(header);
  if (length === 0) throw emptyBody();
  if (length > limitBytes + overheadBytes) throw overLimit(limitBytes);
}

function measured(
  request: IncomingMessage,
  contentType: string,
  bytes: AsyncIterable<Uint8Array>,
  { limitBytes, atEnd }: Pick<UploadLimits, 'limitBytes' | 'atEnd'>,
): MeasuredUpload {
  let bytesRead = 0;
  async function* content(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of bytes) {
        if (bytesRead + chunk.length > limitBytes) throw overLimit(limitBytes);
        bytesRead += chunk.length;
        yield chunk;
      }
      if (bytesRead === 0) throw emptyBody();
      atEnd?.();
    } finally {
      request.resume();
    }
  }
  return {
    contentType,
    content: content(),
    get bytesRead() {
      return bytesRead;
    },
  };
}

interface Patience {
  /** Milliseconds without a byte while the reader waits for one. */
  readonly stallMs: number;
  /** Milliseconds in total; without a limit by default. */
  readonly bodyMs?: number;
}

/**
 * The body from where reading stopped before. Stopping leaves the rest unread and the request intact. `what`: its name
 * in errors.
 */
export async function* bodyBytes(
  request: IncomingMessage,
  { what, ...patience }: Patience & { readonly what: 'body' | 'upload' },
): AsyncGenerator<Uint8Array> {
  const cutOff = (cause?: unknown) => invalid(`The ${what} was cut off`, { cause });
  try {
    yield* withoutStalls(request.iterator({ destroyOnReturn: false }), patience);
  } catch (cause) {
    throw cause instanceof ServiceError ? cause : cutOff(cause);
  }
  if (!request.complete) throw cutOff();
}

/**
 * Throws `request_timeout` when the next chunk or all of them take too long; the consumer may keep a chunk for any time.
 */
async function* withoutStalls(
  chunks: AsyncIterableIterator<Uint8Array>,
  { stallMs, bodyMs }: Patience,
): AsyncGenerator<Uint8Array> {
  let giveUp: (() => void) | undefined;
  let hasStalled = false;
  const late = () => giveUp;
  const timer = realTime.setTimeout(() => unlessMoreArrives(late, () => giveUp?.()), stallMs);
  const deadline = bodyMs === undefined ? undefined : realTime.setTimeout(() => giveUp?.(), bodyMs);
  try {
    for (;;) {
      const next = chunks.next();
      const stall = new Promise<undefined>((resolve) => (giveUp = () => resolve(undefined)));
      timer.refresh();
      const result = await Promise.race([next, stall]);
      giveUp = undefined;
      if (!result) {
        hasStalled = true;
        // It fails when the connection is closed, which no longer matters then.
        next.catch(() => undefined);
        throw tooSlow();
      }
      if (result.done) return;
      yield result.value;
    }
  } finally {
    realTime.clearTimeout(timer);
    realTime.clearTimeout(deadline);
    // A source that waits for a chunk can't be stopped.
    if (!hasStalled) await chunks.return?.();
  }
}

/** As `bodyBytes` on each call; all calls together are limited to the size of a form. */
function formBytes(
  bytes: () => AsyncIterable<Uint8Array>,
  limitBytes: number,
): () => AsyncIterable<Uint8Array> {
  let formSize = 0;
  return async function* () {
    for await (const chunk of bytes()) {
      formSize += chunk.length;
      if (formSize > limitBytes + FORM_OVERHEAD_BYTES) throw overLimit(limitBytes);
      yield chunk;
    }
  };
}

export function overLimit(limitBytes: number): ServiceError {
  return new ServiceError('payload_too_large', `The body is over the limit of ${limitBytes} bytes`);
}

function emptyBody(): ServiceError {
  return invalid('The body is empty; an upload has at least one byte');
}
