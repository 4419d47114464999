/**
 * Keeps a bundle to ASCII. `bin/kycloned.js` and the loader of `kyclone/testing` read theirs as latin1, one byte a
 * character, because V8 keeps such a text at half the size; any other character would come out as several wrong ones.
 * esbuild's `charset: 'ascii'` escapes strings and untagged templates, but leaves the text of a tagged template as it
 * is, since an escape would change its `raw` form.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const LAST_ASCII = 0x7f;
/** A template whose raw text counts: an escape in it would be shown as such. */
const RAW_TEMPLATE = /String\.raw`(?:[^`\\]|\\.)*`/gs;

/**
 * The same program in ASCII: each other UTF-16 code unit as `\uXXXX`, which is right in strings, templates, names of
 * members and regular expressions. Throws where a template of String.raw holds such a character.
 */
export function asciiCode(code: string): string {
  for (const [template] of code.matchAll(RAW_TEMPLATE)) {
    if (!isAscii(template)) throw new Error(`Only ASCII may stand in a template of String.raw: ${template}`);
  }
  if (isAscii(code)) return code;
  return code.replace(/(\\*)([^\0-\x7f])/g, (_, backslashes: string, unit: string) => {
    // A backslash that escapes the character itself would escape the one of `\uXXXX`.
    const kept = backslashes.length % 2 === 0 ? backslashes : backslashes.slice(1);
    return kept + escaped(unit);
  });
}

/** Rewrites a bundle in place. */
export function keepToAscii(file: string): void {
  writeFileSync(file, asciiCode(readFileSync(file, 'utf8')));
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > LAST_ASCII) return false;
  return true;
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
