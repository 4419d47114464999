/** Texts as they are compared when a person is looked for: without case, accents and punctuation. */

/** Letters that no decomposition takes apart. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', æ: 'ae', œ: 'oe', ı: 'i', ħ: 'h' },
};

/**
 * The words of a name. An apostrophe within a word goes (`O'Brien` is `obrien`); whatever else is no letter, digit or
 * mark ends a word.
 */
export function nameWords(text: string): string[] {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{Mn}/gu, '')
    .replace(/['’ʼ]/gu, '')
    .replace(/[ßøłđðþæœıħ]/gu, (letter) => LETTERS[letter] ?? letter)
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => word !== '');
}

export function digitsOf(text: string): string {
  return text.replace(/\D/g, '');
}
