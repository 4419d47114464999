/** The searchable parts of a vault: their identifiers, and how these become words. */
import type { EntityKind } from '../../nouns/entities/facts.ts';
import { parseDate } from '../../kernel/time/civil-date.ts';
import type { StoredValue } from '../reader.ts';
import { NAME_IDENTIFIERS, storedNameWords } from './names.ts';
import type { Fit } from './packed-words.ts';

/** A part whose words are in memory once it was searched. */
export type SearchedPart = 'name' | 'date_of_birth' | 'phone_number' | 'tax_number' | 'sandbox_id';

interface PartRule {
  /** Stored identifiers, without derived ones. */
  readonly identifiers: Readonly<Record<EntityKind, readonly string[]>>;
  readonly words: (value: string, identifier: string) => readonly string[];
  /** The word that a sought text is looked for as; by default itself. */
  readonly sought?: (text: string) => string;
  readonly fit: Fit;
}

const NOTHING = { user: [], business: [] };

const TAX_NUMBER_END = 4;

export const SEARCHED_PARTS: Readonly<Record<SearchedPart, PartRule>> = {
  name: { identifiers: NAME_IDENTIFIERS, words: storedNameWords, fit: 'start' },
  date_of_birth: {
    identifiers: { user: ['id.dob'], business: [] },
    words: (value) => [dayWord(value)],
    sought: dayWord,
    fit: 'whole',
  },
  phone_number: {
    identifiers: { user: ['id.phone_number'], business: ['business.phone_number'] },
    words: (value) => [digitsOf(value)],
    fit: 'end',
  },
  // The whole number of a user is found by its fingerprint; a business has no fingerprint.
  tax_number: {
    identifiers: { user: ['id.ssn9', 'id.ssn4', 'id.itin'], business: ['business.tin'] },
    words: (value, identifier) => [identifier === 'business.tin' ? value : value.slice(-TAX_NUMBER_END)],
    fit: 'end',
  },
  // In plain text in the entity's row, without an index, which would cost every creation a page.
  sandbox_id: { identifiers: NOTHING, words: (value) => [lowerCase(value)], sought: lowerCase, fit: 'start' },
};

function lowerCase(text: string): string {
  return text.toLowerCase();
}

const FIRST_PRINTABLE = 0x21;
const BASE = 90;
const DAY_CHARACTERS = 4;
/** Makes the number of every day positive. */
const DAYS_BEFORE_1970 = 1_000_000;

/**
 * A date in four characters, of which the first changes from day to day. Nearly all dates begin with 19 and 20, so that
 * a scan for one as it is written would stop at each of the others.
 */
function dayWord(text: string): string {
  const day = parseDate(text);
  if (day === undefined) return text;
  let word = '';
  for (let rest = day + DAYS_BEFORE_1970; word.length < DAY_CHARACTERS; rest = Math.floor(rest / BASE)) {
    word += String.fromCharCode(FIRST_PRINTABLE + (rest % BASE));
  }
  return word;
}

/** The words of an entity, from its stored values by identifier; values that are no text have none. */
export function wordsOfPart(
  part: SearchedPart,
  values: Iterable<readonly [identifier: string, value: StoredValue]>,
): string[] {
  const { words } = SEARCHED_PARTS[part];
  const all = new Set<string>();
  for (const [identifier, value] of values) {
    if (typeof value !== 'string') continue;
    for (const word of words(value, identifier)) all.add(word);
  }
  return [...all];
}

export function digitsOf(text: string): string {
  return text.replace(/\D/g, '');
}
