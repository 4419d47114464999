/**
 * Reads the file in a multipart form (RFC 7578) with exactly one part, named `upload_file`. Any other form is refused,
 * at the latest at its end. Refusals state what is expected and never quote the form.
 *
 * Bytes pass through the parser one chunk at a time, and nothing is read until the caller reads the file.
 */
import { once } from 'node:events';
import { Dicer } from '@fastify/busboy';
import { ServiceError, invalid } from '../kernel/errors.ts';
import { KIB } from '../kernel/numbers/units.ts';

export interface FormFile {
  /** The part's own header, as sent. */
  readonly contentType: string | undefined;
  readonly content: AsyncIterable<Uint8Array>;
}

const FILE_PART = 'upload_file';
/** The limit for what precedes the file: the first boundary and the headers of the part. */
const HEAD_LIMIT_BYTES = 8 * KIB;
/** RFC 2046 §5.1.1. Characters that a quoted parameter would have to escape are not part of it. */
const BOUNDARY = /^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/;
const UNENCODED = new Set(['7bit', '8bit', 'binary']);

/**
 * Reads up to the headers of the file. Each call of `readOn` continues in the body after the previous one. Throws
 * `invalid_request` for another form, `unsupported_media_type` for a transfer-encoded part.
 */
export async function readForm(
  readOn: () => AsyncIterable<Uint8Array>,
  contentType: string,
): Promise<FormFile> {
  const form = new Form(boundaryOf(contentType));
  for await (const chunk of readOn()) {
    form.write(chunk);
    if (form.headers) break;
  }
  if (!form.headers) {
    await form.end();
    throw notOnePart();
  }
  requireFile(form.headers);
  return { contentType: typeOf(form.headers), content: fileBytes(form, readOn) };
}

async function* fileBytes(form: Form, readOn: () => AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* form.takeBytes();
  for await (const chunk of readOn()) {
    form.write(chunk);
    yield* form.takeBytes();
  }
  await form.end();
}

type PartHeaders = Readonly<Record<string, readonly string[] | undefined>>;

/** The parser of the form. It consumes a whole chunk before `write` returns. */
class Form {
  /** The headers of the first part, once they are complete. */
  headers: PartHeaders | undefined;
  readonly #parser: Dicer;
  readonly #parts: Dicer.PartStream[] = [];
  #headBytes = 0;

  constructor(boundary: string) {
    // A full part would block the parser; ours is emptied after each chunk.
    const config: Dicer.Config & { partHwm: number } = { boundary, partHwm: Number.MAX_SAFE_INTEGER };
    this.#parser = new Dicer(config);
    this.#parser.on('part', (part) => {
      this.#parts.push(part);
      part.on('header', (headers) => (this.headers ??= headers as PartHeaders));
      // Repeats the error of the parser.
      part.on('error', () => undefined);
    });
  }

  write(chunk: Uint8Array): void {
    const head = this.headers ? 0 : HEAD_LIMIT_BYTES - this.#headBytes;
    if (head > 0) this.#parser.write(chunk.subarray(0, head));
    this.#headBytes += Math.min(head, chunk.length);
    if (!this.headers && this.#headBytes === HEAD_LIMIT_BYTES) {
      throw invalid(`The headers of the part are over ${HEAD_LIMIT_BYTES} bytes`);
    }
    if (head < chunk.length) this.#parser.write(chunk.subarray(head));
  }

  /** The file's bytes in the last chunk. Throws when the chunk also has the start of another part. */
  *takeBytes(): Generator<Uint8Array> {
    const bytes = this.#parts[0]?.read() as Uint8Array | null | undefined;
    if (bytes) yield bytes;
    if (this.#parts.length > 1) throw notOnePart();
  }

  /** Throws unless the closing boundary was seen. */
  async end(): Promise<void> {
    const closed = once(this.#parser, 'close');
    this.#parser.end();
    try {
      await closed;
    } catch (cause) {
      throw invalid('The form ends before its closing boundary', { cause });
    }
  }
}

function notOnePart(): ServiceError {
  return invalid(`The form must hold exactly one part, the file, named ${FILE_PART}`);
}

function requireFile(headers: PartHeaders): void {
  if (!isFileDisposition(headers['content-disposition'])) throw notOnePart();
  const encoding = headers['content-transfer-encoding']?.join(',').trim().toLowerCase();
  if (encoding !== undefined && !UNENCODED.has(encoding)) {
    throw new ServiceError(
      'unsupported_media_type',
      `Part ${FILE_PART} must be sent without a transfer encoding`,
    );
  }
  if (/^\s*multipart\//i.test(typeOf(headers) ?? '')) {
    throw invalid(`Part ${FILE_PART} must be a file, not another multipart`);
  }
}

/** A repeated header is joined as in HTTP, which makes it an invalid media type. */
function typeOf(headers: PartHeaders): string | undefined {
  return headers['content-type']?.join(', ');
}

function isFileDisposition(values: readonly string[] | undefined): boolean {
  if (values?.length !== 1) return false;
  const [disposition, parameters] = splitParameters(values[0] ?? '');
  const names = parameters?.filter(([name]) => name === 'name');
  return disposition === 'form-data' && names?.length === 1 && names[0]?.[1] === FILE_PART;
}

function boundaryOf(contentType: string): string {
  const [, parameters] = splitParameters(contentType);
  const boundaries = parameters?.filter(([name]) => name === 'boundary');
  const boundary = boundaries?.[0]?.[1];
  if (boundaries?.length !== 1 || boundary === undefined || !BOUNDARY.test(boundary)) {
    throw invalid('Header content-type needs a boundary of 1 to 70 characters (RFC 2046)');
  }
  return boundary;
}

/**
 * `; name=value`, or nothing after the semicolon (RFC 9110 §5.6.6). Inside quotes some clients escape a quote with a
 * backslash, while browsers keep a backslash as it is. The second form is tried when the first doesn't match.
 */
const PARAMETER =
  /[ \t]*;(?:[ \t]*([!#$%&'*+.^_`|~\w-]+)=(?:([!#$%&'*+.^_`|~\w-]+)|"((?:[^"\\]|\\.)*)"|"([^"]*)"))?(?=[ \t]*(?:;|$))/y;

/** The value in lower case, and its parameters with names in lower case; undefined when the header can't be split. */
function splitParameters(header: string): [value: string, parameters: [string, string][] | undefined] {
  const text = header.trim();
  const valueEnd = text.includes(';') ? text.indexOf(';') : text.length;
  const value = text.slice(0, valueEnd).trimEnd().toLowerCase();
  const parameters: [string, string][] = [];
  PARAMETER.lastIndex = valueEnd;
  while (PARAMETER.lastIndex < text.length) {
    const match = PARAMETER.exec(text);
    if (!match) return [value, undefined];
    const [, name, token, escaped, plain] = match;
    if (name !== undefined) parameters.push([name.toLowerCase(), token ?? escaped ?? plain ?? '']);
  }
  return [value, parameters];
}
