/** Converts typed dates and telephone numbers to the form that the service takes. */
import { dayOf } from '../kernel/civil-date.ts';
import { datesOf, EXPIRY_DAYS } from '../kernel/written-dates.ts';

/**
 * The date that people mean, as YYYY-MM-DD: month first, unless dots are between. A year of two digits is in the past,
 * but for an expiry. Undefined for anything else, and for a date that the calendar lacks.
 */
export function dateOf(identifier: string, text: string): string | undefined {
  const [date] = datesOf(text, dayOf(Date.now()) + (/expir/.test(identifier) ? EXPIRY_DAYS : 0));
  return date;
}

const OLDEST_YEARS = 130;

/** Whether a date of birth can't be one; `today` by the calendar of the person. */
export function birthProblem(date: string, today: Date): 'FUTURE' | 'OLD' | undefined {
  const two = (part: number) => String(part).padStart(2, '0');
  const on = (year: number) => `${year}-${two(today.getMonth() + 1)}-${two(today.getDate())}`;
  if (date > on(today.getFullYear())) return 'FUTURE';
  return date < on(today.getFullYear() - OLDEST_YEARS) ? 'OLD' : undefined;
}

/** With `+` and country code. Ten digits, or 1 and ten digits, are a number of the United States. */
export function phoneOf(text: string): string {
  const typed = text.replace(/[\s().\u2010-\u2015/-]/g, '');
  if (/^00[1-9]/.test(typed)) return `+${typed.slice(2)}`;
  if (/^[2-9]\d{9}$/.test(typed)) return `+1${typed}`;
  return /^1[2-9]\d{9}$/.test(typed) ? `+${typed}` : typed;
}
