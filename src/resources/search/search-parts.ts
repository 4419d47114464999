/** Splits a search text into several parts, such as `doe (415) 555-0100`. Pure. */
import type { Day } from '../../kernel/civil-date.ts';
import { datesOf } from '../../kernel/written-dates.ts';

/** One part: a number or an address, which is complete by itself, or the remaining words. */
export interface SearchPart {
  readonly kind: 'date' | 'number' | 'email' | 'words';
  readonly text: string;
}

const EMAIL = /(?<!\S)[^\s@,;]+@[^\s@,;]+\.[^\s@,;]+/g;
/** The longest date in words: `Friday, the 30th of December in 1988`. */
const WORDS_OF_A_DATE = 8;
const ONLY_DIGITS = /^[\d\s]+$/;
/** Digits with common separators, as in `+44 (0)20 7946 0100` and `3/12/1984`; not part of a longer word. */
const NUMBER = /(?<![^\s,;])[+(]{0,2}\d[\d\s().\-/]*\d(?![^\s,;])/g;

/** The parts, if there are several and one of them is complete by itself; otherwise empty. */
export function searchParts(text: string, today: Day): readonly SearchPart[] {
  const parts: SearchPart[] = [];
  const take = (kind: SearchPart['kind']) => (part: string) => {
    parts.push({ kind, text: part.trim() });
    return ' ';
  };
  const words = withoutDates(text.replace(EMAIL, take('email')), today, take('date')).replace(
    NUMBER,
    take('number'),
  );
  if (/[\p{L}\d]/u.test(words)) parts.push({ kind: 'words', text: words.replace(/[\s,;]+/g, ' ').trim() });
  return parts.length > 1 ? parts : [];
}

/** Takes out the dates, the longest first, so that `born` goes with `born 30.12.1988`. */
function withoutDates(text: string, today: Day, take: (date: string) => string): string {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const left: string[] = [];
  for (let at = 0; at < words.length;) {
    const length = lengthOfDate(words, at, today);
    if (length > 0) take(words.slice(at, at + length).join(' '));
    else left.push(words[at] ?? '');
    at += Math.max(1, length);
  }
  return left.join(' ');
}

/** How many words the date has that begins here; 0 for none. Bare digits may be a part of a longer number. */
function lengthOfDate(words: readonly string[], at: number, today: Day): number {
  const isNumber = (place: number) => /^[\d(+][\d().-]*$/.test(words[place] ?? '');
  for (let length = Math.min(WORDS_OF_A_DATE, words.length - at); length > 0; length -= 1) {
    const text = words.slice(at, at + length).join(' ');
    const isBare = ONLY_DIGITS.test(text);
    if (isBare && (length === 1 || isNumber(at - 1) || isNumber(at + length))) continue;
    if (datesOf(text, today).length > 0) return length;
  }
  return 0;
}
