/** Transfers between accounts of the persona: two entries on one day, at the same moment. */
import type { TransferFlow } from '../fixtures/bank-personas/index.ts';
import { times, type Decimal } from '../kernel/decimal.ts';
import { effectOn, isLiability, labelOf } from './accounts.ts';
import type { AccountLedger, KeptAccount } from './account-ledger.ts';
import { categorised } from './enrichment.ts';
import {
  amountStep,
  bears,
  boundOf,
  onItsDays,
  rangeOf,
  TRANSFER_HOURS,
  type FlowStep,
  type FlowSurroundings,
} from './flow-parts.ts';

export function transferStep(flow: TransferFlow, surroundings: FlowSurroundings): FlowStep {
  const [from, to] = [surroundings.account(flow.from), surroundings.account(flow.to)];
  const bound = boundOf(flow.bound);
  const rates = flow.rate && rangeOf(flow.rate);
  const planned = amountStep(flow.amount, { key: flow.key, account: from }, surroundings);
  const taken = `${flow.verb} to ${labelOf(to)}`;
  const brought = `${flow.verb} from ${labelOf(from)}`;
  const enrichment = categorised(flow.category);

  return onItsDays({ ...flow, accounts: [from, to] }, surroundings, (ledger, chance) => {
    const amount = atMostOwed(ledger, to, planned(ledger, chance));
    const effect = effectOn(from, { type: 'debit', amount });
    if (amount <= 0n || !bears(ledger, from, effect, bound) || !isWithinLimit(ledger, from, effect)) return;
    const at = ledger.moment(chance, flow.hours ?? TRANSFER_HOURS);
    const reference = chance.fill('REF ########');
    const side = { at, isTimed: false, pendingDays: 0, enrichment };
    ledger.enter({
      ...side,
      key: `${flow.key}-${ledger.today.day}-out`,
      account: from,
      type: 'debit',
      amount,
      description: taken,
      raw: `${taken.toUpperCase()} ${reference}`,
    });
    const received = rates ? times(amount, chance.amount(rates)) : amount;
    if (to.account_type.startsWith('investment.')) {
      ledger.deposit(to, { at, amount: received, description: brought });
      return;
    }
    ledger.enter({
      ...side,
      key: `${flow.key}-${ledger.today.day}-in`,
      account: to,
      type: 'credit',
      amount: received,
      description: brought,
      raw: `${brought.toUpperCase()} ${reference}`,
    });
  });
}

/** Limits a payment to the debt. */
function atMostOwed(ledger: AccountLedger, to: KeptAccount, amount: Decimal): Decimal {
  if (!isLiability(to)) return amount;
  const owed = ledger.balance(to);
  return amount < owed ? amount : owed;
}

function isWithinLimit(ledger: AccountLedger, from: KeptAccount, effect: Decimal): boolean {
  return !isLiability(from) || from.limit === null || ledger.balance(from) + effect <= from.limit;
}
