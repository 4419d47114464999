/** Scheduled payments: pay, rent, bills, fees, interest. */
import type { InterestFlow, ScheduledFlow } from '../fixtures/bank-personas/index.ts';
import { decimal, share } from '../kernel/decimal.ts';
import { effectOn, isLiability } from './accounts.ts';
import { categorised, merchantOf } from './enrichment.ts';
import {
  amountStep,
  bears,
  boundOf,
  OFFICE_HOURS,
  onItsDays,
  pendingDaysOf,
  type FlowStep,
  type FlowSurroundings,
} from './flow-parts.ts';

export function scheduledStep(flow: ScheduledFlow, surroundings: FlowSurroundings): FlowStep {
  const account = surroundings.account(flow.account);
  const merchant = flow.merchant === undefined ? undefined : merchantOf(flow.merchant);
  const bound = boundOf(flow.bound);
  const below = boundOf(flow.when?.below);
  const amountOf = amountStep(flow.amount, { key: flow.key, account }, surroundings);
  const description = flow.description ?? merchant?.name ?? null;
  const raw = flow.raw ?? merchant?.raw ?? null;
  const enrichment = flow.category ? categorised(flow.category) : (merchant?.enrichment ?? null);
  const { type } = flow;

  return onItsDays({ ...flow, accounts: [account] }, surroundings, (ledger, chance) => {
    if (below !== undefined && ledger.balance(account) >= below) return;
    const amount = amountOf(ledger, chance);
    if (amount === 0n || !bears(ledger, account, effectOn(account, { type, amount }), bound)) return;
    ledger.enter({
      key: `${flow.key}-${ledger.today.day}`,
      account,
      type,
      amount,
      at: ledger.moment(chance, flow.hours ?? OFFICE_HOURS),
      isTimed: false,
      pendingDays: pendingDaysOf(account, flow.pending ?? 0, chance),
      description,
      raw: raw === null ? null : chance.fill(raw),
      enrichment,
    });
  });
}

const MONTHS = 12n;
const PERCENT = 100n;
const ONE = decimal('1');

const INTEREST = {
  paid: { type: 'credit', description: 'Interest paid', enrichment: categorised(['income', 'interest']) },
  charged: {
    type: 'debit',
    description: 'Interest charge',
    enrichment: categorised(['bank_fees', 'interest_charge']),
  },
} as const;

export function interestStep(flow: InterestFlow, surroundings: FlowSurroundings): FlowStep {
  const account = surroundings.account(flow.account);
  const rate = decimal(flow.rate);
  const { type, description, enrichment } = isLiability(account) ? INTEREST.charged : INTEREST.paid;

  return onItsDays({ ...flow, accounts: [account] }, surroundings, (ledger, chance) => {
    const amount = share(ledger.balance(account), rate, MONTHS * PERCENT * ONE);
    if (amount <= 0n) return;
    ledger.enter({
      key: `${flow.key}-${ledger.today.day}`,
      account,
      type,
      amount,
      at: ledger.moment(chance, flow.hours ?? OFFICE_HOURS),
      isTimed: false,
      pendingDays: 0,
      description,
      raw: description.toUpperCase(),
      enrichment,
    });
  });
}
