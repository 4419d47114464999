/** Normalises texts for searching people: ignores case, accents and punctuation. */

/** Letters without a Unicode decomposition. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
  ħ: 'h',
};

/**
 * The words of a name. An apostrophe within a word is removed (`O'Brien` becomes `obrien`); any other character that is
 * no letter, digit or mark ends a word.
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
