/** Converts typed dates and telephone numbers to the form that the service takes. Pure. */

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/**
 * YYYY-MM-DD of `12/30/1988` (month first), `30.12.1988` (day first), `1988-12-30`, `30 Dec 1988` or `December 30,
 * 1988`; undefined for anything else. The service checks that the date exists.
 */
export function dateOf(text: string): string | undefined {
  const typed = text.trim();
  const iso = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(typed);
  if (iso) return joined(iso[1], iso[2], iso[3]);
  const slashed = /^(\d{1,2})[/-](\d{1,2})[/-](\d{4})$/.exec(typed);
  if (slashed) {
    // A first number above 12 must be the day.
    const isDayFirst = Number(slashed[1]) > 12;
    return isDayFirst
      ? joined(slashed[3], slashed[2], slashed[1])
      : joined(slashed[3], slashed[1], slashed[2]);
  }
  const dotted = /^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})$/.exec(typed);
  if (dotted) return joined(dotted[3], dotted[2], dotted[1]);
  const digits = /^(\d{2})(\d{2})(\d{4})$/.exec(typed);
  if (digits) return joined(digits[3], digits[1], digits[2]);
  const named =
    /^(\d{1,2})(?:st|nd|rd|th)?\s+([a-z]{3,9})\.?,?\s+(\d{4})$/i.exec(typed) ??
    swapped(/^([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})$/i.exec(typed));
  if (!named) return undefined;
  const month = MONTHS.indexOf((named[2] ?? '').slice(0, 3).toLowerCase()) + 1;
  return month === 0 ? undefined : joined(named[3], String(month), named[1]);
}

function swapped(match: RegExpExecArray | null): (string | undefined)[] | null {
  return match && [match[0], match[2], match[1], match[3]];
}

function joined(year = '', month = '', day = ''): string {
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

const OLDEST_YEARS = 130;

/** Whether a date of birth can't be one; `today` by the calendar of the person. */
export function birthProblem(date: string, today: Date): 'FUTURE' | 'OLD' | undefined {
  const on = (year: number) =>
    joined(String(year).padStart(4, '0'), String(today.getMonth() + 1), String(today.getDate()));
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
