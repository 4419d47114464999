/**
 * The most UTF-16 units a transform may give. Chains can multiply (`replace` by a longer text, `encrypt` of an
 * `encrypt`); 64 Mi holds the largest file encrypted twice and keeps one request from exhausting the daemon.
 */
export const RESULT_LIMIT_UNITS = 64 * 1024 * 1024;

/** Letters without a compatibility decomposition into ASCII and marks (contract §3.2). */
const ASCII_LETTERS: ReadonlyMap<string, string> = new Map([
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['Æ', 'AE'],
  ['ø', 'o'],
  ['Ø', 'O'],
  ['đ', 'd'],
  ['Đ', 'D'],
  ['ł', 'l'],
  ['Ł', 'L'],
  ['œ', 'oe'],
  ['Œ', 'OE'],
  ['þ', 'th'],
  ['Þ', 'Th'],
  ['ð', 'd'],
  ['Ð', 'D'],
  ['ı', 'i'],
]);

/** NFKD, then the table; marks need no rule of their own, as every mark lies above U+007F and is dropped there. */
export function toAscii(text: string): string {
  let ascii = '';
  for (const character of text.normalize('NFKD')) {
    ascii += character <= '\u007f' ? character : (ASCII_LETTERS.get(character) ?? '');
  }
  return ascii;
}

/** The first `count` code points; the whole text when it has fewer. */
export function firstCodePoints(text: string, count: number): string {
  let end = 0;
  for (let taken = 0; taken < count && end < text.length; taken++) {
    end += isPair(text, end) ? 2 : 1;
  }
  return text.slice(0, end);
}

/** The last `count` code points; the whole text when it has fewer. */
export function lastCodePoints(text: string, count: number): string {
  let start = text.length;
  for (let taken = 0; taken < count && start > 0; taken++) {
    start -= start > 1 && isPair(text, start - 2) ? 2 : 1;
  }
  return text.slice(start);
}

/** Whether a whole surrogate pair stands at `at`; a lone surrogate counts as a code point of its own. */
function isPair(text: string, at: number): boolean {
  return (text.codePointAt(at) ?? 0) > 0xffff;
}

/** Every occurrence of `from`, literal and left to right; undefined when the result would pass the limit. */
export function replaceAll(text: string, from: string, to: string): string | undefined {
  let length = text.length;
  for (let at = text.indexOf(from); at !== -1; at = text.indexOf(from, at + from.length)) {
    length += to.length - from.length;
  }
  if (length > RESULT_LIMIT_UNITS) return undefined;
  return text.replaceAll(from, () => to);
}
