/** Compares a stated value with a stored one, in the stored form of the identifier. Compares in constant time. Pure. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { datesOf } from '../../kernel/spoken-dates.ts';
import { comparableText, fold } from '../../vault/identifiers/index.ts';
import { StoredFile } from '../../vault/files/index.ts';
import type { StoredValue } from '../../vault/encoding.ts';

/** The comparable form of a stored value: folded text, a file's SHA-256, JSON for anything else. */
export function comparableValue(value: StoredValue): string {
  if (value instanceof StoredFile) return value.sha256;
  return typeof value === 'string' ? fold(value) : JSON.stringify(value);
}

/**
 * The comparable form of a stated value: as the identifier would store it. Undefined when it can never store such a
 * text. A phone number may be North American without a country code. A date may be in any common form, with the month
 * first if ambiguous.
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

/** In constant time for any lengths. */
export function areSame(one: string, other: string): boolean {
  const key = randomBytes(32);
  const digestOf = (text: string) => createHmac('sha256', key).update(text, 'utf8').digest();
  return timingSafeEqual(digestOf(one), digestOf(other));
}
