import {
  lastFour,
  shown,
  REFUSED,
  derivedRow,
  each,
  familyTable,
  sourceText,
  type IdentifierRule,
} from './rule.ts';
import { digits, oneOf, shortText } from './text-rules.ts';

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
