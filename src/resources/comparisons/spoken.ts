/**
 * Whether two texts say the same: what a person says of a value beside what is stored, in the form in which the
 * identifier stores it. Compared in constant time. Pure.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { datesOf } from '../../kernel/spoken-dates.ts';
import { comparableText, fold } from '../../vault/identifiers/index.ts';
import { StoredFile } from '../../vault/files/index.ts';
import type { StoredValue } from '../../vault/encoding.ts';

/** What a stored value is compared by: a text folded, a file's SHA-256, anything else as JSON. */
export function comparableValue(value: StoredValue): string {
  if (value instanceof StoredFile) return value.sha256;
  return typeof value === 'string' ? fold(value) : JSON.stringify(value);
}

/**
 * What a saying is compared by: as the identifier would store it. Undefined where it never stores such a text. A phone number may
 * be one of North America without its country code, a date may be as people write it, the month first where it can be both.
 */
export function comparableSaying(identifier: string, text: string): string | undefined {
  const spoken = text.trim();
  return comparableText(identifier, spoken) ?? comparableText(identifier, inLongForm(spoken));
}

function inLongForm(text: string): string {
  const [date] = datesOf(text);
  if (date !== undefined) return date;
  const digits = text.replace(/[\s().-]/g, '');
  if (/^\d{10}$/.test(digits)) return `+1${digits}`;
  return /^1\d{10}$/.test(digits) ? `+${digits}` : text;
}

/** In constant time, whatever the lengths are. */
export function areSame(one: string, other: string): boolean {
  const key = randomBytes(32);
  const digestOf = (text: string) => createHmac('sha256', key).update(text, 'utf8').digest();
  return timingSafeEqual(digestOf(one), digestOf(other));
}
