/** The simulation of one persona: its accounts, and the flows that move money day by day (contract §7.3). */
import type {
  BankPersona,
  CashFlow,
  Looks,
  PurchasesFlow,
  QuotaFlow,
  Range,
  ScheduledFlow,
  TransferFlow,
} from '../fixtures/bank-personas/index.ts';
import { type Decimal, decimal, times } from '../kernel/numbers/decimal.ts';
import { bankEffect, isLiability, type TransactionType } from '../nouns/bank-links/facts.ts';
import { type AccountLedger, type Books, type NewEntry, openLedger } from './account-ledger.ts';
import { createAccounts, type KeptAccount, labelOf } from './accounts.ts';
import { calendarDay, parseOffset } from './calendar.ts';
import { type AmountRange, type Chance, rangeOf } from './chance.ts';
import {
  amountStep,
  bears,
  boundOf,
  type FlowStep,
  type FlowSurroundings,
  onItsDays,
  pendingDaysOf,
  categorised,
  merchantOf,
} from './flow-parts.ts';
import { createInvestments, type InvestmentPlan, type InvestmentState } from './investments.ts';
import type {
  BankSimulation,
  SimulatedEntry,
  BankSimulationSource,
  BankSimulationState,
} from './simulation.ts';

/** Hours of the institution's day. */
const OFFICE_HOURS = [8, 9] as const;
const TRANSFER_HOURS = [7, 8] as const;
const SHOPPING_HOURS = [9, 18] as const;

// Daily purchases, and daily sales of a shop: several transactions, each with a merchant from a list.

/** The percentage of transactions whose time of day the institution reports. */
const TIMED_PERCENT = 70;

/** One kind of a flow's transactions. What it leaves open is the merchant's. */
interface EntryKind extends Looks {
  readonly type: TransactionType;
  readonly amount?: Range;
  readonly pending?: number;
}

/** How many transactions a day has, and the kind of the next one. */
interface DayPlan {
  readonly count: (ledger: AccountLedger, chance: Chance) => number;
  readonly kind: (ledger: AccountLedger, chance: Chance) => ReturnType<typeof readKind>;
}

function readKind({ type, amount, pending = 0, description, raw, category }: EntryKind) {
  const [range, enrichment] = [amount && rangeOf(amount), category && categorised(category)];
  return { type, range, pending, description, raw, enrichment };
}

function severalStep(
  flow: PurchasesFlow | QuotaFlow,
  { count: countOf, kind: kindOf }: DayPlan,
  surroundings: FlowSurroundings,
): FlowStep {
  const account = surroundings.account(flow.account);
  const merchants = flow.merchants.map(merchantOf);
  const bound = boundOf(flow.bound);

  return onItsDays({ ...flow, accounts: [account] }, surroundings, (ledger, chance) => {
    const count = countOf(ledger, chance);
    for (let i = 0; i < count; i++) {
      const { type, range, pending, ...looks } = kindOf(ledger, chance);
      const merchant = chance.pick(merchants);
      const amount = smallish(range ?? merchant.amount, chance);
      const at = ledger.moment(chance, flow.hours ?? SHOPPING_HOURS, i, count);
      const effect = bankEffect(account.account_type, { type, amount });
      if (!bears(ledger, account, effect, bound)) continue;
      ledger.enter({
        key: `${flow.key}-${ledger.today.day}-${i}`,
        account,
        type,
        amount,
        at,
        isTimed: chance.is(TIMED_PERCENT),
        pendingDays: pendingDaysOf(account, pending, chance),
        ...withGaps(
          {
            description: looks.description ?? merchant.name,
            raw_description: chance.fill(looks.raw ?? merchant.raw),
            enrichment: looks.enrichment ?? merchant.enrichment,
          },
          chance,
        ),
      });
    }
  });
}

function purchases(flow: PurchasesFlow): DayPlan {
  const kind = readKind({ type: 'debit', ...flow });
  const [least, most] = flow.count;
  return { count: (_, chance) => chance.between(least, most), kind: () => kind };
}

function quota(flow: QuotaFlow, { account: accountOf, anchor, historyDays }: FlowSurroundings): DayPlan {
  const account = accountOf(flow.account);
  const [sale, expense] = [
    readKind({ type: 'credit', ...flow.credits }),
    readKind({ type: 'debit', amount: flow.amount, pending: flow.pending }),
  ];
  const [least, most] = [decimal(flow.least), decimal(flow.most)];
  /** The quota of all days before this one, so that every span of `days` has exactly the total. */
  const quotaBefore = (days: number): number => Math.floor((days * flow.total) / flow.days);
  return {
    count({ today, entries }) {
      const days = today.day - anchor + historyDays;
      return quotaBefore(days + 1) - quotaBefore(days) - entries.length;
    },
    kind(ledger, chance) {
      const balance = ledger.balance(account);
      const isSale = balance < least || (balance <= most && chance.is(flow.credits.percent));
      return isSale ? sale : expense;
    },
  };
}

/** The smaller of two draws, which makes small amounts more frequent. */
function smallish(range: AmountRange, chance: Chance): Decimal {
  const [one, other] = [chance.amount(range), chance.amount(range)];
  return one < other ? one : other;
}

type Wording = Pick<NewEntry, 'description' | 'raw_description' | 'enrichment'>;

/** Per hundred transactions, two lack a description, three the raw one, six the enrichment. */
function withGaps(wording: Wording, chance: Chance): Wording {
  const roll = chance.below(100);
  if (roll < 2) return { ...wording, description: null };
  if (roll < 5) return { ...wording, raw_description: null };
  return roll < 11 ? { ...wording, enrichment: null } : wording;
}

// Scheduled payments: pay, rent, bills, fees, interest.

function scheduledStep(flow: Omit<ScheduledFlow, 'kind'>, surroundings: FlowSurroundings): FlowStep {
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
    const effect = bankEffect(account.account_type, { type, amount });
    if (amount <= 0n || !bears(ledger, account, effect, bound)) return;
    ledger.enter({
      key: `${flow.key}-${ledger.today.day}`,
      account,
      type,
      amount,
      at: ledger.moment(chance, flow.hours ?? OFFICE_HOURS),
      pendingDays: pendingDaysOf(account, flow.pending ?? 0, chance),
      description,
      raw_description: raw === null ? null : chance.fill(raw),
      enrichment,
    });
  });
}

const INTEREST = {
  paid: {
    type: 'credit',
    description: 'Interest paid',
    raw: 'INTEREST PAID',
    category: ['income', 'interest'],
  },
  charged: {
    type: 'debit',
    description: 'Interest charge',
    raw: 'INTEREST CHARGE',
    category: ['bank_fees', 'interest_charge'],
  },
} as const;

interface BankState extends BankSimulationState {
  readonly books: Books;
  /** By the keys of their accounts. */
  readonly investments: Readonly<Record<string, InvestmentState>>;
}

/** Throws for a plan with an unknown key. */
export function createBank(persona: BankPersona, source: BankSimulationSource): BankSimulation {
  const { seed, anchor } = source;
  const historyDays = persona.history_days;
  const accounts = createAccounts(persona.accounts, source);
  const surroundings: FlowSurroundings = {
    seed,
    anchor,
    historyDays,
    account(key) {
      const account = accounts.find((each) => each.key === key);
      if (!account) throw new Error('A flow names an account that its persona does not have');
      return account;
    },
  };
  const steps = persona.flows.map((flow) => stepOf(flow, surroundings));
  const portfolios = persona.accounts.flatMap(({ key, currency, investments }) => {
    if (!investments) return [];
    const plan = investments as unknown as InvestmentPlan;
    return [{ key, ...createInvestments(plan, { seed, account: key, currency, anchor }) }];
  });
  const place = { accounts, offset: parseOffset(persona.utc_offset) };

  return {
    accounts,
    begin(): BankState {
      const cards = accounts.filter(({ statementDay }) => statementDay !== null);
      return {
        through: anchor - historyDays - 1,
        books: {
          balances: Object.fromEntries(accounts.map(({ key, opening }) => [key, opening])),
          pending: [],
          statements: Object.fromEntries(cards.map(({ key, opening }) => [key, opening])),
        },
        investments: Object.fromEntries(portfolios.map(({ key, begin }) => [key, begin()])),
      };
    },
    next(state) {
      const { books, investments } = state as BankState;
      const ledger = openLedger(books, calendarDay(state.through + 1), place);
      const { day } = ledger.today;
      for (const step of steps) step(ledger);
      const entries: SimulatedEntry[] = [...ledger.entries];
      const after: Record<string, InvestmentState> = {};
      for (const { key, ...portfolio } of portfolios) {
        const held = portfolio.next(stateOf(investments, key), day, ledger.depositsOf(key));
        after[key] = held.state;
        entries.push(...held.entries);
      }
      const following: BankState = { through: day, books: ledger.close(), investments: after };
      return { state: following, entries: entries.sort((one, other) => one.at - other.at) };
    },
    portfolio(state, today = []) {
      const { investments, through } = state as BankState;
      const traded = today.filter((entry) => entry.ledger === 'investment');
      const securities = portfolios.flatMap((each) => each.securities(through));
      return {
        holdings: portfolios.flatMap(({ key, after, holdings }) => {
          const own = traded.filter(({ account }) => account === key);
          return holdings(after(stateOf(investments, key), own), through);
        }),
        securities: [...new Map(securities.map((each) => [each.key, each])).values()],
      };
    },
  };
}

function stateOf(states: BankState['investments'], key: string): InvestmentState {
  const state = states[key];
  if (!state) throw new Error('A state is of another persona');
  return state;
}

function stepOf(flow: CashFlow, surroundings: FlowSurroundings): FlowStep {
  switch (flow.kind) {
    case 'scheduled':
      return scheduledStep(flow, surroundings);
    case 'purchases':
      return severalStep(flow, purchases(flow), surroundings);
    case 'transfer':
      return transferStep(flow, surroundings);
    case 'interest': {
      const { account_type: type } = surroundings.account(flow.account);
      const looks = INTEREST[isLiability(type) ? 'charged' : 'paid'];
      return scheduledStep({ ...flow, ...looks, amount: { interest: flow.rate } }, surroundings);
    }
    case 'quota':
      return severalStep(flow, quota(flow, surroundings), surroundings);
  }
}

// Transfers between accounts of the persona: two entries on one day, at the same moment.

function transferStep(flow: TransferFlow, surroundings: FlowSurroundings): FlowStep {
  const [from, to] = [surroundings.account(flow.from), surroundings.account(flow.to)];
  const bound = boundOf(flow.bound);
  const rates = flow.rate && rangeOf(flow.rate);
  const planned = amountStep(flow.amount, { key: flow.key, account: from }, surroundings);
  const taken = `${flow.verb} to ${labelOf(to)}`;
  const brought = `${flow.verb} from ${labelOf(from)}`;
  const enrichment = categorised(flow.category);

  return onItsDays({ ...flow, accounts: [from, to] }, surroundings, (ledger, chance) => {
    const amount = atMostOwed(ledger, to, planned(ledger, chance));
    const effect = bankEffect(from.account_type, { type: 'debit', amount });
    if (amount <= 0n || !bears(ledger, from, effect, bound) || !isWithinLimit(ledger, from, effect)) return;
    const at = ledger.moment(chance, flow.hours ?? TRANSFER_HOURS);
    const reference = chance.fill('REF ########');
    const enter = (side: string, entry: Pick<NewEntry, 'account' | 'type' | 'amount'>, description: string) =>
      ledger.enter({
        ...entry,
        key: `${flow.key}-${ledger.today.day}-${side}`,
        at,
        description,
        enrichment,
        raw_description: `${description.toUpperCase()} ${reference}`,
      });
    enter('out', { account: from, type: 'debit', amount }, taken);
    const received = rates ? times(amount, chance.amount(rates)) : amount;
    if (to.account_type.startsWith('investment.')) {
      ledger.deposit(to, { at, amount: received, description: brought });
    } else enter('in', { account: to, type: 'credit', amount: received }, brought);
  });
}

/** Limits a payment to the debt. */
function atMostOwed(ledger: AccountLedger, to: KeptAccount, amount: Decimal): Decimal {
  if (!isLiability(to.account_type)) return amount;
  const owed = ledger.balance(to);
  return amount < owed ? amount : owed;
}

function isWithinLimit(ledger: AccountLedger, from: KeptAccount, effect: Decimal): boolean {
  return (
    !isLiability(from.account_type) || from.limit === null || ledger.balance(from) + effect <= from.limit
  );
}
