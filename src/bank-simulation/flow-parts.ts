/** Parts shared by all kinds of flows. */
import type { Enrichment } from '../nouns/bank-links/endpoints/records.ts';
import {
  type Calendar,
  type PlannedAmount,
  type Range,
  MERCHANTS,
  PROCESSORS,
  type CategoryPair,
  type Merchant,
} from '../fixtures/bank-personas/index.ts';
import type { Day } from '../kernel/civil-date.ts';
import { decimal, type Decimal } from '../kernel/decimal.ts';
import { isLiability } from './accounts.ts';
import type { AccountLedger, KeptAccount } from './account-ledger.ts';
import { isOn } from './calendar.ts';
import { chanceOf, seedOf, type AmountRange, type Chance, type Seed } from './chance.ts';

// An institution's classification of its transactions: categories, merchants and processors, each with its confidence.

/** A merchant as flows use it. Each is built once and shared by its transactions. */
interface KnownMerchant {
  readonly name: string;
  readonly raw: string;
  readonly amount: AmountRange;
  readonly enrichment: Enrichment;
}

const CATEGORY_CONFIDENCE = '0.99';

const known = new Map(Object.entries(MERCHANTS).map(([key, merchant]) => [key, know(key, merchant)]));

/** Throws for an unknown merchant. */
export function merchantOf(key: string): KnownMerchant {
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

function know(key: string, merchant: Merchant): KnownMerchant {
  const [category, subcategory] = merchant.category;
  const [ofCategory, ofSubcategory, ofMerchant] = merchant.confidence;
  const [least, most] = merchant.amount;
  return {
    name: merchant.name,
    raw: merchant.raw,
    amount: { least: decimal(least), most: decimal(most) },
    enrichment: {
      category: { confidence: ofCategory, value: category },
      subcategory: { confidence: ofSubcategory, value: subcategory },
      merchant: { confidence: ofMerchant, id: `merchant_${key}`, logo: merchant.logo, name: merchant.name },
      processor: merchant.processor === null ? null : processorOf(merchant.processor),
    },
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

/** Hours of the institution's day. */
export const OFFICE_HOURS = [8, 9] as const;
export const TRANSFER_HOURS = [7, 8] as const;
export const SHOPPING_HOURS = [9, 18] as const;

const MOST_PENDING_DAYS = 3;

/** A step that runs on the days of its calendar while all of its accounts are open, with that day's random source. */
export function onItsDays(
  {
    key,
    calendar,
    accounts,
  }: {
    readonly key: string;
    readonly calendar?: Calendar | undefined;
    readonly accounts: readonly KeptAccount[];
  },
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

/** Zero when nothing is due. */
export type AmountStep = (ledger: AccountLedger, chance: Chance) => Decimal;

/** `account`: the account whose surplus the amount may be. */
export function amountStep(
  plan: PlannedAmount,
  { key, account }: { readonly key: string; readonly account: KeptAccount },
  { seed }: FlowSurroundings,
): AmountStep {
  if (typeof plan === 'string') {
    const amount = decimal(plan);
    return () => amount;
  }
  if ('steady' in plan) {
    const amount = chanceOf(steadySeed(seed, key), 0).amount(rangeOf(plan.steady));
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
  const range = rangeOf(plan);
  return (_book, chance) => chance.amount(range);
}

export function rangeOf([least, most]: Range): AmountRange {
  return { least: decimal(least), most: decimal(most) };
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
  return isLiability(account) ? effect <= 0n || after <= bound : effect >= 0n || after >= bound;
}

export function boundOf(bound: string | undefined): Decimal | undefined {
  return bound === undefined ? undefined : decimal(bound);
}

/** 1 to 3 days in this percentage of cases, else 0. Nothing is pending when an account closes. */
export function pendingDaysOf(account: KeptAccount, percent: number, chance: Chance): number {
  if (account.closes !== null || percent === 0) return 0;
  return chance.is(percent) ? chance.between(1, MOST_PENDING_DAYS) : 0;
}

function steadySeed(seed: string, key: string): Seed {
  return seedOf(`${seed}\0steady\0${key}`);
}
