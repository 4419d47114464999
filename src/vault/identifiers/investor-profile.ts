import { EMPTY_LISTS, wordsOf } from '../../contract/facts/identifier-words.ts';
import {
  firstCharacterOfEach,
  hidden,
  shown,
  REFUSED,
  each,
  familyTable,
  type IdentifierRule,
  type RuleShorthand,
} from './rule.ts';
import { listOf, oneOf, text, typedText } from './text-rules.ts';
import type { TextCleaner } from './text-rules.ts';

const symbol: TextCleaner = typedText('3 to 5 letters', (value) =>
  /^[A-Za-z]{3,5}$/.test(value) ? value : REFUSED.SYM,
);

/** A list of words from a fixed choice; may be empty where none of them may apply. */
function listOfWords(name: string, options: { single?: boolean } = {}): RuleShorthand {
  const identifier = `investor_profile.${name}`;
  const clean = listOf(oneOf(wordsOf(identifier)), {
    ...options,
    ...(EMPTY_LISTS.has(identifier) && { min: 0 }),
    empty: REFUSED.ENUM,
  });
  return { storage: 'json', clean, mask: shown };
}

/** `investor_profile.*` (contract §1.5). Lists keep the order of the request; there are no rules across fields. */
export const investorProfileTable: ReadonlyMap<string, IdentifierRule> = familyTable(
  { family: 'investor_profile', kinds: ['user'], storage: 'text' },
  {
    employment_status: {
      clean: oneOf(wordsOf('investor_profile.employment_status')),
      mask: shown,
    },
    ...each(['occupation', 'employer', 'brokerage_firm_employer', 'political_organization'], {
      clean: text(),
      mask: shown,
    }),
    annual_income: {
      clean: oneOf(wordsOf('investor_profile.annual_income')),
      mask: hidden,
    },
    net_worth: {
      clean: oneOf(wordsOf('investor_profile.net_worth')),
      mask: hidden,
    },
    investment_goals: listOfWords('investment_goals'),
    risk_tolerance: {
      clean: oneOf(wordsOf('investor_profile.risk_tolerance')),
      mask: shown,
    },
    declarations: listOfWords('declarations'),
    senior_executive_symbols: {
      storage: 'json',
      clean: listOf(symbol, { empty: REFUSED.SYM }),
      mask: shown,
    },
    family_member_names: { storage: 'json', clean: listOf(text()), mask: firstCharacterOfEach },
    funding_sources: listOfWords('funding_sources', { single: true }),
  },
);
