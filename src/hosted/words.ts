/**
 * The texts of the page (contract §14) in its language: English in the code, Spanish in `spanish.ts`. Tests rely on the
 * accessible names in English: docs/hosted.md lists them.
 */
import { IDENTIFIER_WORDS, LIST_WORDS } from '../contract/facts/identifier-words.ts';
import { labelOf } from '../form/labels.ts';
import type { Language } from './embed-language.ts';
import { SPANISH, SPANISH_NAMES, SPANISH_WORDS } from './spanish.ts';

let language: Language = 'en';

/** Call it before the first place is drawn. */
export function setLanguage(chosen: Language): void {
  language = chosen;
}

export function currentLanguage(): Language {
  return language;
}

export function inLanguage(english: string, spanish: string): string {
  return language === 'es' ? spanish : english;
}

/** A text of the page; `{0}` is replaced by the first of `given`, and so on. */
export function phrase(english: keyof typeof SPANISH, ...given: readonly (string | number)[]): string {
  return inLanguage(english, SPANISH[english]).replace(/\{(\d)\}/g, (_, at) =>
    String(given[Number(at)] ?? ''),
  );
}

const LABELS: ReadonlyMap<string, string> = new Map([
  ['id.email', 'E-mail address'],
  ['id.phone_number', 'Phone number'],
  ['id.address_line1', 'Street address'],
  ['id.address_line2', 'Apartment, suite (optional)'],
  ['id.ssn9', 'Social security number'],
  ['id.ssn4', 'Last four digits of the social security number'],
  ['id.us_tax_id', 'Tax ID'],
  ['id.zip', 'Postal code'],
  ['business.name', 'Legal name of the business'],
  ['business.tin', 'Tax ID of the business (EIN)'],
  ['business.address_line1', 'Street address of the business'],
  ['business.address_line2', 'Suite (optional)'],
]);

/** Each identifier has the same name everywhere. */
export function nameOf(identifier: string): string {
  const english = LABELS.get(identifier) ?? labelOf(identifier);
  return inLanguage(english, SPANISH_NAMES[identifier] ?? english);
}

const TITLES: ReadonlyMap<string, readonly [title: keyof typeof SPANISH, lead?: keyof typeof SPANISH]> =
  new Map([
    ['name', ['What is your name?', 'As it stands on your identity document.']],
    ['birth', ['When were you born?', 'We use it to find you in records.']],
    ['contact', ['How can we reach you?']],
    ['address', ['Where do you live?', 'Your home address, no post-office box.']],
    ['tax', ['Your tax number', 'It is encrypted, and shown to nobody in full.']],
    ['legal_status', ['Your legal status', 'In the United States.']],
    ['licence', ['Your driver’s license']],
    ['business', ['About the business', 'As it is registered.']],
    ['business_address', ['Where is the business?', 'Its registered address.']],
    ['investor_profile', ['Your investments', 'So that you are offered what suits you.']],
    ['more', ['A few more details']],
  ] as const);

export function titleOf(screen: string): readonly [title: string, lead: string] {
  const [title, lead] = TITLES.get(screen) ?? [];
  return [title ? phrase(title) : nameOf(screen), lead ? phrase(lead) : ''];
}

/** `proof_of_address` is “Proof of address”, `gt25k_le50k` is “$25,000 to $50,000”. */
export function wordsOf(word: string): string {
  const english = KINDS.get(word) ?? amountsOf(word) ?? word.replace(/_/g, ' ');
  const text = inLanguage(english, SPANISH_WORDS[word] ?? english);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function amountsOf(word: string): string | undefined {
  const [, above, upTo] = /^(?:gt(\d+[km]))?_?(?:le(\d+[km]))?$/.exec(word) ?? [];
  if (above === undefined) return upTo === undefined ? undefined : phrase('up to {0}', amountOf(upTo));
  return upTo === undefined
    ? phrase('above {0}', amountOf(above))
    : phrase('{0} to {1}', amountOf(above), amountOf(upTo));
}

/** `1200k` is “$1,200,000”. */
function amountOf(text: string): string {
  const amount = parseInt(text, 10) * (text.endsWith('m') ? 1_000_000 : 1000);
  return `$${amount.toLocaleString('en-US')}`;
}

/** The displayed form of a value, with its words as people say them. */
export function displayed(identifier: string, shown: string): string {
  if (IDENTIFIER_WORDS[identifier]?.includes(shown)) return wordsOf(shown);
  const words = LIST_WORDS[identifier];
  if (!words) return shown;
  const chosen = words.filter((word) => shown.includes(`"${word}"`));
  return chosen.length === 0 ? phrase('None of them') : chosen.map(wordsOf).join(', ');
}

const KINDS: ReadonlyMap<string, string> = new Map([
  ['id_card', 'identity card'],
  ['drivers_license', 'driver’s license'],
  ['ssn_card', 'social security card'],
  ['affiliated_with_us_broker', 'I work for, or with, a broker in the United States'],
  ['senior_executive', 'I am a senior executive of a listed company'],
  ['senior_political_figure', 'I am a senior political figure'],
  ['family_of_political_figure', 'Somebody of my family is a political figure'],
  ['h1b', 'H1B'],
  ['llc', 'LLC'],
  ['llp', 'LLP'],
  ['c_corporation', 'C corporation'],
  ['s_corporation', 'S corporation'],
  ['b_corporation', 'B corporation'],
]);

/** The outcomes of contract §4.4, each with its purpose. */
export const OUTCOMES = [
  ['', 'As configured', 'Outcome rules, the sandbox id and the playbook decide'],
  ['pass', 'Pass', 'Everything matches'],
  ['fail', 'Fail', 'Nothing matches'],
  ['manual_review', 'Manual review', 'Fails, and somebody has to look'],
  ['step_up', 'Step up', 'Asks for a document'],
  ['none', 'None', 'No decision'],
  ['error', 'Error', 'The run breaks'],
  ['pending', 'Pending', 'Waits until it is resolved'],
] as const;
