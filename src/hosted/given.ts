/** What the person gives, before it is sent: typed dates and telephone numbers as the service takes them, and files. */
import { UPLOAD_LIMIT_BYTES } from '../contract/facts/limits.ts';
import { dayOf } from '../kernel/time/civil-date.ts';
import { datesOf, EXPIRY_DAYS } from '../kernel/time/written-dates.ts';

/**
 * The date that people mean, as YYYY-MM-DD: month first, unless dots are between. A year of two digits is in the past,
 * but for an expiry. Undefined for anything else. A date in numbers that the calendar lacks is for the service to refuse:
 * its reason is a better one than that no date was typed.
 */
export function dateOf(identifier: string, text: string): string | undefined {
  const [date] = datesOf(text, dayOf(Date.now()) + (/expir/.test(identifier) ? EXPIRY_DAYS : 0));
  const [, one = '', two = '', year] = /^(\d\d?)[/.](\d\d?)[/.](\d{4})$/.exec(text.trim()) ?? [];
  const [month, day] = text.includes('.') ? [two, one] : [one, two];
  return date ?? (year && `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`);
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
  // The 0 in brackets is dialled within the country only.
  const abroad = /^\s*(?:\+|00)/.test(text) ? text.replace(/\(\s*0\s*\)/, '') : text;
  const typed = abroad.replace(/[\s().\u2010-\u2015/-]/g, '');
  if (/^00[1-9]/.test(typed)) return `+${typed.slice(2)}`;
  if (/^[2-9]\d{9}$/.test(typed)) return `+1${typed}`;
  return /^1[2-9]\d{9}$/.test(typed) ? `+${typed}` : typed;
}

// A file is judged by its content, whatever its name is (contract §14, step 4).

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const JPEG = [0xff, 0xd8, 0xff];
/** Brands of ISO base media files that hold HEVC pictures (ISO/IEC 23008-12). */
const HEIC = /^ftyp(?:hei[cmsx]|hev[cmsx]|mif1|msf1)$/;
const HEAD_BYTES = 1024;

/** The media type by the first bytes; undefined for a file that the page doesn't take. */
export function mediaTypeOf(head: Uint8Array): string | undefined {
  const startsWith = (mark: readonly number[]) => mark.every((byte, index) => head[index] === byte);
  if (startsWith(PNG)) return 'image/png';
  if (startsWith(JPEG)) return 'image/jpeg';
  const text = String.fromCharCode(...head);
  if (HEIC.test(text.slice(4, 12))) return 'image/heic';
  // Readers take a PDF whose mark is among the first bytes.
  return text.includes('%PDF-') ? 'application/pdf' : undefined;
}

/** The file with the type of its content, or the reason why it is refused. */
export async function judged(file: File): Promise<File | 'MIME' | 'EMPTY' | 'BIG'> {
  if (file.size === 0) return 'EMPTY';
  if (file.size > UPLOAD_LIMIT_BYTES) return 'BIG';
  const type = mediaTypeOf(new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer()));
  return type === undefined ? 'MIME' : new File([file], file.name, { type });
}
