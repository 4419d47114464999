/** Parts shared by all kinds of flows. */
import type { Enrichment } from '../nouns/bank-links/endpoints/records.ts';
import {
  type CashFlow,
  type PlannedAmount,
  MERCHANTS,
  PROCESSORS,
  type CategoryPair,
  type Merchant,
} from '../fixtures/bank-personas/index.ts';
import type { Day } from '../kernel/time/civil-date.ts';
import { decimal, share, type Decimal } from '../kernel/numbers/decimal.ts';
import { isLiability } from '../nouns/bank-links/facts.ts';
import type { KeptAccount } from './accounts.ts';
import type { AccountLedger } from './account-ledger.ts';
import { isOn } from './calendar.ts';
import { chanceOf, rangeOf, seedOf, type Chance } from './chance.ts';

// An institution's classification of its transactions: categories, merchants and processors, each with its confidence.

const CATEGORY_CONFIDENCE = '0.99';

/** Merchants as flows use them. Each is built once and shared by its transactions. */
const known = new Map(Object.entries(MERCHANTS).map(([key, merchant]) => [key, know(key, merchant)]));

/** Throws for an unknown merchant. */
export function merchantOf(key: string) {
  const merchant = known.get(key);
  if (!merchant) throw new Error('A persona names a merchant that there is not');
  return merchant;
}

/** The enrichment of a transaction without a merchant. */
export function categorised([category, subcategory]: CategoryPair): Enrichment {
  return {
    category: { confidence: CATEGORY_CONFIDENCE, value: category },
    subcategory: { confidence: CATEGORY_CONFIDENCE, value: subcategory },
    merchant: null,
    processor: null,
  };
}

function know(key: string, merchant: Merchant) {
  const [category, subcategory] = merchant.category;
  const [ofCategory, ofSubcategory, ofMerchant] = merchant.confidence;
  return {
    ...merchant,
    amount: rangeOf(merchant.amount),
    enrichment: {
      category: { confidence: ofCategory, value: category },
      subcategory: { confidence: ofSubcategory, value: subcategory },
      merchant: { confidence: ofMerchant, id: `merchant_${key}`, logo: merchant.logo, name: merchant.name },
      processor: merchant.processor === null ? null : processorOf(merchant.processor),
    } satisfies Enrichment,
  };
}

function processorOf(key: string): Enrichment['processor'] {
  const processor = PROCESSORS[key];
  if (!processor) throw new Error('A merchant names a processor that there is not');
  return { confidence: processor.confidence, id: `processor_${key}`, logo: null, name: processor.name };
}

/** Enters a flow's transactions of one day in the ledger; on most days there are none. */
export type FlowStep = (ledger: AccountLedger) => void;

/** The context in which flows are built. */
export interface FlowSurroundings {
  readonly seed: string;
  readonly anchor: Day;
  readonly historyDays: number;
  /** Throws for a key that the persona doesn't have. */
  readonly account: (key: string) => KeptAccount;
}

const MOST_PENDING_DAYS = 3;

/** A step that runs on the days of its calendar while all of its accounts are open, with that day's random source. */
export function onItsDays(
  { key, calendar, accounts }: Pick<CashFlow, 'key' | 'calendar'> & { accounts: readonly KeptAccount[] },
  { seed, anchor }: FlowSurroundings,
  step: (ledger: AccountLedger, chance: Chance) => void,
): FlowStep {
  const ownSeed = seedOf(`${seed}\0flow\0${key}`);
  return (ledger) => {
    const { today } = ledger;
    if (calendar && !isOn(calendar, today, anchor)) return;
    if (accounts.some(({ closes }) => closes !== null && today.day > closes)) return;
    step(ledger, chanceOf(ownSeed, today.day));
  };
}

const MONTHS = 12n;
const PERCENT = 100n;
const ONE = decimal('1');

/** `account`: the account whose surplus or interest the amount may be. The amount is zero when nothing is due. */
export function amountStep(
  plan: PlannedAmount,
  { key, account }: { readonly key: string; readonly account: KeptAccount },
  { seed }: FlowSurroundings,
): (ledger: AccountLedger, chance: Chance) => Decimal {
  if (typeof plan === 'string') {
    const amount = decimal(plan);
    return () => amount;
  }
  if ('steady' in plan) {
    const amount = chanceOf(seedOf(`${seed}\0steady\0${key}`), 0).amount(rangeOf(plan.steady));
    return () => amount;
  }
  if ('above' in plan) {
    const [above, least] = [decimal(plan.above), decimal(plan.least)];
    return (ledger) => {
      const surplus = ledger.balance(account) - above;
      return surplus < least ? 0n : surplus;
    };
  }
  if ('statement' in plan) return (ledger) => ledger.statement(plan.statement);
  if ('interest' in plan) {
    const rate = decimal(plan.interest);
    return (ledger) => share(ledger.balance(account), rate, MONTHS * PERCENT * ONE);
  }
  const range = rangeOf(plan);
  return (_book, chance) => chance.amount(range);
}

/** Whether the bound permits the effect: a depository account stays at or above it, a liability at or below it. */
export function bears(
  ledger: AccountLedger,
  account: KeptAccount,
  effect: Decimal,
  bound: Decimal | undefined,
): boolean {
  if (bound === undefined) return true;
  const after = ledger.balance(account) + effect;
  return isLiability(account.account_type) ? effect <= 0n || after <= bound : effect >= 0n || after >= bound;
}

export function boundOf(bound: string | undefined): Decimal | undefined {
  return bound === undefined ? undefined : decimal(bound);
}

/** 1 to 3 days in this percentage of cases, else 0. Nothing is pending when an account closes. */
export function pendingDaysOf(account: KeptAccount, percent: number, chance: Chance): number {
  if (account.closes !== null || percent === 0) return 0;
  return chance.is(percent) ? chance.between(1, MOST_PENDING_DAYS) : 0;
}
