/** Splits a search text into several parts, such as `doe (415) 555-0100`. Pure. */
import type { Day } from '../../kernel/civil-date.ts';
import { datesOf, isMonth } from '../../kernel/written-dates.ts';

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

/** `31.02.1988`, `99/99/99`; not a phone or tax number, which have three digits in a row. */
const DATE_IN_NUMBERS =
  /(?<!\S)(?:\d{1,2}([./\\-])\d{1,2}\1(?:\d{4}|\d{2})|\d{4}([./\\-])\d{1,2}\2\d{1,2})(?![^\s,;?!])[,;?!]?/g;
/** `30 feb 1988` or `Feb 30, 1988`, where the word names a month. */
const DATE_IN_WORDS =
  /(?<!\S)(?:\d{1,2}(?:st|nd|rd|th|\.)? (?:of )?(\p{L}{3,10})\.?,? \d{4}|(\p{L}{3,10})\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4})(?![^\s,;?!])[,;?!]?/giu;

/** Takes out what looks like a date and is none, such as `31.02.1988` and `30 feb 1988`. */
export function withoutFalseDates(text: string, today: Day): string {
  const isDate = (found: string) => datesOf(found, today).length > 0;
  return text
    .replace(/\s+/g, ' ')
    .replace(DATE_IN_NUMBERS, (found) => (isDate(found) ? found : ' '))
    .replace(DATE_IN_WORDS, (found, one: string | undefined, other: string | undefined) =>
      isDate(found) || !isMonth(one ?? other ?? '') ? found : ' ',
    )
    .replace(/\s+/g, ' ')
    .trim();
}
