/** The simulation of one persona: its accounts, and the flows that move money day by day (contract §7.3). */
import type { BankPersona, CashFlow } from '../fixtures/bank-personas/index.ts';
import type { Day } from '../kernel/civil-date.ts';
import { createAccounts } from './accounts.ts';
import { openLedger, parseOffset, type Books, type KeptAccount } from './account-ledger.ts';
import { calendarDay } from './calendar.ts';
import type { FlowStep, FlowSurroundings } from './flow-parts.ts';
import {
  createInvestments,
  type InvestmentPlan,
  type Investments,
  type InvestmentState,
} from './investments.ts';
import { purchasesStep, quotaStep } from './purchases.ts';
import { interestStep, scheduledStep } from './scheduled.ts';
import { transferStep } from './transfers.ts';
import type {
  BankSimulation,
  SimulatedAccount,
  SimulatedEntry,
  BankSimulationSource,
  BankSimulationState,
} from './simulation.ts';

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
    begin: () => begin(persona, { anchor, accounts, portfolios }),
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
  persona: BankPersona,
  {
    anchor,
    accounts,
    portfolios,
  }: {
    readonly anchor: Day;
    readonly accounts: readonly KeptAccount[];
    readonly portfolios: ReadonlyMap<string, Investments>;
  },
): BankState {
  const cards = accounts.filter(({ statementDay }) => statementDay !== null);
  return {
    through: anchor - persona.history_days - 1,
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
