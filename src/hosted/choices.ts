/** Lists to choose from: countries, states, and the values of some identifiers (contract §1). */
import { COUNTRY_CODES, US_STATE_CODES } from '../contract/facts/countries.ts';
import { IDENTIFIER_WORDS, LIST_WORDS } from '../contract/facts/identifier-words.ts';
import { currentLanguage, wordsOf } from './words.ts';

export type Choices = readonly (readonly [value: string, name: string])[];

const COUNTRY = /(^|\.)(country|nationality|issuing_country)$/;
const US_STATE = /^(id\.drivers_license_state|business\.formation_state)$/;

/** Sorted by name in the language of the page, with the United States first. */
export function countries(): Choices {
  const names = new Intl.DisplayNames([currentLanguage()], { type: 'region' });
  const all = [...COUNTRY_CODES].map((code) => [code, names.of(code) ?? code] as const);
  all.sort(([, a], [, b]) => a.localeCompare(b, currentLanguage()));
  const isHome = ([code]: readonly [string, string]) => code === 'US';
  return [...all.filter(isHome), ...all.filter((each) => !isHome(each))];
}

export function states(): Choices {
  return [...US_STATE_CODES].sort().map((code) => [code, code] as const);
}

/** Undefined for an identifier that is typed. */
export function choicesOf(identifier: string): Choices | undefined {
  if (COUNTRY.test(identifier)) return countries();
  if (US_STATE.test(identifier)) return states();
  return IDENTIFIER_WORDS[identifier]?.map((word) => [word, wordsOf(word)] as const);
}

/** The elements of a list value; undefined for a typed list and for an identifier without a list. */
export function listChoicesOf(identifier: string): Choices | undefined {
  return LIST_WORDS[identifier]?.map((word) => [word, wordsOf(word)] as const);
}
