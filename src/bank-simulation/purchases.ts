/** Daily purchases, and daily sales of a shop: several transactions, each with a merchant from a list. */
import type { PurchasesFlow, QuotaFlow } from '../fixtures/bank-personas/index.ts';
import { decimal, type Decimal } from '../kernel/decimal.ts';
import { effectOn } from './accounts.ts';
import type { NewEntry } from './account-ledger.ts';
import type { AmountRange, Chance } from './chance.ts';
import { categorised, merchantOf } from './enrichment.ts';
import {
  bears,
  boundOf,
  onItsDays,
  pendingDaysOf,
  rangeOf,
  SHOPPING_HOURS,
  type FlowStep,
  type FlowSurroundings,
} from './flow-parts.ts';

/** The percentage of transactions whose time of day the institution reports. */
const TIMED_PERCENT = 70;

export function purchasesStep(flow: PurchasesFlow, surroundings: FlowSurroundings): FlowStep {
  const account = surroundings.account(flow.account);
  const merchants = flow.merchants.map(merchantOf);
  const range = flow.amount && rangeOf(flow.amount);
  const bound = boundOf(flow.bound);
  const enrichment = flow.category && categorised(flow.category);
  const [least, most] = flow.count;
  const type = flow.type ?? 'debit';

  return onItsDays({ ...flow, accounts: [account] }, surroundings, (ledger, chance) => {
    const count = chance.between(least, most);
    for (let i = 0; i < count; i++) {
      const merchant = chance.pick(merchants);
      const amount = smallish(range ?? merchant.amount, chance);
      const at = ledger.moment(chance, flow.hours ?? SHOPPING_HOURS, i, count);
      if (!bears(ledger, account, effectOn(account, { type, amount }), bound)) continue;
      ledger.enter({
        key: `${flow.key}-${ledger.today.day}-${i}`,
        account,
        type,
        amount,
        at,
        isTimed: chance.is(TIMED_PERCENT),
        pendingDays: pendingDaysOf(account, flow.pending ?? 0, chance),
        ...withGaps(
          {
            description: flow.description ?? merchant.name,
            raw: chance.fill(flow.raw ?? merchant.raw),
            enrichment: enrichment ?? merchant.enrichment,
          },
          chance,
        ),
      });
    }
  });
}

export function quotaStep(flow: QuotaFlow, surroundings: FlowSurroundings): FlowStep {
  const account = surroundings.account(flow.account);
  const merchants = flow.merchants.map(merchantOf);
  const { credits } = flow;
  const [sales, expenses] = [rangeOf(credits.amount), rangeOf(flow.amount)];
  const sale = categorised(credits.category);
  const [least, most] = [decimal(flow.least), decimal(flow.most)];
  const first = surroundings.anchor - surroundings.historyDays;
  /** The quota of all days before this one, so that every span of `days` has exactly the total. */
  const quotaBefore = (days: number): number => Math.floor((days * flow.total) / flow.days);

  return onItsDays({ ...flow, calendar: undefined, accounts: [account] }, surroundings, (ledger, chance) => {
    const days = ledger.today.day - first;
    const count = quotaBefore(days + 1) - quotaBefore(days) - ledger.entries.length;
    for (let i = 0; i < count; i++) {
      const balance = ledger.balance(account);
      const isSale = balance < least || (balance <= most && chance.is(credits.percent));
      const merchant = chance.pick(merchants);
      ledger.enter({
        key: `${flow.key}-${ledger.today.day}-${i}`,
        account,
        type: isSale ? 'credit' : 'debit',
        amount: smallish(isSale ? sales : expenses, chance),
        at: ledger.moment(chance, flow.hours ?? SHOPPING_HOURS, i, count),
        isTimed: chance.is(TIMED_PERCENT),
        pendingDays: isSale ? 0 : pendingDaysOf(account, flow.pending, chance),
        ...withGaps(
          {
            description: isSale ? credits.description : merchant.name,
            raw: chance.fill(isSale ? credits.raw : merchant.raw),
            enrichment: isSale ? sale : merchant.enrichment,
          },
          chance,
        ),
      });
    }
  });
}

/** The smaller of two draws, which makes small amounts more frequent. */
function smallish(range: AmountRange, chance: Chance): Decimal {
  const [one, other] = [chance.amount(range), chance.amount(range)];
  return one < other ? one : other;
}

type Wording = Pick<NewEntry, 'description' | 'raw' | 'enrichment'>;

/** Per hundred transactions, two lack a description, three the raw one, six the enrichment. */
function withGaps(wording: Wording, chance: Chance): Wording {
  const roll = chance.below(100);
  if (roll < 2) return { ...wording, description: null };
  if (roll < 5) return { ...wording, raw: null };
  return roll < 11 ? { ...wording, enrichment: null } : wording;
}
