/**
 * The ledger of one day. Entries change balances at once, so that each flow sees the result of those before it.
 * Balances here include pending transactions, since that money is committed; statements count posted ones only.
 */
import { startOfDay } from '../kernel/time/civil-date.ts';
import type { Decimal } from '../kernel/numbers/decimal.ts';
import { HOUR_MS, SECOND_MS } from '../kernel/numbers/units.ts';
import { bankEffect } from '../nouns/bank-links/facts.ts';
import type { KeptAccount } from './accounts.ts';
import { localTime, type CalendarDay, type Offset } from './calendar.ts';
import type { Chance } from './chance.ts';
import type { Deposit } from './investments.ts';
import type { BankEntry } from './simulation.ts';

/** An entry that is not posted yet. */
export interface PendingEffect {
  readonly account: string;
  readonly effect: Decimal;
  readonly posts_at: number;
}

/** By the keys of their accounts. */
export interface Books {
  /** The balance or the debt, including pending transactions. */
  readonly balances: Readonly<Record<string, Decimal>>;
  readonly pending: readonly PendingEffect[];
  /** The amount owed by the last statement. */
  readonly statements: Readonly<Record<string, Decimal>>;
}

/** A transaction created by a flow. */
export interface NewEntry extends Omit<
  BankEntry,
  'ledger' | 'account' | 'currency' | 'datetime' | 'posts_at'
> {
  readonly account: KeptAccount;
  /** Whether the institution reports the time of day; false by default. */
  readonly isTimed?: boolean;
  /** Days until it posts, 0 to 3; 0 by default. */
  readonly pendingDays?: number;
}

export type AccountLedger = ReturnType<typeof openLedger>;

const HOUR_SECONDS = HOUR_MS / SECOND_MS;

export function openLedger(
  books: Books,
  today: CalendarDay,
  { accounts, offset }: { readonly accounts: readonly KeptAccount[]; readonly offset: Offset },
) {
  const start = startOfDay(today.day);
  const balances = { ...books.balances };
  const pending = books.pending.filter(({ posts_at }) => posts_at > start);
  const entries: BankEntry[] = [];
  const deposits = new Map<string, Deposit[]>();

  return {
    today,
    entries,
    balance: ({ key }: KeptAccount): Decimal => balances[key] ?? 0n,
    statement: (account: string): Decimal => books.statements[account] ?? 0n,
    /** A random second between these hours of the institution's day, within the `slot`-th of `slots` equal parts. */
    moment(
      chance: Chance,
      [from, before]: readonly [number, number],
      slot: number = 0,
      slots: number = 1,
    ): number {
      const seconds = (before - from) * HOUR_SECONDS;
      const [first, end] = [Math.floor((slot * seconds) / slots), Math.floor(((slot + 1) * seconds) / slots)];
      const second = from * HOUR_SECONDS + first + chance.below(end - first);
      return start + second * SECOND_MS - offset.ms;
    },
    enter({ account, isTimed = false, pendingDays = 0, ...entry }: NewEntry): void {
      const { key, currency } = account;
      const effect = bankEffect(account.account_type, entry);
      const posts_at = pendingDays === 0 ? null : startOfDay(today.day + pendingDays);
      balances[key] = (balances[key] ?? 0n) + effect;
      if (posts_at !== null) pending.push({ account: key, effect, posts_at });
      const datetime = isTimed ? localTime(entry.at, offset) : null;
      entries.push({ ...entry, ledger: 'bank', account: key, currency, datetime, posts_at });
    },
    /** Moves cash into an investment account. */
    deposit: ({ key }: KeptAccount, deposit: Deposit): void =>
      void deposits.set(key, [...(deposits.get(key) ?? []), deposit]),
    depositsOf: (account: string): readonly Deposit[] => deposits.get(account) ?? [],
    /** Returns the books at the end of the day, with the day's statements. */
    close(): Books {
      const statements = { ...books.statements };
      for (const { key, statementDay } of accounts) {
        if (statementDay === today.dayOfMonth) statements[key] = postedBalance({ balances, pending }, key);
      }
      return { balances, pending, statements };
    },
  };
}

/** The balance of posted transactions. */
export function postedBalance(
  { balances, pending }: Pick<Books, 'balances' | 'pending'>,
  key: string,
): Decimal {
  const ofAccount = pending.filter(({ account }) => account === key);
  return ofAccount.reduce((balance, { effect }) => balance - effect, balances[key] ?? 0n);
}
