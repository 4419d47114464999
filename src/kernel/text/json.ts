/** JSON: texts, their shape, and numbers that stay as they are written. */
import { isUtf8 } from 'node:buffer';

/** Any JSON value. Custom vault values keep their JSON type (contract §1.4). */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [member: string]: JsonValue };

/** Text that JSON writes as it is: ASCII without quotes, backslashes and control characters. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** The text as JSON, as `JSON.stringify` writes it. Most texts of the service itself need no escape. */
export function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** The text of a file without the byte order mark that editors and spreadsheets put before it. */
export function withoutByteOrderMark(text: string): string {
  return text.replace(/^\ufeff/, '');
}

/** Whether the value is a JSON object; false for null, lists and exact numbers. */
export function isJsonObject(value: unknown): value is { [member: string]: JsonValue } {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}

const BYTE_ORDER_MARK = '\ufeff';

/**
 * The JSON text that bytes from outside hold; undefined when they are no UTF-8. Windows programs begin a text with a
 * byte order mark, which RFC 8259 §8.1 lets a parser ignore.
 */
export function jsonTextOf(bytes: Buffer): string | undefined {
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString('utf8');
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/** The value of a JSON text; undefined for any other text, which the parser's own error would quote. */
export function jsonOf(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

export function isJson(text: string): boolean {
  return jsonOf(text) !== undefined;
}

/**
 * Properties of a JSON text that `JSON.parse` does not report: its nesting depth, and whether an object repeats a
 * member. The scan makes one pass without recursion, so that deep nesting can't overflow the stack.
 */
export interface JsonShape {
  /** Levels of nested lists and objects; 0 for a text without either. */
  readonly depth: number;
  /** The first repeated member. */
  readonly repeated: string | undefined;
  /** The index at which its name occurs for the second time. */
  readonly repeatedAt: number | undefined;
}

/** The text must be valid JSON, already accepted by `JSON.parse`. */
export function shapeOfJson(text: string): JsonShape {
  /** The member names of each open object; undefined for a list. */
  const open: (Set<string> | undefined)[] = [];
  let depth = 0;
  let repeated: string | undefined;
  let repeatedAt: number | undefined;
  let isName = false;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = stringEnd(text, at);
        const names = isName ? open.at(-1) : undefined;
        if (names && repeated === undefined) {
          const name = nameOf(text.slice(at, end));
          if (names.has(name)) [repeated, repeatedAt] = [name, at];
          names.add(name);
        }
        isName = false;
        at = end - 1;
        break;
      }
      case OPENING_BRACE:
      case OPENING_BRACKET:
        isName = text.charCodeAt(at) === OPENING_BRACE;
        open.push(isName ? new Set() : undefined);
        depth = Math.max(depth, open.length);
        break;
      case CLOSING_BRACE:
      case CLOSING_BRACKET:
        open.pop();
        isName = false;
        break;
      case COMMA:
        isName = open.at(-1) !== undefined;
        break;
    }
  }
  return { depth, repeated, repeatedAt };
}

const JSON_TOKEN =
  /("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-f]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?|true|false|null|[{}[\],:])[ \t\n\r]*/iy;
const STARTS_OF_VALUES = '"{[';

/**
 * The line and column, from 1, at which a text stops being JSON: at the end if something is missing there. Undefined for
 * JSON. Unlike the messages of `JSON.parse`, it contains nothing of the text.
 */
export function jsonFault(text: string): { readonly line: number; readonly column: number } | undefined {
  /** The closing bracket of each open list and object. */
  const open: string[] = [];
  /** The first characters that may follow; `v` for a name such as `true`, or a number. */
  let allowed = `v${STARTS_OF_VALUES}`;
  for (let at = /^[ \t\n\r]*/.exec(text)?.[0].length ?? 0; ; at = JSON_TOKEN.lastIndex) {
    const isDone = open.length === 0 && allowed === '';
    if (at === text.length && isDone) return undefined;
    JSON_TOKEN.lastIndex = at;
    const found = JSON_TOKEN.exec(text)?.[1] ?? '';
    const first = '"{}[],:'.includes(found.charAt(0)) ? found.charAt(0) : 'v';
    if (
      found === '' ||
      !allowed.includes(first) ||
      (first === 'v' && !/^[-\d]|^(?:true|false|null)$/.test(found))
    )
      return placeOf(text, at);
    const isName = first === '"' && !allowed.includes('v');
    if (first === '{' || first === '[') open.push(first === '{' ? '}' : ']');
    if (first === '}' || first === ']') open.pop();
    const closing = open.at(-1);
    if (first === '{') allowed = '"}';
    else if (first === '[') allowed = `v${STARTS_OF_VALUES}]`;
    else if (first === ':') allowed = `v${STARTS_OF_VALUES}`;
    else if (first === ',') allowed = closing === '}' ? '"' : `v${STARTS_OF_VALUES}`;
    else if (isName) allowed = ':';
    else allowed = closing === undefined ? '' : `,${closing}`;
  }
}

function placeOf(text: string, at: number): { readonly line: number; readonly column: number } {
  const lines = text.slice(0, at).split('\n');
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}

function nameOf(quoted: string): string {
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}

/**
 * The index behind the string of valid JSON that begins at `start`. Each run of backslashes is scanned once, because the
 * search continues behind it.
 */
export function stringEnd(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); ; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
  }
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

// JSON numbers whose text JavaScript would change, such as 1e21, 1.0 and integers of twenty digits. A custom value
// keeps them (contract §1.4). They pass as values that `JSON.stringify` writes as a mark, which `jsonText` removes.

/** Random, so that no text from outside can have it. */
const SECRET = Array.from(crypto.getRandomValues(new Uint8Array(18)), (byte) =>
  byte.toString(16).padStart(2, '0'),
).join('');
const MARK = `number ${SECRET} `;
const MARKED = /"?number ([\da-f]{36}) ([-+.\dEe]+)"?/g;

let isMarking = false;

/** What `JSON.stringify` writes of it within `write` is a mark, which `withoutMarks` removes. */
export function withMarks<Result>(write: () => Result): Result {
  const before = isMarking;
  isMarking = true;
  try {
    return write();
  } finally {
    isMarking = before;
  }
}

export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }

  /** Whoever does not remove marks gets the number that JavaScript has for it. */
  toJSON(): string | number {
    return isMarking ? MARK + this.text : Number(this.text);
  }
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][-+]?\d+)?$/;

/** The number of this text; undefined for a text that is no JSON number. */
export function numberOf(text: string): number | ExactNumber | undefined {
  if (!NUMBER.test(text)) return undefined;
  return String(Number(text)) === text ? Number(text) : new ExactNumber(text);
}

/** A text without any of these has no such number. */
const MAY_CHANGE = /\d{16}|\d[.Ee]|-0/;
const STRING_OR_NUMBER = /"|-?\d[-+.\dEe]*/g;

/**
 * As `JSON.parse`, with each number that it would change as an ExactNumber; the numbers of a text that is nested too
 * deeply for that are as `JSON.parse` has them. Throws SyntaxError.
 */
export function parseJson(text: string): JsonValue {
  const value = JSON.parse(text) as JsonValue;
  if (!MAY_CHANGE.test(text)) return value;
  const pieces: string[] = [];
  let copied = 0;
  STRING_OR_NUMBER.lastIndex = 0;
  for (let found = STRING_OR_NUMBER.exec(text); found; found = STRING_OR_NUMBER.exec(text)) {
    const { 0: token, index } = found;
    if (token === '"') STRING_OR_NUMBER.lastIndex = stringEnd(text, index);
    else if (String(Number(token)) !== token) {
      pieces.push(text.slice(copied, index), `"${MARK}${token}"`);
      copied = index + token.length;
    }
  }
  if (copied === 0) return value;
  try {
    return JSON.parse(pieces.join('') + text.slice(copied), (_, member: unknown) =>
      typeof member === 'string' && member.startsWith(MARK)
        ? new ExactNumber(member.slice(MARK.length))
        : member,
    ) as JsonValue;
  } catch (error) {
    if (error instanceof RangeError) return value;
    throw error;
  }
}

/** As `JSON.stringify`, with the text of each ExactNumber. The value must not be undefined. */
export function jsonText(value: unknown, indentation?: number): string {
  return withoutMarks(withMarks(() => JSON.stringify(value, undefined, indentation)));
}

/** The text, with numbers in place of what `JSON.stringify` wrote for each ExactNumber. */
export function withoutMarks(text: string): string {
  if (!text.includes(MARK)) return text;
  return text.replace(MARKED, (found, secret: string, number: string) =>
    secret === SECRET ? number : found,
  );
}

/** How deep in a body the identifiers of a vault may stand: `{"data": {"custom.x": 1}}`. */
const LEVELS = 3;

/** Names may be written with escapes. */
const MAY_NAME_CUSTOM = /"custom\.|\\u/;

/** The body that was parsed from `text`, with the custom values of a vault as they are written there. */
export function withExactCustomValues(body: unknown, text: string): unknown {
  if (MAY_NAME_CUSTOM.test(text) && MAY_CHANGE.test(text)) takeCustom(body, parseJson(text), LEVELS);
  return body;
}

function takeCustom(body: unknown, exact: unknown, levels: number): void {
  if (Array.isArray(body) && Array.isArray(exact)) {
    for (const [index, entry] of body.entries()) takeCustom(entry, exact[index], levels);
    return;
  }
  if (!isJsonObject(body) || !isJsonObject(exact)) return;
  for (const [name, value] of Object.entries(exact)) {
    if (name.startsWith('custom.')) body[name] = value;
    else if (levels > 1) takeCustom(body[name], value, levels - 1);
  }
}
