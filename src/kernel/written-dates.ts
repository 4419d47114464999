/** Dates as people write them. Pure. */
import { parseDate } from './civil-date.ts';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const YEAR_FIRST = /^(\d{4})[-/. ](\d{1,2})[-/. ](\d{1,2})$/;
const YEAR_LAST = /^(\d{1,2})([-/. ])(\d{1,2})\2(\d{4})$/;
const MONTH_FIRST = /^([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$/i;
const MONTH_SECOND = /^(\d{1,2})(?:st|nd|rd|th)?\.? ([a-z]{3,9})\.?,? (\d{4})$/i;

/**
 * The dates that a text may mean, as YYYY-MM-DD. `1/2/1990` has two, since the month or the day may come first; with
 * dots the day comes first. Empty for a text that is no date.
 */
export function datesOf(text: string): string[] {
  const [, year, month, day] = YEAR_FIRST.exec(text) ?? [];
  if (year !== undefined) return realDays([[year, month, day]]);
  const [, one, separator, other, last] = YEAR_LAST.exec(text) ?? [];
  if (last !== undefined) {
    const dayFirst = [last, other, one] as const;
    return realDays(separator === '.' ? [dayFirst] : [[last, one, other], dayFirst]);
  }
  const [, name, dayAfter, yearAfter] = MONTH_FIRST.exec(text) ?? [];
  if (name !== undefined) return realDays([[yearAfter, monthOf(name), dayAfter]]);
  const [, dayBefore, nameAfter = '', yearLast] = MONTH_SECOND.exec(text) ?? [];
  return dayBefore === undefined ? [] : realDays([[yearLast, monthOf(nameAfter), dayBefore]]);
}

function monthOf(name: string): string {
  return String(MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1);
}

type Parts = readonly [year: string | undefined, month: string | undefined, day: string | undefined];

function realDays(all: readonly Parts[]): string[] {
  const days = all.map(
    ([year = '', month = '', day = '']) => `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`,
  );
  return [...new Set(days)].filter((day) => parseDate(day) !== undefined);
}
