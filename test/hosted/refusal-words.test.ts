/** Each refusal has a person's sentence on the page, in both languages (contract §14). */
import { afterEach, describe, expect, test } from 'vitest';
import { FLOW_REFUSAL_TEXTS, REFUSAL_TEXTS } from '../../src/contract/facts/refusals.ts';
import { failureOf, sentenceOf } from '../../src/hosted/refusal-words.ts';
import { setLanguage } from '../../src/hosted/words.ts';
import { businessTable, idTable, investorProfileTable } from '../../src/vault/identifiers/entity.ts';
import { Refusal } from '../../src/vault/identifiers/rule.ts';
import { words } from '../support/words.ts';

const RULES = [
  ...[...idTable].map(([field, rule]) => [`id.${field}`, rule] as const),
  ...[...businessTable].map(([field, rule]) => [`business.${field}`, rule] as const),
  ...[...investorProfileTable].map(([field, rule]) => [`investor_profile.${field}`, rule] as const),
];
/** Entries that one rule or another refuses. */
const WRONG = [
  ...words`x 12 123456789 900000000 000000000 1988-02-31 1988-12-30x 88 a@b +0 +1 ! @ ZZ 1234567890123456789`,
  '\u0001',
  'x'.repeat(2000),
  '\u202c',
  '+1 555',
  [],
  ['x'],
  [''],
  ['US', 7],
  [{}],
  [{ first_name: 'A', last_name: 'B', ownership_stake: 0 }],
  {},
  0,
  true,
];
const SITUATION = { isLive: true, skipLuhn: false, isInUnitedStates: true };

function refusals(): [identifier: string, reason: string][] {
  return RULES.flatMap(([identifier, rule]) =>
    WRONG.flatMap((value): [string, string][] => {
      const cleaned = rule.clean(value, SITUATION);
      return cleaned instanceof Refusal ? [[identifier, cleaned.reason]] : [];
    }),
  );
}

const API_TEXTS = Object.values({ ...REFUSAL_TEXTS, ...FLOW_REFUSAL_TEXTS });
const FALLBACK = { en: 'Something isn’t right here: check it', es: 'Algo no está bien aquí: revísalo' };

function expectSentence(identifier: string, reason: string): void {
  for (const language of ['en', 'es'] as const) {
    setLanguage(language);
    const sentence = sentenceOf(identifier, reason);
    const place = `${identifier}: ${reason} (${language}): ${sentence}`;
    expect(sentence, place).toMatch(/^[A-Z¿\u00c0-\u00dc]/);
    expect(sentence, place).not.toMatch(/ISO|E\.164|YYYY|NaN|undefined|[{}_]|id\./);
    expect(
      API_TEXTS.some((text) => sentence.includes(text)),
      place,
    ).toBe(false);
    expect(sentence, place).not.toBe(FALLBACK[language]);
  }
}

describe('sentences', () => {
  afterEach(() => setLanguage('en'));

  test('sentences: every rule that a field of the page can meet has one in both languages', () => {
    const met = refusals();
    // Shows that the wrong entries reach the rules.
    expect(new Set(met.map(([identifier]) => identifier)).size).toBe(RULES.length);
    for (const [identifier, reason] of met) expectSentence(identifier, reason);
    for (const [identifier] of RULES) {
      for (const text of API_TEXTS) expectSentence(identifier, `${text}: 3 in all`);
    }
  });

  test('sentences: a language has its own', () => {
    for (const text of API_TEXTS) {
      setLanguage('en');
      const english = sentenceOf('id.first_name', text);
      setLanguage('es');
      expect(sentenceOf('id.first_name', text), text).not.toBe(english);
      expect(failureOf('T121')).toMatch(/^Todavía falta algo/);
    }
  });

  test.each([
    ['id.first_name', 'required by the playbook', 'Enter your first name'],
    ['id.country', 'required by the playbook', 'Choose your country'],
    ['id.email', 'is required', 'Enter your e-mail address'],
    ['business.name', 'required by the playbook', 'Enter the legal name of the business'],
    ['owners.1.last_name', 'is required', 'Enter the last name'],
    ['owners.1.email', 'is required, or a phone number', 'Enter an e-mail address or a phone number'],
    ['id.dob', REFUSAL_TEXTS.DATE, 'Enter your date of birth as month/day/year, such as 12/30/1988'],
    [
      'id.dob',
      `${REFUSAL_TEXTS.DATE}: the calendar has no such day`,
      'That day doesn’t exist: check your date of birth',
    ],
    ['id.ssn9', REFUSAL_TEXTS.LEN, 'This needs exactly 9 digits'],
    ['id.first_name', REFUSAL_TEXTS.LEN, 'This is too long: shorten it'],
    [
      'code',
      'is not the code that was sent: 4 tries are left',
      'That code isn’t right. You can try 4 more times',
    ],
    ['code', 'is not the code that was sent: 1 try is left', 'That code isn’t right. You can try once more'],
    ['document.passport.front.image', REFUSAL_TEXTS.MIME, 'Use JPG, PNG, HEIC or PDF'],
    ['id.city', 'a text of some later version', FALLBACK.en],
  ])('sentences: %s, %s', (identifier, reason, sentence) => {
    expect(sentenceOf(identifier, reason)).toBe(sentence);
  });

  test('sentences: plural in Spanish', () => {
    setLanguage('es');
    expect(sentenceOf('id.last_name', 'is required')).toBe('Escribe tus apellidos');
    expect(sentenceOf('id.country', 'is required')).toBe('Elige tu país');
  });
});
