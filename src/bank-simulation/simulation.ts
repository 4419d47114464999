/**
 * What a bank knows, day by day: a pure function of a persona, a seed and the day on which the link was made. The same
 * ones give the same accounts and transactions on every machine, however often and in whatever steps they are asked for
 * (contract §7.3).
 *
 * A day is complete when it is over, in UTC. Amounts are exact decimals.
 */
import type {
  AccountType,
  INVESTMENT_TRANSACTION_TYPES,
  SECURITY_TYPES,
  TRANSACTION_TYPES,
} from '../contract/facts/banks.ts';
import type { Enrichment } from '../contract/bank-records.ts';
import type { Day } from '../kernel/civil-date.ts';
import type { Decimal } from '../kernel/decimal.ts';

export interface SimulatedAccount {
  /** Unique within the persona. */
  readonly key: string;
  readonly name: string;
  readonly nickname: string | null;
  /** The last four of its number. */
  readonly mask: string | null;
  readonly closed: boolean | null;
  readonly account_type: AccountType;
  readonly currency: string;
  /**
   * Before the first transaction: what is there in a depository account, what is owed in a liability, the cash in an
   * investment account.
   */
  readonly opening: Decimal;
  readonly limit: Decimal | null;
  /** Every depository account has them. The routing number belongs to no real bank. */
  readonly numbers: { readonly routing: string; readonly account: string } | null;
}

interface SimulatedMoment {
  /** Unique within the world, and the same whenever this day is asked for. */
  readonly key: string;
  /** The key of its account. */
  readonly account: string;
  /** Epoch milliseconds: a moment of the day that it belongs to. */
  readonly at: number;
  readonly currency: string;
  /** Set where the institution reports it: ISO 8601 with an offset, the same moment as `at`. */
  readonly datetime: string | null;
  readonly description: string | null;
}

/** Moves money: a debit takes from a depository account and adds to what is owed, a credit the other way round. */
export interface BankEntry extends SimulatedMoment {
  readonly ledger: 'bank';
  readonly type: (typeof TRANSACTION_TYPES)[number];
  /** Not negative. */
  readonly amount: Decimal;
  /** The midnight, one to three days after, at which a pending one posts; null: it never was pending. */
  readonly posts_at: number | null;
  readonly raw_description: string | null;
  readonly enrichment: Enrichment | null;
}

/** Moves cash and securities within an investment account: buy and fee take cash, the others bring it. */
export interface InvestmentEntry extends SimulatedMoment {
  readonly ledger: 'investment';
  readonly type: (typeof INVESTMENT_TRANSACTION_TYPES)[number];
  /** Quantity times price for buy and sell; fees come on top. Not negative. */
  readonly amount: Decimal;
  readonly quantity: Decimal | null;
  readonly price: Decimal | null;
  readonly fees: Decimal | null;
  /** The key of a security. */
  readonly security: string | null;
}

export type SimulatedEntry = BankEntry | InvestmentEntry;

export interface SimulatedSecurity {
  readonly key: string;
  readonly name: string;
  readonly currency: string;
  readonly type: (typeof SECURITY_TYPES)[number];
  readonly ticker: string | null;
  readonly isin: string | null;
  readonly sedol: string | null;
  readonly close_price: Decimal | null;
  readonly close_day: Day | null;
}

export interface SimulatedHolding {
  /** The key of its account. */
  readonly account: string;
  /** The key of its security. */
  readonly security: string;
  /** What was bought less what was sold. */
  readonly quantity: Decimal;
  readonly cost_basis: Decimal | null;
  readonly price: Decimal | null;
  /** Epoch milliseconds. */
  readonly price_at: number | null;
  /** Quantity times price, rounded to hundredths. */
  readonly value: Decimal | null;
}

/** At the prices of the last complete day. */
export interface Portfolio {
  readonly holdings: readonly SimulatedHolding[];
  readonly securities: readonly SimulatedSecurity[];
}

/**
 * Where a world stands: everything that its next day depends on besides persona, seed and anchor. Plain data, decimals
 * included: it is kept as JSON.
 */
export interface BankSimulationState {
  /** The last complete day. */
  readonly through: Day;
}

export interface BankSimulation {
  /** In the order in which they are listed. */
  readonly accounts: readonly SimulatedAccount[];
  /** Before the first day of the history. */
  begin(): BankSimulationState;
  /** The day after `state.through`, its entries in the order of their moments. Changes nothing that it was given. */
  next(state: BankSimulationState): {
    readonly state: BankSimulationState;
    readonly entries: readonly SimulatedEntry[];
  };
  /** With `today`, the first of the entries that the next day brings, also what these changed. */
  portfolio(state: BankSimulationState, today?: readonly SimulatedEntry[]): Portfolio;
}

/** What makes one world different from the next. */
export interface BankSimulationSource {
  readonly seed: string;
  /** The day on which the link was made: the history ends on the day before. */
  readonly anchor: Day;
}
