/**
 * The ledger of one day. Entries change balances at once, so that each flow sees the result of those before it.
 * Balances here include pending transactions, since that money is committed; statements count posted ones only.
 */
import type { Enrichment } from '../nouns/bank-links/endpoints/records.ts';
import { startOfDay, type Day } from '../kernel/civil-date.ts';
import type { Decimal } from '../kernel/decimal.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../kernel/units.ts';
import { effectOn } from './accounts.ts';
import type { CalendarDay } from './calendar.ts';
import type { Chance } from './chance.ts';
import type { Deposit } from './investments.ts';
import type { BankEntry, SimulatedAccount } from './simulation.ts';

/** A persona's account with its schedule. */
export interface KeptAccount extends SimulatedAccount {
  /** The last day with transactions; null for an open account. */
  readonly closes: Day | null;
  /** The day of the month after which a statement is made; null for an account without statements. */
  readonly statementDay: number | null;
}

export interface Offset {
  /** In the form of ISO 8601. */
  readonly text: string;
  readonly ms: number;
}

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
export interface NewEntry {
  /** Unique within the simulation. */
  readonly key: string;
  readonly account: KeptAccount;
  readonly type: BankEntry['type'];
  readonly amount: Decimal;
  readonly at: number;
  /** Whether the institution reports the time of day. */
  readonly isTimed: boolean;
  /** Days until it posts, 0 to 3. */
  readonly pendingDays: number;
  readonly description: string | null;
  readonly raw: string | null;
  readonly enrichment: Enrichment | null;
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
    enter({ account, at, isTimed, pendingDays, raw, ...entry }: NewEntry): void {
      const effect = effectOn(account, entry);
      const posts_at = pendingDays === 0 ? null : startOfDay(today.day + pendingDays);
      balances[account.key] = (balances[account.key] ?? 0n) + effect;
      if (posts_at !== null) pending.push({ account: account.key, effect, posts_at });
      entries.push({
        ledger: 'bank',
        key: entry.key,
        account: account.key,
        at,
        currency: account.currency,
        datetime: isTimed ? localTime(at, offset) : null,
        description: entry.description,
        type: entry.type,
        amount: entry.amount,
        posts_at,
        raw_description: raw,
        enrichment: entry.enrichment,
      });
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

/** Reads `+hh:mm` or `-hh:mm`. */
export function parseOffset(text: string): Offset {
  const ms = Number(text.slice(1, 3)) * HOUR_MS + Number(text.slice(4)) * MINUTE_MS;
  return { text, ms: text.startsWith('-') ? -ms : ms };
}

function localTime(at: number, offset: Offset): string {
  return `${new Date(at + offset.ms).toISOString().slice(0, -'.000Z'.length)}${offset.text}`;
}
