/**
 * Finds braces that look like a token and were sent as they are, so that an explanation can say so (contract §3.3,
 * Tokens). Pure. Reports how the braces are spelled and where, and nothing of what stands between them.
 */

/** A brace as common encoders write it: plain, percent-encoded, as JSON escape or as character reference. */
const BRACE = String.raw`(?:\{|%(?:25)*7b|\\u007b|&#123;|&#x7b;|&lcub;|&lbrace;)`;
const START = String.raw`(?:fp_|id\.|custom\.|investor_profile\.|document\.|card\.|bank\.|business\.)`;
/** Two braces, or a single one before the beginning of a token. */
const PLACEHOLDER = new RegExp(`${BRACE}(?:${BRACE}|(?:[\\s+]|%20)*${START})`, 'i');
const BRACES = new RegExp(`^${BRACE}{1,2}`, 'i');
/** A blank of a form or an address in front of a token. */
const ENCODED_BLANK = /^\{\{\s*(?:\+|%20)/i;

export interface LeftPlaceholder {
  /** The braces as written. */
  readonly braces: string;
  /** Position from 0. */
  readonly at: number;
  /** Whether an encoded blank keeps it from being a token. */
  readonly hasEncodedBlank: boolean;
}

/** The first one. The zero bytes of UTF-16 text are skipped. */
export function findPlaceholder(text: string): LeftPlaceholder | undefined {
  const found = PLACEHOLDER.exec(text) ?? UTF16.exec(text);
  if (!found) return undefined;
  const shown = BRACES.exec(found[0].replaceAll('\0', ''))?.[0] ?? '{{';
  const behind = text.slice(found.index, found.index + LOOKED_AT_CHARACTERS);
  return { braces: shown, at: found.index, hasEncodedBlank: ENCODED_BLANK.test(behind) };
}

// UTF-16 has a zero byte beside each ASCII character.
const UTF16 = /\{\0\{\0?/;
const LOOKED_AT_CHARACTERS = 100;
