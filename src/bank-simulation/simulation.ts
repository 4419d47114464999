/**
 * The data of a bank, day by day: a pure function of a persona, a seed and the day on which the link was made. The same
 * inputs give the same accounts and transactions on every machine, however often and in whatever steps they are
 * requested (contract §7.3).
 *
 * A day is complete when it is over, in UTC. Amounts are exact decimals.
 */
import type {
  BankAccount,
  BankTransaction,
  InvestmentTransaction,
  Security,
} from '../nouns/bank-links/endpoints/records.ts';
import type { Day } from '../kernel/time/civil-date.ts';
import type { Decimal } from '../kernel/numbers/decimal.ts';

export interface SimulatedAccount extends Pick<
  BankAccount,
  'name' | 'nickname' | 'mask' | 'closed' | 'account_type'
> {
  /** Unique within the persona. */
  readonly key: string;
  readonly currency: string;
  /**
   * Before the first transaction: the balance of a depository account, the debt of a liability, the cash of an
   * investment account.
   */
  readonly opening: Decimal;
  readonly limit: Decimal | null;
  /** Every depository account has numbers. The routing number belongs to no real bank. */
  readonly numbers: { readonly routing: string; readonly account: string } | null;
}

interface SimulatedMoment extends Pick<BankTransaction, 'currency' | 'description'> {
  /** Unique within the simulation, and the same at every request for this day. */
  readonly key: string;
  /** The key of its account. */
  readonly account: string;
  /** Epoch milliseconds, within the day of the entry. */
  readonly at: number;
  /** ISO 8601 with an offset, the same moment as `at`; null when the institution doesn't report it. */
  readonly datetime: string | null;
}

/** Moves money. A debit decreases a depository account and increases a debt; a credit does the reverse. */
export interface BankEntry
  extends SimulatedMoment, Pick<BankTransaction, 'type' | 'raw_description' | 'enrichment'> {
  readonly ledger: 'bank';
  /** Not negative. */
  readonly amount: Decimal;
  /** The midnight, one to three days later, at which a pending entry posts; null if it never was pending. */
  readonly posts_at: number | null;
}

/** Moves cash and securities within an investment account: buys and fees decrease cash, the others increase it. */
export interface InvestmentEntry extends SimulatedMoment, Pick<InvestmentTransaction, 'type'> {
  readonly ledger: 'investment';
  /** Quantity times price for buys and sells; fees are extra. Not negative. */
  readonly amount: Decimal;
  readonly quantity: Decimal | null;
  readonly price: Decimal | null;
  readonly fees: Decimal | null;
  /** The key of a security. */
  readonly security: string | null;
}

export type SimulatedEntry = BankEntry | InvestmentEntry;

export interface SimulatedSecurity extends Omit<Security, 'security_id' | 'close_price' | 'close_date'> {
  readonly key: string;
  readonly close_price: Decimal | null;
  readonly close_day: Day | null;
}

export interface SimulatedHolding {
  /** The key of its account. */
  readonly account: string;
  /** The key of its security. */
  readonly security: string;
  /** Bought less sold. */
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
 * The state of a simulation: everything that its next day depends on besides persona, seed and anchor. Plain data,
 * decimals included, because it is stored as JSON.
 */
export interface BankSimulationState {
  /** The last complete day. */
  readonly through: Day;
}

export interface BankSimulation {
  /** In list order. */
  readonly accounts: readonly SimulatedAccount[];
  /** The state before the first day of the history. */
  begin(): BankSimulationState;
  /** The day after `state.through`; entries are in chronological order. Does not modify its arguments. */
  next(state: BankSimulationState): {
    readonly state: BankSimulationState;
    readonly entries: readonly SimulatedEntry[];
  };
  /** `today` is the first part of the next day's entries; the portfolio then includes their changes. */
  portfolio(state: BankSimulationState, today?: readonly SimulatedEntry[]): Portfolio;
}

/** The inputs that distinguish one simulation from another. */
export interface BankSimulationSource {
  readonly seed: string;
  /** The day on which the link was made; the history ends on the day before. */
  readonly anchor: Day;
}
