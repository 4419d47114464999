/** The simulation of one persona: its accounts, and the flows that move money day by day (contract §7.3). */
import type {
  BankPersona,
  CashFlow,
  InterestFlow,
  PurchasesFlow,
  QuotaFlow,
  ScheduledFlow,
  TransferFlow,
} from '../fixtures/bank-personas/index.ts';
import type { Day } from '../kernel/civil-date.ts';
import { type Decimal, decimal, share, times } from '../kernel/decimal.ts';
import {
  type AccountLedger,
  type Books,
  type KeptAccount,
  type NewEntry,
  openLedger,
  parseOffset,
} from './account-ledger.ts';
import { createAccounts, effectOn, isLiability, labelOf } from './accounts.ts';
import { calendarDay } from './calendar.ts';
import type { AmountRange, Chance } from './chance.ts';
import {
  amountStep,
  bears,
  boundOf,
  type FlowStep,
  type FlowSurroundings,
  OFFICE_HOURS,
  onItsDays,
  pendingDaysOf,
  rangeOf,
  SHOPPING_HOURS,
  TRANSFER_HOURS,
  categorised,
  merchantOf,
} from './flow-parts.ts';
import {
  createInvestments,
  type InvestmentPlan,
  type Investments,
  type InvestmentState,
} from './investments.ts';
import type {
  BankSimulation,
  SimulatedAccount,
  SimulatedEntry,
  BankSimulationSource,
  BankSimulationState,
} from './simulation.ts';

// Daily purchases, and daily sales of a shop: several transactions, each with a merchant from a list.

/** The percentage of transactions whose time of day the institution reports. */
const TIMED_PERCENT = 70;

function purchasesStep(flow: PurchasesFlow, surroundings: FlowSurroundings): FlowStep {
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

function quotaStep(flow: QuotaFlow, surroundings: FlowSurroundings): FlowStep {
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

// Scheduled payments: pay, rent, bills, fees, interest.

function scheduledStep(flow: ScheduledFlow, surroundings: FlowSurroundings): FlowStep {
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

function interestStep(flow: InterestFlow, surroundings: FlowSurroundings): FlowStep {
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

interface BankState extends BankSimulationState {
  readonly books: Books;
  /** By the keys of their accounts. */
  readonly investments: Readonly<Record<string, InvestmentState>>;
}

/** Throws for a plan with an unknown key. */
export function createBank(persona: BankPersona, { seed, anchor }: BankSimulationSource): BankSimulation {
  const simulated = createAccounts(persona.accounts, seed);
  const accounts = keptAccounts(persona, simulated, anchor);
  const surroundings: FlowSurroundings = {
    seed,
    anchor,
    historyDays: persona.history_days,
    account: (key) => findAccount(accounts, key),
  };
  const steps = persona.flows.map((flow) => stepOf(flow, surroundings));
  const portfolios = createPortfolios(persona, surroundings);
  const place = { accounts, offset: parseOffset(persona.utc_offset) };

  return {
    accounts: simulated,
    begin: () => begin(anchor - persona.history_days - 1, accounts, portfolios),
    next(state) {
      const { books, investments } = state as BankState;
      const ledger = openLedger(books, calendarDay(state.through + 1), place);
      const { day } = ledger.today;
      for (const step of steps) step(ledger);
      const entries: SimulatedEntry[] = [...ledger.entries];
      const after: Record<string, InvestmentState> = {};
      for (const [key, portfolio] of portfolios) {
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
      const securities = new Map(
        [...portfolios.values()].flatMap((each) => each.securities(through)).map((each) => [each.key, each]),
      );
      return {
        holdings: [...portfolios].flatMap(([key, each]) => {
          const own = traded.filter(({ account }) => account === key);
          return each.holdings(each.after(stateOf(investments, key), own), through);
        }),
        securities: [...securities.values()],
      };
    },
  };
}

function begin(
  through: Day,
  accounts: readonly KeptAccount[],
  portfolios: ReadonlyMap<string, Investments>,
): BankState {
  const cards = accounts.filter(({ statementDay }) => statementDay !== null);
  return {
    through,
    books: {
      balances: Object.fromEntries(accounts.map(({ key, opening }) => [key, opening])),
      pending: [],
      statements: Object.fromEntries(cards.map(({ key, opening }) => [key, opening])),
    },
    investments: Object.fromEntries([...portfolios].map(([key, each]) => [key, each.begin()])),
  };
}

function keptAccounts(
  persona: BankPersona,
  simulated: readonly SimulatedAccount[],
  anchor: Day,
): KeptAccount[] {
  return simulated.map((account, place) => {
    const { closes, statement_day: statementDay } = persona.accounts[place] ?? {};
    return {
      ...account,
      closes: closes === undefined ? null : anchor + closes,
      statementDay: statementDay ?? null,
    };
  });
}

function findAccount(accounts: readonly KeptAccount[], key: string): KeptAccount {
  const account = accounts.find((each) => each.key === key);
  if (!account) throw new Error('A flow names an account that its persona does not have');
  return account;
}

function createPortfolios(persona: BankPersona, surroundings: FlowSurroundings): Map<string, Investments> {
  const { seed, anchor, historyDays } = surroundings;
  return new Map(
    persona.accounts.flatMap(({ key, currency, investments }) => {
      if (!investments) return [];
      const plan = investments as unknown as InvestmentPlan;
      return [[key, createInvestments(plan, { seed, account: key, currency, anchor, historyDays })]];
    }),
  );
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
      return purchasesStep(flow, surroundings);
    case 'transfer':
      return transferStep(flow, surroundings);
    case 'interest':
      return interestStep(flow, surroundings);
    case 'quota':
      return quotaStep(flow, surroundings);
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
