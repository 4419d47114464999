import type { JsonValue } from '../../kernel/text/json.ts';
import { REFUSED, Refusal, inWords, type Cleaner, type InWords, type CleaningContext } from './rule.ts';

/** Checks text that is trimmed, not empty and free of control characters. */
export type TextRule = (text: string, situation: CleaningContext) => string | Refusal;
/** A cleaner whose result is text. */
export type TextCleaner = ((value: JsonValue, situation: CleaningContext) => string | Refusal) & InWords;

export const TEXT_LIMIT_BYTES = 1_023;
const SHORT_TEXT_LIMIT_BYTES = 199;

function hasControlCharacter(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}

function exceedsBytes(text: string, limit: number): boolean {
  if (text.length * 3 <= limit) return false;
  return text.length > limit || Buffer.byteLength(text) > limit;
}

/**
 * Typed text (contract §0.8): a string or exact integer. Trims it, then checks for control characters and emptiness,
 * then applies the rule.
 */
export function typedText(words: string, rule: TextRule): TextCleaner {
  return inWords(words, (value: JsonValue, situation: CleaningContext) => {
    const isExactInteger = typeof value === 'number' && Number.isSafeInteger(value);
    if (typeof value !== 'string' && !isExactInteger) return REFUSED.STR;
    const text = String(value).trim();
    if (hasControlCharacter(text)) return REFUSED.CTRL;
    return text === '' ? REFUSED.LEN : rule(text, situation);
  });
}

/** Any text of at most `limit` bytes of UTF-8. */
export function text(limit: number = TEXT_LIMIT_BYTES): TextCleaner {
  const words = `text of 1 to ${inThousands(limit)} bytes`;
  return typedText(words, (value) => (exceedsBytes(value, limit) ? REFUSED.LEN : value));
}

/** 1023 as 1,023. By hand, since the first use of a locale takes as long as a tenth of a start. */
function inThousands(count: number): string {
  const [thousands, rest] = [Math.floor(count / 1_000), String(count % 1_000)];
  return thousands === 0 ? rest : `${thousands},${rest.padStart(3, '0')}`;
}

export const shortText: TextCleaner = text(SHORT_TEXT_LIMIT_BYTES);

/** Removes all hyphens and blanks. */
export function withoutSeparators(value: string): string {
  return value.replace(/[- ]/g, '');
}

/** Checks the length first, then for digits; undefined when both are correct. */
function digitsRefusal(value: string, min: number, max: number): Refusal | undefined {
  if (value.length < min || value.length > max) return REFUSED.LEN;
  return /^[0-9]+$/.test(value) ? undefined : REFUSED.DIG;
}

/**
 * `min` to `max` digits. With `separated`, hyphens and blanks are removed first. Then `check` may refuse the digits;
 * `checks` describes it.
 */
export function digits(options: {
  min: number;
  max: number;
  separated?: boolean;
  check?: (digits: string, situation: CleaningContext) => Refusal | undefined;
  checks?: string;
}): TextCleaner {
  const { min, max, separated = false, check, checks } = options;
  const words = [
    min === max ? `${min} digits` : `${min} to ${max} digits`,
    ...(checks === undefined ? [] : [checks]),
    ...(separated ? ['hyphens and blanks are removed'] : []),
  ].join('; ');
  return typedText(words, (value, situation) => {
    const cleaned = separated ? withoutSeparators(value) : value;
    return digitsRefusal(cleaned, min, max) ?? check?.(cleaned, situation) ?? cleaned;
  });
}

/** One of the listed words, exactly as listed. */
export function oneOf(words: readonly string[]): TextCleaner {
  const allowed = new Set(words);
  return typedText(`one of ${words.join(', ')}`, (value) => (allowed.has(value) ? value : REFUSED.ENUM));
}

/**
 * A list of strings, each cleaned by `element`. Refusals in this order: not a list of strings, shorter than `min`, the
 * first refused element. `empty`, where given, replaces the refusal of an empty string: in a list of codes an empty
 * string is a wrong code, not a wrong length.
 */
export function listOf(
  element: TextCleaner,
  options: { min?: number; empty?: Refusal; distinct?: boolean; single?: boolean } = {},
): Cleaner {
  const { min = 1, empty, distinct = false, single = false } = options;
  const words = [
    min === 0 ? 'a list, may be empty' : 'a list, not empty',
    `each entry ${element.words ?? 'text'}`,
    ...(distinct ? ['repeats are dropped'] : []),
    ...(single ? ['a single text becomes a list of one'] : []),
  ].join('; ');
  return inWords(words, (value: JsonValue, situation: CleaningContext) => {
    const list = single && typeof value === 'string' ? [value] : value;
    if (!Array.isArray(list) || !list.every((entry) => typeof entry === 'string')) return REFUSED.LIST;
    if (list.length < min) return REFUSED.LEN;
    const cleaned: string[] = [];
    for (const entry of list) {
      const result = element(entry, situation);
      if (result instanceof Refusal) return result === REFUSED.LEN && empty !== undefined ? empty : result;
      cleaned.push(result);
    }
    return distinct ? [...new Set(cleaned)] : cleaned;
  });
}
