import { expect, test } from 'vitest';
import type { JsonValue } from '../../../src/kernel/json.ts';
import { cleaned, refused } from './a-vault.ts';
import { CTRL, ENUM, LEN, LIST, SYM } from './reasons.ts';
import { words } from '../../support/words.ts';

const WORDS: Record<string, string[]> = {
  employment_status: ['employed', 'unemployed', 'student', 'retired'],
  annual_income: words`le25k gt25k_le50k gt50k_le100k gt100k_le200k gt200k_le300k gt300k_le500k gt500k_le1200k`,
  net_worth: ['le50k', 'gt50k_le100k', 'gt100k_le200k', 'gt200k_le500k', 'gt500k_le1m', 'gt1m_le5m', 'gt5m'],
  risk_tolerance: ['conservative', 'moderate', 'aggressive'],
};
const LISTS: Record<string, string[]> = {
  investment_goals: ['growth', 'income', 'preserve_capital', 'speculation', 'diversification', 'other'],
  declarations: [
    'affiliated_with_us_broker',
    'senior_executive',
    'senior_political_figure',
    'family_of_political_figure',
  ],
  funding_sources: 'employment_income investments inheritance business_income savings family'.split(' '),
};

test.each(Object.entries(WORDS))('write investor_profile.%s: one of its words', (field, words) => {
  const name = `investor_profile.${field}`;
  for (const word of words) expect(cleaned(name, word)).toBe(word);
  for (const bad of ['other_word', words[0]?.toUpperCase() ?? '']) {
    expect(refused({ [name]: bad })).toEqual({ [name]: ENUM });
  }
});

test.each(Object.entries(LISTS))('write investor_profile.%s: its words in the order sent', (field, words) => {
  const name = `investor_profile.${field}`;
  expect(cleaned(name, words)).toEqual(words);
  expect(cleaned(name, words.toReversed())).toEqual(words.toReversed());
  for (const bad of [1, true, {}, [1], [null], [words]])
    expect(refused({ [name]: bad })).toEqual({ [name]: LIST });
  for (const bad of [['nonsense'], [''], [...words, 'nonsense']]) {
    expect(refused({ [name]: bad })).toEqual({ [name]: ENUM });
  }
});

const AT_LEAST_ONE = [
  'investment_goals',
  'senior_executive_symbols',
  'family_member_names',
  'funding_sources',
];

test.each(AT_LEAST_ONE)('write investor_profile.%s: the list may not be empty', (field) => {
  expect(refused({ [`investor_profile.${field}`]: [] })).toEqual({ [`investor_profile.${field}`]: LEN });
});

test('write investor_profile.declarations: the list may be empty', () => {
  expect(cleaned('investor_profile.declarations', [])).toEqual([]);
});

test('write investor_profile.funding_sources: a single string becomes a list, elsewhere it does not', () => {
  expect(cleaned('investor_profile.funding_sources', 'savings')).toEqual(['savings']);
  expect(refused({ 'investor_profile.funding_sources': 'lottery' })).toEqual({
    'investor_profile.funding_sources': ENUM,
  });
  expect(refused({ 'investor_profile.investment_goals': 'growth' })).toEqual({
    'investor_profile.investment_goals': LIST,
  });
});

test('write investor_profile.senior_executive_symbols: three to five letters each', () => {
  const name = 'investor_profile.senior_executive_symbols';
  expect(cleaned(name, ['ABC', ' goog ', 'AaaAa'])).toEqual(['ABC', 'goog', 'AaaAa']);
  for (const bad of [['AB'], ['ABCDEF'], ['AB1'], ['ABC', ''], ['ÄBC']]) {
    expect(refused({ [name]: bad })).toEqual({ [name]: SYM });
  }
});

test('write investor_profile.family_member_names: text each', () => {
  const name = 'investor_profile.family_member_names';
  expect(cleaned(name, [' Ada ', 'Charles'])).toEqual(['Ada', 'Charles']);
  const bad: [JsonValue, string][] = [
    [['Ada', ' '], LEN],
    [['x'.repeat(1024)], LEN],
    [['a\u0001b'], CTRL],
    [['Ada', 7], LIST],
  ];
  for (const [value, reason] of bad) expect(refused({ [name]: value })).toEqual({ [name]: reason });
});
