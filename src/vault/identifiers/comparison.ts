/** Normalises texts for comparison with stored values (contract §4.3, §10). Pure. */
import { type Day } from '../../kernel/civil-date.ts';
import { datesOf, EXPIRY_DAYS } from '../../kernel/written-dates.ts';
import { fold } from './fingerprints.ts';
import { countryCodeOf, stateCodeOf } from './place-names.ts';
import { REFUSED, Refusal } from './refusals.ts';
import { getIdentifier } from './registry.ts';

export { fold };

const ANY_SITUATION = { isLive: false, skipLuhn: true, isInUnitedStates: false };

/**
 * The folded text in the stored form of the identifier: `+1 (415) 555-2671` becomes `+14155552671`. Undefined when the
 * identifier can never have this text. Throws `invalid_request` for an unknown identifier.
 */
export function comparableText(identifier: string, text: string): string | undefined {
  const { derived, rule } = getIdentifier(identifier);
  if (derived) return fold(text);
  const cleaned = rule.clean(text, ANY_SITUATION);
  return typeof cleaned === 'string' ? fold(cleaned) : undefined;
}

const IS_STATE = /(?:^|[._])state$/;
const IS_NUMBER = /(?:number|zip|last4)$/;
const IS_EXPIRY = /expir/;

/**
 * What a person may mean by a text, in the stored form of the identifier and folded: dates, telephone numbers and digits
 * as people say them, and names of countries and US states. Several for an ambiguous date; empty when the text can't be
 * read as a value of the identifier.
 */
export function statedForms(identifier: string, text: string, today: Day): readonly string[] {
  const stated = text.trim();
  const plain = comparableText(identifier, stated);
  const forms = plain === undefined ? readable(identifier, stated, today) : [plain];
  return forms.flatMap((form) => equalForms(identifier, form));
}

/** The forms of one text that count as equal: a US state by its code, too, and numbers without separators. */
export function equalForms(identifier: string, text: string): readonly string[] {
  const folded = fold(text);
  const other = IS_STATE.test(identifier)
    ? stateCodeOf(folded)?.toLowerCase()
    : IS_NUMBER.test(identifier) || /^[\d\s.-]+$/.test(folded)
      ? folded.replace(/[\s.\-/]/g, '')
      : undefined;
  return other === undefined || other === folded ? [folded] : [folded, other];
}

function readable(identifier: string, stated: string, today: Day): readonly string[] {
  const latest = IS_EXPIRY.test(identifier) ? today + EXPIRY_DAYS : today;
  const place = IS_STATE.test(identifier) ? stateCodeOf(stated) : countryCodeOf(stated);
  const digits = stated.replace(/[\s.\-/*•#xX]/g, '');
  const all = [
    ...datesOf(stated, latest),
    ...phoneNumbers(stated),
    ...(/^\d+$/.test(digits) ? [digits] : []),
    ...(place === undefined ? [] : [place]),
  ];
  return all.flatMap((each) => comparableText(identifier, each) ?? []);
}

/** A number of ten digits, or of 1 and ten digits, is North American. */
function phoneNumbers(stated: string): readonly string[] {
  const digits = stated.replace(/\(0\)/g, '').replace(/[\s().\-/‐-―]/g, '');
  const [, national] = /^(?:\+?1)?([2-9]\d{9})$/.exec(digits) ?? [];
  if (national !== undefined) return [`+1${national}`];
  const [, international] = /^(?:\+|00|011)([1-9]\d+)$/.exec(digits) ?? [];
  return international === undefined ? [] : [`+${international}`];
}

const TO_SAY: readonly (readonly [refusal: Refusal, hint: string])[] = [
  [REFUSED.DATE, 'Say 12/30/1988, 30.12.1988 or 30 Dec 1988'],
  [REFUSED.TEL, 'Say it with + and the country code: +1 415 555 2671'],
  [REFUSED.CTRY, 'Say a country or its code: Germany, DE or DEU'],
  [REFUSED.ST, 'Say a US state or its code: Georgia or GA'],
];

/** How to give a value that can be read as this identifier; for a text of which `statedForms` is empty. */
export function howToState(identifier: string, text: string): string {
  const { rule } = getIdentifier(identifier);
  const refusal = rule.clean(text.trim(), ANY_SITUATION);
  const reason = refusal instanceof Refusal ? refusal.reason : '';
  const [, hint] = TO_SAY.find(([{ reason: known }]) => reason.startsWith(known)) ?? [];
  return hint ?? `It must be ${rule.clean.words ?? 'a value that this field can have'}`;
}
