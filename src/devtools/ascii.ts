/**
 * Keeps a bundle to ASCII. `bin/kycloned.js` and the loader of `kyclone/testing` read their bundles as latin1, one
 * byte a character, because V8 keeps such a text at half the size. Any other character would turn into several wrong
 * ones. esbuild's `charset: 'ascii'` escapes strings and untagged templates. It leaves tagged templates as they are,
 * because an escape would change their `raw` form.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const LAST_ASCII = 0x7f;
/** A template that is used in its raw form: an escape in it would appear literally. */
const RAW_TEMPLATE = /String\.raw`(?:[^`\\]|\\.)*`/gs;

/**
 * The same program in ASCII. Replaces each other UTF-16 code unit by `\uXXXX`, which is valid in strings, templates,
 * member names and regular expressions. Throws when a String.raw template contains such a character.
 */
export function asciiCode(code: string): string {
  for (const [template] of code.matchAll(RAW_TEMPLATE)) {
    if (!isAscii(template)) throw new Error(`A String.raw template may contain only ASCII: ${template}`);
  }
  if (isAscii(code)) return code;
  return code.replace(/(\\*)([^\0-\x7f])/g, (_, backslashes: string, unit: string) => {
    // A backslash before the character would escape the backslash of `\uXXXX`.
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
