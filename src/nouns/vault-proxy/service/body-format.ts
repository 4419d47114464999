/**
 * What a value may not contain where the proxy inserts it unescaped (contract §3.3, Escaping). The author of the
 * template is responsible there; the explanation of the call says which values hold such characters. Pure.
 */
import { isJson, jsonText, jsonTextOf, type JsonValue } from '../../../kernel/text/json.ts';
import { type Streamed, StreamedText, wholeOf } from '../../../kernel/text/streamed-text.ts';
import { isWellFormedText } from '../../../kernel/text/text.ts';
import { KIB } from '../../../kernel/numbers/units.ts';
import { piecesOf } from '../../../vault/transforms/index.ts';

interface BodyFormat {
  readonly name: string;
  readonly type: RegExp;
  /** A body of this format that is sent as plain text; undefined when the beginning doesn't show it. */
  readonly look?: RegExp;
  /** Characters with a meaning in it. */
  readonly syntax: RegExp;
  readonly remedy: string;
}

const PLAIN = /^(?:$|text\/plain|application\/octet-stream)/;
const REPLACE = "escape them in the token, as with replace('&', '&amp;')";

/** The first that fits counts. */
const FORMATS: readonly BodyFormat[] = [
  {
    name: 'XML or HTML',
    type: /xml|html|soap/,
    look: /^\s*</,
    syntax: /[<>"']|&(?!(?:[a-z]{1,8}|#[0-9a-f]{1,8}|#x[0-9a-f]{1,8});)/i,
    remedy: "escape them in the token, as with | replace('&', '&amp;') | replace('<', '&lt;')",
  },
  {
    name: 'JSON',
    type: /json/,
    // JSON never begins with the braces of a token.
    look: /^\s*(?:\[|\{(?!\{))/,
    syntax: /["\\\u0000-\u001f]/,
    remedy: 'x-fp-proxy-fwd-content-type with application/json or a +json type escapes them',
  },
  {
    name: 'CSV',
    type: /csv|tab-separated/,
    syntax: /[",;\t\r\n]/,
    remedy: `double the quotes and wrap the value, as with | replace('"', '""') | wrap_quotes`,
  },
  { name: 'YAML', type: /yaml/, syntax: /[:#"'\\{}[\],&*!|>%@`\r\n]/, remedy: REPLACE },
  { name: 'multipart', type: /^multipart\//, look: /^--\S/, syntax: /[\r\n]/, remedy: REPLACE },
  {
    name: 'a form',
    type: /^$/,
    look: /^[\w.[\]%+-]+=/,
    syntax: /[&=+%#]/,
    remedy: 'x-fp-proxy-fwd-content-type: application/x-www-form-urlencoded escapes them',
  },
];
const OTHER: Omit<BodyFormat, 'type'> = {
  name: 'this content type',
  syntax: /["'\\<>&\r\n]/,
  remedy: REPLACE,
};

/** In UTF-8, read as latin1. */
const BYTE_ORDER_MARK = /^\xef\xbb\xbf/;

/** Without its parameters. */
function mediaTypeOf(contentType = ''): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** The format of a body by its type, or by its beginning if it is sent as plain text; undefined for plain text. */
export function formatOf(
  contentType: string | undefined,
  template: string,
): Omit<BodyFormat, 'type'> | undefined {
  const mediaType = mediaTypeOf(contentType);
  const beginning = template.replace(BYTE_ORDER_MARK, '');
  if (PLAIN.test(mediaType)) return FORMATS.find(({ look }) => look?.test(beginning));
  return FORMATS.find(({ type }) => type.test(mediaType)) ?? OTHER;
}

/**
 * Whether a value at this place is inserted unescaped and could be read as more than a value. `isWrapped`: its last
 * transform was `wrap_quotes`, so its outer quotes are meant.
 */
export function breaksOut(
  value: JsonValue | StreamedText,
  place: TokenContext,
  { format, isWrapped }: { format: Pick<BodyFormat, 'name' | 'syntax'> | undefined; isWrapped: boolean },
): boolean {
  if (value instanceof StreamedText) return false;
  // Between the strings of a JSON body, anything but one JSON value breaks the body.
  if (place === 'json') return typeof value === 'string' && !isWrapped && !isJson(value);
  if (place !== 'none' || !format) return false;
  if (typeof value !== 'string') return format.name !== 'JSON' && format.syntax.test(jsonText(value));
  if (!isWrapped) return format.syntax.test(value);
  const inner = value.slice(1, -1);
  return format.name === 'CSV' ? inner.replaceAll('""', '').includes('"') : format.syntax.test(inner);
}

// Inserts a value into a body so that it stays a value (contract §3.3, escaping): inside a JSON string or a form field,
// no value can end its context. Outside JSON strings and in other bodies the author of the template is responsible.

/** The context of a token: `json` is between the strings of a JSON body. */
export type TokenContext = Escaping | 'json_string';

/**
 * The text to insert for `value`, in pieces of bounded size, so that other work continues while a file is inserted.
 * `isWrapped`: its last transform was `wrap_quotes`, whose quotes become those of a JSON string outside of one; a mask
 * has no quotes and gets them here.
 */
export function* escapedPieces(
  value: JsonValue,
  place: TokenContext,
  { isWrapped }: { isWrapped: boolean },
): Generator<string, void, void> {
  const text = typeof value === 'string' ? value : jsonText(value);
  if (place === 'json' && isWrapped && typeof value === 'string') {
    yield '"';
    for (const piece of piecesOf(unwrapped(value), PIECE_CHARACTERS)) yield escaped(piece, 'json_string');
    yield '"';
  } else for (const piece of piecesOf(text, PIECE_CHARACTERS)) yield escaped(piece, place);
}

const PIECE_CHARACTERS = 256 * KIB;

function escaped(text: string, place: TokenContext): string {
  switch (place) {
    case 'json_string':
      return JSON.stringify(text).slice(1, -1);
    case 'form':
      return new URLSearchParams([['', text]]).toString().slice('='.length);
    case 'json':
    case 'none':
      return text;
  }
}

function unwrapped(text: string): string {
  return text.length >= 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

const ESCAPE = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/g;

/**
 * Decodes a piece of a JSON string. Unescaped characters that JSON requires to be escaped are accepted. Undefined for
 * an unknown escape, or an unpaired surrogate.
 */
export function unescapeJson(text: string): string | undefined {
  if (text.replace(ESCAPE, '').includes('\\')) return undefined;
  const value = text.replace(ESCAPE, (escape) => JSON.parse(`"${escape}"`) as string);
  return isWellFormedText(value) ? value : undefined;
}

const UNFINISHED_ESCAPE = /^\\(?:u[0-9A-Fa-f]{0,3})?$/;
const UNFINISHED_ESCAPE_CHARACTERS = 5;

/**
 * Finds out which positions of a JSON template are inside a string literal. Only quotes and backslashes inside strings
 * count, so the rest need not be JSON. Positions must be queried in ascending order; each character is scanned once.
 */
export class JsonStrings {
  readonly #text: string;
  #at = 0;
  #isInside = false;
  #lastEscape = -Infinity;

  constructor(text: string) {
    this.#text = text;
  }

  contain(position: number): boolean {
    while (this.#at < position) {
      const character = this.#text[this.#at];
      if (character === '"') this.#isInside = !this.#isInside;
      if (this.#isInside && character === '\\') this.#lastEscape = this.#at++;
      this.#at++;
    }
    return this.#isInside;
  }

  /** Whether the text at `position` inside a string would complete an escape that begins before it. */
  leaveEscapeOpenAt(position: number): boolean {
    if (!this.contain(position) || position - this.#lastEscape > UNFINISHED_ESCAPE_CHARACTERS) return false;
    return UNFINISHED_ESCAPE.test(this.#text.slice(this.#lastEscape, position));
  }

  /** Skips unscanned text before `position`. */
  skipTo(position: number): void {
    this.#at = position;
  }
}

// The content type of a body, and how values are inserted into it (contract §3.3, content type and escaping).

/**
 * The content type to send: the forwarded one if given; else `application/json` when the template itself is valid JSON,
 * otherwise `text/plain; charset=utf-8`, and none for an empty body.
 */
export function contentTypeOf(body: Buffer, forwarded: string | undefined): string | undefined {
  if (forwarded !== undefined) return forwarded;
  if (body.length === 0) return undefined;
  const text = jsonTextOf(body);
  return text !== undefined && isJson(text) ? 'application/json' : 'text/plain; charset=utf-8';
}

/** How values are inserted: escaped for JSON, encoded for a form, or unchanged. */
export type Escaping = 'json' | 'form' | 'none';

export function escapingOf(contentType: string | undefined): Escaping {
  const mediaType = mediaTypeOf(contentType);
  if (mediaType === 'application/json' || mediaType.endsWith('+json')) return 'json';
  if (mediaType === 'application/x-www-form-urlencoded') return 'form';
  return 'none';
}

// A body with its values inserted; files are read while they are sent.

export type FilledBody = Buffer | Streamed;

export function streams(body: FilledBody): body is Streamed {
  return 'pieces' in body;
}

/** A single buffer when there are no files. */
export function joined(parts: readonly FilledBody[]): FilledBody {
  const whole = parts.filter((part) => !streams(part)) as Buffer[];
  if (whole.length === parts.length) return Buffer.concat(whole);
  return {
    byteLength: parts.reduce((sum, { byteLength }) => sum + byteLength, 0),
    async *pieces() {
      for (const part of parts) {
        if (streams(part)) yield* part.pieces();
        else yield part;
      }
    },
  };
}

export async function wholeBody(body: FilledBody): Promise<Buffer> {
  return streams(body) ? wholeOf(body) : body;
}

const FORM_MARKS = /[+/=]/g;

/** Base64 in form encoding. */
export function formEncoded(text: StreamedText): Streamed {
  return {
    byteLength: text.byteLength + 2 * text.marks,
    async *pieces() {
      for await (const piece of text.pieces()) {
        yield Buffer.from(piece.toString('latin1').replace(FORM_MARKS, encodeURIComponent), 'latin1');
      }
    },
  };
}
