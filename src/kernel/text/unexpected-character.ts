/**
 * Says what is wrong about a refused text without repeating it: letters and digits could be part of a value, so only
 * blanks, punctuation and characters that nobody sees are named. Pure.
 */

/**
 * `a blank before the slash`, `U+202C at character 13`, `a letter at character 3`; undefined when every character is
 * `expected`, a pattern for one character. Characters are counted from 1.
 */
export function unexpectedCharacter(text: string, expected: RegExp): string | undefined {
  const characters = Array.from(text);
  const at = characters.findIndex((character) => !expected.test(character));
  if (at === -1) return undefined;
  const character = characters[at] ?? '';
  if (character === ' ') return `a blank ${beside(characters, at)}`;
  return `${kindOf(character)} at character ${at + 1}`;
}

function beside(characters: readonly string[], at: number): string {
  const next = NAMES.get(characters[at + 1] ?? '');
  if (next !== undefined) return `before the ${next}`;
  const previous = NAMES.get(characters[at - 1] ?? '');
  return previous === undefined ? `at character ${at + 1}` : `behind the ${previous}`;
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ['/', 'slash'],
  ['-', 'hyphen'],
  ['.', 'dot'],
]);

function kindOf(character: string): string {
  const name = NAMES.get(character);
  if (name !== undefined) return `a ${name}`;
  if (/[a-z]/i.test(character)) return 'a letter';
  if (/[0-9]/.test(character)) return 'a digit';
  // A letter or digit of another script may be part of a value.
  if (/[\p{L}\p{N}]/u.test(character)) return 'a letter or digit of another script';
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
