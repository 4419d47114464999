import { parseDate } from '../time/civil-date.ts';
import { datesOf } from '../time/written-dates.ts';

const EMAIL = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/;
const PHONE = /^\+?(?:[\s().\-/]*\d){7,18}[\s()]*$/;
const TAX_NUMBER = /^\d{3}[-. ]?\d{2}[-. ]?\d{4}$|^\d{2}-?\d{7}$/;
/** Years of two digits are no later; any date is one. */
const LAST_DAY = parseDate('2099-12-31') ?? 0;

/**
 * What is wrong with a reason that is, as a whole, a value that a caller may have given; undefined for any other. The
 * record keeps reasons readable, so no client sends such a one. `named`: the reason's flag or question.
 */
export function personalReason(reason: string, named = 'This'): string | undefined {
  const value = personalValue(reason.trim());
  return value && `${named} is ${value}, and the record keeps the reason: say why in words`;
}

function personalValue(text: string): string | undefined {
  if (EMAIL.test(text)) return 'an e-mail address';
  if (datesOf(text, LAST_DAY).length > 0) return 'a date';
  if (TAX_NUMBER.test(text)) return 'a tax number';
  return PHONE.test(text) ? 'a phone number' : undefined;
}
