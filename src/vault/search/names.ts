/** The words of names, as the search and the verification compare them: case, accents and punctuation don't count. */
export const NAME_IDENTIFIERS = {
  user: ['id.first_name', 'id.middle_name', 'id.last_name'],
  business: ['business.name', 'business.dba'],
};

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

/** Letters that are also written as two: `Müller` as `Mueller`, `Søren` as `Soeren`. */
const AS_TWO: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', å: 'aa', ø: 'oe' };

/** The words of a name, and again with its umlauts as two letters if it has any. */
export function nameSpellings(text: string): readonly (readonly string[])[] {
  const lower = text.normalize('NFC').toLowerCase();
  const spelled = lower.replace(/[äöüåø]/g, (letter) => AS_TWO[letter] ?? letter);
  return (spelled === lower ? [text] : [text, spelled]).map(nameWords).filter(({ length }) => length > 0);
}

/** What is left out where parts are written as one: `Anne-Marie`, `Ó Briain`, `De La Cruz`. */
const WITHIN_A_NAME = /(?<=\p{L})[-‐‑](?=\p{L})|(?<=(?:^|\s)\p{L}{1,3})\s+(?=\p{L})/gu;

/** The words by which a stored name is found. Few names have more than those of `nameWords`. */
export function storedNameWords(name: string): string[] {
  const text = name.normalize('NFC').trim();
  const joined = text.replace(WITHIN_A_NAME, '');
  return (joined === text ? [text] : [text, joined]).flatMap(nameSpellings).flat();
}
