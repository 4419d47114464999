import { wordsOf } from '../../contract/facts/identifier-words.ts';
import { country, date, email, phoneNumber, state, usState, zip } from './format-rules.ts';
import {
  domainOnly,
  firstCharacter,
  hidden,
  lastFour,
  shown,
  yearOnly,
  REFUSED,
  type Refusal,
  each,
  familyTable,
  sourceText,
  type IdentifierRule,
} from './rule.ts';
import { digits, listOf, oneOf, shortText, text } from './text-rules.ts';
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
  return digits({
    min: SSN_DIGITS,
    max: SSN_DIGITS,
    separated: true,
    ...defined({ check, checks }),
  });
}

const ITIN_RULE = `the first is 9, the fourth and fifth are ${ITIN_GROUPS.map((group) => group.join(' to ')).join(', ')}`;

export function lastFourOfSsn(ssn9: string): string {
  return ssn9.slice(-SSN4_DIGITS);
}

/** `id.*` (contract §1.3). The rules between the four tax identifiers are in `tax-identifiers.ts`. */
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
        { from: ['ssn9'], compute: (values) => lastFourOfSsn(sourceText(values)) },
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
    us_legal_status: {
      clean: oneOf(wordsOf('id.us_legal_status')),
      mask: shown,
    },
    visa_kind: {
      clean: oneOf(wordsOf('id.visa_kind')),
      mask: shown,
    },
    visa_expiration_date: { clean: date, mask: shown },
    drivers_license_number: { clean: shortText, mask: lastFour },
    drivers_license_state: { clean: usState, mask: shown },
  },
);
