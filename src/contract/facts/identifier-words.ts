/** The allowed values of identifiers with a fixed choice (contract §1.3, §1.5, §1.9). */
export const IDENTIFIER_WORDS: Readonly<Record<string, readonly string[]>> = {
  'id.us_legal_status': ['citizen', 'permanent_resident', 'visa'],
  'id.visa_kind': ['e1', 'e2', 'e3', 'f1', 'g4', 'h1b', 'l1', 'o1', 'tn1', 'other'],
  'investor_profile.employment_status': ['employed', 'unemployed', 'student', 'retired'],
  'investor_profile.annual_income': [
    'le25k',
    'gt25k_le50k',
    'gt50k_le100k',
    'gt100k_le200k',
    'gt200k_le300k',
    'gt300k_le500k',
    'gt500k_le1200k',
  ],
  'investor_profile.net_worth': [
    'le50k',
    'gt50k_le100k',
    'gt100k_le200k',
    'gt200k_le500k',
    'gt500k_le1m',
    'gt1m_le5m',
    'gt5m',
  ],
  'investor_profile.risk_tolerance': ['conservative', 'moderate', 'aggressive'],
  'business.corporation_type': [
    'c_corporation',
    's_corporation',
    'b_corporation',
    'llc',
    'llp',
    'partnership',
    'sole_proprietorship',
    'non_profit',
    'unknown',
    'trust',
    'agent',
  ],
};

/** The allowed elements of lists, by identifier (contract §1.5). */
export const LIST_WORDS: Readonly<Record<string, readonly string[]>> = {
  'investor_profile.investment_goals': [
    'growth',
    'income',
    'preserve_capital',
    'speculation',
    'diversification',
    'other',
  ],
  'investor_profile.declarations': [
    'affiliated_with_us_broker',
    'senior_executive',
    'senior_political_figure',
    'family_of_political_figure',
  ],
  'investor_profile.funding_sources': [
    'employment_income',
    'investments',
    'inheritance',
    'business_income',
    'savings',
    'family',
  ],
};

/** Lists that may be empty, because none of the words may apply. */
export const EMPTY_LISTS: ReadonlySet<string> = new Set(['investor_profile.declarations']);

/** The allowed values of an identifier, or elements if it is a list. */
export function wordsOf(identifier: string): readonly string[] {
  const words = IDENTIFIER_WORDS[identifier] ?? LIST_WORDS[identifier];
  if (!words) throw new Error(`${identifier} has no fixed choice`);
  return words;
}
