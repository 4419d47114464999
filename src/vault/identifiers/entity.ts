/** The identifiers of a person, of an investor, and of a business. */
import { wordsOf, EMPTY_LISTS } from '../../contract/facts/identifier-words.ts';
import { isJsonObject, type JsonValue } from '../../kernel/text/json.ts';
import { country, date, email, phoneNumber, state, usState, zip, webAddress } from './format-rules.ts';
import {
  domainOnly,
  firstCharacter,
  hidden,
  lastFour,
  shown,
  yearOnly,
  REFUSED,
  Refusal,
  each,
  familyTable,
  sourceText,
  type IdentifierRule,
  firstCharacterOfEach,
  type RuleShorthand,
  shape,
  inWords,
  type Cleaner,
  type CleaningContext,
} from './rule.ts';
import { digits, listOf, oneOf, shortText, text, typedText, type TextCleaner } from './text-rules.ts';
import { defined } from '../../kernel/defined.ts';

const SSN_DIGITS = 9;
const SSN4_DIGITS = 4;

function isWithin(number: number, ranges: readonly (readonly [number, number])[]): boolean {
  return ranges.some(([first, last]) => number >= first && number <= last);
}

const ITIN_GROUPS = [
  [50, 65],
  [70, 88],
  [90, 92],
  [94, 99],
] as const;

function itinRefusal(value: string): Refusal | undefined {
  const isItin = value.startsWith('9') && isWithin(Number(value.slice(3, 5)), ITIN_GROUPS);
  return isItin ? undefined : REFUSED.ITIN;
}

function ssnRefusal(value: string): Refusal | undefined {
  const area = value.slice(0, 3);
  const isSsn = area !== '000' && area !== '666' && value.slice(3, 5) !== '00' && value.slice(5) !== '0000';
  return isSsn ? undefined : REFUSED.SSN;
}

function nineDigits(check?: (value: string) => Refusal | undefined, checks?: string) {
  return digits({ min: SSN_DIGITS, max: SSN_DIGITS, separated: true, ...defined({ check, checks }) });
}

const ITIN_RULE = `the first is 9, the fourth and fifth are ${ITIN_GROUPS.map((group) => group.join(' to ')).join(', ')}`;

/** `id.*` (contract §1.3). The rules between the four tax identifiers are in `index.ts`. */
export const idTable: ReadonlyMap<string, IdentifierRule> = familyTable(
  { family: 'id', kinds: ['user'], storage: 'text' },
  {
    ...each(['first_name', 'middle_name', 'last_name', 'address_line1'], {
      clean: text(),
      mask: firstCharacter,
    }),
    ...each(['address_line2', 'city'], { clean: text(), mask: shown }),
    dob: { clean: date, mask: yearOnly },
    ssn9: { clean: nineDigits(), mask: lastFour },
    ssn4: {
      clean: digits({ min: SSN4_DIGITS, max: SSN4_DIGITS }),
      mask: hidden,
      origins: [
        { from: ['ssn9'], compute: (values) => sourceText(values).slice(-SSN4_DIGITS) },
        { from: ['ssn4'] },
      ],
    },
    itin: { clean: nineDigits(itinRefusal, ITIN_RULE), mask: lastFour },
    us_tax_id: {
      clean: nineDigits(
        (value) => (value.startsWith('9') ? itinRefusal(value) : ssnRefusal(value)),
        'one that begins with 9 is written as id.itin, another, if it is a valid number, as id.ssn9',
      ),
      mask: lastFour,
      origins: [{ from: ['ssn9'] }, { from: ['itin'] }],
    },
    state: { clean: state, mask: shown },
    zip: { clean: zip, mask: shown },
    ...each(['country', 'nationality'], { clean: country, mask: shown }),
    citizenships: {
      storage: 'json',
      clean: listOf(country, { empty: REFUSED.CTRY, distinct: true }),
      mask: shown,
    },
    email: { clean: email, mask: domainOnly },
    phone_number: { clean: phoneNumber, mask: lastFour },
    us_legal_status: { clean: oneOf(wordsOf('id.us_legal_status')), mask: shown },
    visa_kind: { clean: oneOf(wordsOf('id.visa_kind')), mask: shown },
    visa_expiration_date: { clean: date, mask: shown },
    drivers_license_number: { clean: shortText, mask: lastFour },
    drivers_license_state: { clean: usState, mask: shown },
  },
);

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
    employment_status: { clean: oneOf(wordsOf('investor_profile.employment_status')), mask: shown },
    ...each(['occupation', 'employer', 'brokerage_firm_employer', 'political_organization'], {
      clean: text(),
      mask: shown,
    }),
    annual_income: { clean: oneOf(wordsOf('investor_profile.annual_income')), mask: hidden },
    net_worth: { clean: oneOf(wordsOf('investor_profile.net_worth')), mask: hidden },
    investment_goals: listOfWords('investment_goals'),
    risk_tolerance: { clean: oneOf(wordsOf('investor_profile.risk_tolerance')), mask: shown },
    declarations: listOfWords('declarations'),
    senior_executive_symbols: { storage: 'json', clean: listOf(symbol, { empty: REFUSED.SYM }), mask: shown },
    family_member_names: { storage: 'json', clean: listOf(text()), mask: firstCharacterOfEach },
    funding_sources: listOfWords('funding_sources', { single: true }),
  },
);

const ownershipStake: Cleaner = inWords('a JSON number above 0, at most 100', (value: JsonValue) =>
  typeof value === 'number' && value > 0 && value <= 100 ? value : REFUSED.STK,
);

interface OwnerMember {
  readonly name: string;
  readonly clean: Cleaner;
  readonly isOptional?: true;
}

function orElse(clean: TextCleaner, refusal: Refusal): Cleaner {
  return (value, situation) => {
    if (typeof value !== 'string') return refusal;
    const cleaned = clean(value, situation);
    if (!(cleaned instanceof Refusal) || cleaned === REFUSED.SBX) return cleaned;
    // The same reason may go on with what was found.
    return cleaned.reason.startsWith(refusal.reason) ? cleaned : refusal;
  };
}

/** In the order in which they are refused: a wrong shape of any owner takes precedence over a wrong stake. */
const OWNER: readonly OwnerMember[] = [
  { name: 'first_name', clean: orElse(text(), REFUSED.OBJ) },
  { name: 'last_name', clean: orElse(text(), REFUSED.OBJ) },
  { name: 'ownership_stake', clean: ownershipStake },
];
const VERIFIED_OWNER: readonly OwnerMember[] = [
  ...OWNER,
  { name: 'email', clean: orElse(email, REFUSED.MAIL), isOptional: true },
  { name: 'phone_number', clean: orElse(phoneNumber, REFUSED.TEL), isOptional: true },
];

/** A list of owners with the listed members, others dropped. */
function ownerList(members: readonly OwnerMember[]): Cleaner {
  const named = members.map(({ name, isOptional }) => (isOptional ? `${name}?` : name)).join(', ');
  const words = `a list of {${named}}; other members are dropped`;
  return inWords(words, (value: JsonValue, situation: CleaningContext) => {
    if (!Array.isArray(value) || !value.every(isJsonObject)) return REFUSED.OBJ;
    const owners = value.map((): Record<string, JsonValue> => ({}));
    for (const { name, clean, isOptional } of members) {
      for (const [i, owner] of owners.entries()) {
        const member = value[i]?.[name] ?? null;
        if (member === null && isOptional) continue;
        const cleaned = clean(member, situation);
        if (cleaned instanceof Refusal) return cleaned;
        owner[name] = cleaned;
      }
    }
    return owners;
  });
}

/** `business.*` (contract §1.9). */
export const businessTable: ReadonlyMap<string, IdentifierRule> = familyTable(
  { family: 'business', kinds: ['business'], storage: 'text' },
  {
    ...each(['name', 'dba', 'address_line1', 'address_line2', 'city'], { clean: text(), mask: shown }),
    state: { clean: state, mask: shown },
    zip: { clean: zip, mask: shown },
    country: { clean: country, mask: shown },
    tin: { clean: digits({ min: 9, max: 9, separated: true }), mask: lastFour },
    website: { clean: webAddress, mask: shown },
    phone_number: { clean: phoneNumber, mask: lastFour },
    corporation_type: { clean: oneOf(wordsOf('business.corporation_type')), mask: shown },
    formation_state: { clean: usState, mask: shown },
    formation_date: { clean: date, mask: shown },
    beneficial_owner_explanation_message: { clean: text(), mask: shape },
    beneficial_owners: { storage: 'json', clean: ownerList(OWNER), mask: shape },
    kyced_beneficial_owners: { storage: 'json', clean: ownerList(VERIFIED_OWNER), mask: shape },
  },
);

/** Fields after `business.beneficial_owners.<alias>.`. */
export const beneficialOwnerTable: ReadonlyMap<string, IdentifierRule> = familyTable(
  { family: 'business', kinds: ['business'], storage: 'text' },
  {
    ownership_stake: { storage: 'json', clean: ownershipStake, mask: shown },
    ...each(['id.first_name', 'id.last_name'], { clean: text(), mask: firstCharacter }),
    'id.email': { clean: email, mask: domainOnly },
    'id.phone_number': { clean: phoneNumber, mask: lastFour },
  },
);
