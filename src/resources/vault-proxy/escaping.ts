/**
 * Inserts a value into a body so that it stays a value (contract §3.3, escaping): inside a JSON string or a form field,
 * no value can end its context. Outside JSON strings and in other bodies the author of the template is responsible.
 */
import { jsonText } from '../../kernel/exact-number.ts';
import type { JsonValue } from '../../kernel/json.ts';
import { isWellFormedText } from '../../kernel/text.ts';
import { KIB } from '../../kernel/units.ts';
import { piecesOf, type Scanned } from '../../vault/transforms/index.ts';
import type { Escaping } from './content-type.ts';

/** The context of a token: `json` is between the strings of a JSON body. */
export type TokenContext = Escaping | 'json_string';

/**
 * The text to insert for `value`. `isWrapped`: its last transform was `wrap_quotes`, whose quotes become those of a
 * JSON string outside of one; a mask has no quotes and gets them here.
 */
export function escapeValue(
  value: JsonValue,
  place: TokenContext,
  { isWrapped }: { isWrapped: boolean },
): string {
  return [...escapedPieces(value, place, { isWrapped })].join('');
}

/** The same in pieces of bounded size, so that other work continues while a file is inserted. */
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

const CHARACTER_OF_ESCAPE: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);
const FOUR_HEX_DIGITS = /^[0-9A-Fa-f]{4}$/;

/** Reads the JSON escape whose backslash is at `at`; undefined when it is none. */
export function scanJsonEscape(text: string, at: number): Scanned<string> | undefined {
  const kind = text[at + 1] ?? '';
  if (kind !== 'u') {
    const character = CHARACTER_OF_ESCAPE.get(kind);
    return character === undefined ? undefined : { value: character, end: at + 2 };
  }
  const digits = text.slice(at + 2, at + 6);
  if (!FOUR_HEX_DIGITS.test(digits)) return undefined;
  return { value: String.fromCharCode(Number.parseInt(digits, 16)), end: at + 6 };
}

/**
 * Decodes a piece of a JSON string. Unescaped characters that JSON requires to be escaped are accepted. Undefined for
 * an unknown escape, or an unpaired surrogate.
 */
export function unescapeJson(text: string): string | undefined {
  let value = '';
  let copied = 0;
  for (let at = text.indexOf('\\'); at !== -1; at = text.indexOf('\\', copied)) {
    const escape = scanJsonEscape(text, at);
    if (escape === undefined) return undefined;
    value += text.slice(copied, at) + escape.value;
    copied = escape.end;
  }
  value += text.slice(copied);
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
