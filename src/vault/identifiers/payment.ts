/** The identifiers of cards and bank accounts. */
import { unexpectedCharacter } from '../../kernel/text/unexpected-character.ts';
import { country, zip } from './format-rules.ts';
import {
  firstCharacter,
  hidden,
  lastFour,
  shown,
  REFUSED,
  withFound,
  derivedRow,
  familyTable,
  sourceText,
  type IdentifierRule,
  type RuleShorthand,
  each,
} from './rule.ts';
import { digits, shortText, typedText, oneOf, type TextCleaner } from './text-rules.ts';

type Prefix = string | readonly [first: string, last: string];

/** Leading digits by issuer, contract §1.7; the first match wins, so the order counts. */
const ISSUERS: readonly (readonly [issuer: string, prefixes: readonly Prefix[]])[] = [
  ['forbrugsforeningen', ['600722']],
  ['dankort', ['4571', '5019']],
  ['visa_electron', ['4026', '417500', '4405', '4508', '4844', '4913', '4917']],
  ['amex', ['34', '37']],
  ['diners_club', [['300', '305'], '3095', '36', '38', '39']],
  ['jcb', [['3528', '3589']]],
  ['mir', [['2200', '2204']]],
  ['maestro', ['5018', '5020', '5038', '5893', '6304', '6390', '6759', ['6761', '6763']]],
  [
    'master_card',
    [
      ['51', '55'],
      ['2221', '2720'],
    ],
  ],
  ['discover', ['6011', ['622126', '622925'], ['644', '649'], '65']],
  ['union_pay', ['62', '81']],
  ['visa', ['4']],
];

function startsWithin(number: string, prefix: Prefix): boolean {
  if (typeof prefix === 'string') return number.startsWith(prefix);
  const [first, last] = prefix;
  const start = number.slice(0, first.length);
  return start >= first && start <= last;
}

/** The issuer of a card number by its leading digits, `unknown` when no line fits. */
export function cardIssuer(number: string): string {
  const match = ISSUERS.find(([, prefixes]) => prefixes.some((prefix) => startsWithin(number, prefix)));
  return match?.[0] ?? 'unknown';
}

/** The checksum of ISO/IEC 7812-1: every second digit from the right doubled, the sum divisible by ten. */
function passesLuhn(number: string): boolean {
  let sum = 0;
  for (let i = 0; i < number.length; i++) {
    const digit = Number(number.charAt(number.length - 1 - i));
    const weighted = i % 2 === 0 ? digit : digit * 2;
    sum += weighted > 9 ? weighted - 9 : weighted;
  }
  return sum % 10 === 0;
}

const cardNumber = digits({
  min: 12,
  max: 19,
  separated: true,
  checks: 'the Luhn checksum holds, unless the request has x-fp-ignore-luhn-validation: true',
  check: (number, { skipLuhn }) => (skipLuhn || passesLuhn(number) ? undefined : REFUSED.SUM),
});

function expirationProblem(value: string, match: RegExpExecArray | null): string {
  const found = unexpectedCharacter(value, /^[-/0-9]$/);
  const other = match ? 'a month that is none' : 'the digits grouped otherwise';
  return `MM/YY, MM/YYYY, MM-YY or MM-YYYY; found ${found ?? other}`;
}

/** `1/30`, `01-2030` and the like, stored as `MM/YYYY`; two-digit years are in this century. */
const expiration: TextCleaner = typedText(
  'M or MM, then / or -, then YY or YYYY; stored as MM/YYYY',
  (value) => {
    const match = /^([0-9]{1,2})[/-]([0-9]{2}|[0-9]{4})$/.exec(value);
    const [, month = '', year = ''] = match ?? [];
    if (Number(month) < 1 || Number(month) > 12)
      return withFound(REFUSED.EXP, expirationProblem(value, match));
    return `${month.padStart(2, '0')}/${year.length === 2 ? '20' : ''}${year}`;
  },
);

function fromNumber(compute: (number: string) => string): RuleShorthand {
  return derivedRow(shown, { from: ['number'], compute: (values) => compute(sourceText(values)) });
}

function fromExpiration(compute: (expiration: string) => string): RuleShorthand {
  return derivedRow(shown, { from: ['expiration'], compute: (values) => compute(sourceText(values)) });
}

/** Fields after `card.<alias>.` (contract §1.7). */
export const cardTable: ReadonlyMap<string, IdentifierRule> = familyTable(
  { family: 'card', kinds: ['user'], storage: 'text' },
  {
    number: { clean: cardNumber, mask: lastFour },
    cvc: { clean: digits({ min: 3, max: 4 }), mask: hidden },
    expiration: { clean: expiration, mask: shown },
    name: { clean: shortText, mask: firstCharacter },
    'billing_address.zip': { clean: zip, mask: shown },
    'billing_address.country': { clean: country, mask: shown },
    number_last4: fromNumber((number) => number.slice(-4)),
    issuer: fromNumber(cardIssuer),
    fingerprint: derivedRow(shown, {
      from: ['number'],
      compute: (values, derive) => derive.fingerprint('card_number', [sourceText(values)]),
    }),
    expiration_month: fromExpiration((value) => value.slice(0, 2)),
    expiration_year: fromExpiration((value) => value.slice(3)),
  },
);

const ROUTING_WEIGHTS = [3, 7, 1];

/** The checksum of ABA routing numbers: weights 3, 7, 1, the sum divisible by ten. */
function passesRoutingChecksum(number: string): boolean {
  let sum = 0;
  for (let i = 0; i < number.length; i++) {
    sum += Number(number.charAt(i)) * (ROUTING_WEIGHTS[i % ROUTING_WEIGHTS.length] ?? 0);
  }
  return sum % 10 === 0;
}

/** Fields after `bank.<alias>.` (contract §1.8). */
export const bankTable: ReadonlyMap<string, IdentifierRule> = familyTable(
  { family: 'bank', kinds: ['user'], storage: 'text' },
  {
    ach_routing_number: {
      clean: digits({
        min: 9,
        max: 9,
        checks: 'the ABA checksum holds',
        check: (number) => (passesRoutingChecksum(number) ? undefined : REFUSED.SUM),
      }),
      mask: shown,
    },
    ach_account_number: { clean: digits({ min: 4, max: 17, separated: true }), mask: lastFour },
    account_type: { clean: oneOf(['checking', 'savings']), mask: shown },
    ...each(['name', 'ach_account_id'], { clean: shortText, mask: shown }),
    fingerprint: derivedRow(shown, {
      from: ['ach_routing_number', 'ach_account_number'],
      compute: (values, derive) =>
        derive.fingerprint('bank_routing_account', [sourceText(values, 0), sourceText(values, 1)]),
    }),
  },
);
