/** Splits a search text into several parts, such as `doe (415) 555-0100`. Pure. */
import { datesOf } from '../../kernel/written-dates.ts';

/** One part: a number or an address, which is complete by itself, or the remaining words. */
export interface SearchPart {
  readonly kind: 'date' | 'number' | 'email' | 'words';
  readonly text: string;
}

const EMAIL = /(?<!\S)[^\s@,;]+@[^\s@,;]+\.[^\s@,;]+/g;
const DATE = new RegExp(
  [
    String.raw`(?<![^\s,;])(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2\d{4}`,
    String.raw`[a-z]{3,9}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}`,
    String.raw`\d{1,2}(?:st|nd|rd|th)?\.? [a-z]{3,9}\.?,? \d{4})(?![^\s,;])`,
  ].join('|'),
  'gi',
);
/** Digits with common separators, as in `+44 (0)20 7946 0100` and `3/12/1984`; not part of a longer word. */
const NUMBER = /(?<![^\s,;])[+(]{0,2}\d[\d\s().\-/]*\d(?![^\s,;])/g;

/** The parts, if there are several and one of them is complete by itself; otherwise empty. */
export function searchParts(text: string): readonly SearchPart[] {
  const parts: SearchPart[] = [];
  const take = (kind: SearchPart['kind']) => (part: string) => {
    parts.push({ kind, text: part.trim() });
    return ' ';
  };
  const words = text
    .replace(EMAIL, take('email'))
    .replace(DATE, (date: string) => (datesOf(date).length > 0 ? take('date')(date) : date))
    .replace(NUMBER, take('number'));
  if (/[\p{L}\d]/u.test(words)) parts.push({ kind: 'words', text: words.replace(/[\s,;]+/g, ' ').trim() });
  return parts.length > 1 ? parts : [];
}
