/**
 * Accounts and transactions of one link. Posting changes the balance of the account in the same transaction, so a
 * balance is always the opening balance plus everything posted since (contract §7.3).
 */
import { dateText, dayOf } from '../../../kernel/time/civil-date.ts';
import { decimal, decimalText, type Decimal } from '../../../kernel/numbers/decimal.ts';
import { seededId } from '../../../kernel/ids/ids.ts';
import type { Database } from '../../../storage/database.ts';
import {
  insertTransaction,
  listAccounts,
  postPending,
  setAccount,
  type TransactionRow,
} from './ledger-repository.ts';
import { bankEffect } from '../facts.ts';
import {
  investmentEffect,
  type AccountDetails,
  type BankDetails,
  type InvestmentDetails,
  type LinkRecords,
} from './records.ts';
import type { BankEntry, InvestmentEntry, SimulatedEntry } from '../../../bank-simulation/simulation.ts';

export interface Account {
  /** Row id. */
  readonly seq: number;
  readonly id: string;
  /** Its role for the persona. */
  readonly key: string;
  readonly details: AccountDetails;
}

/** In creation order. */
export function openAccounts(database: Database, link: { seq: number }, records: LinkRecords): Account[] {
  return listAccounts(database, link.seq).map((row) => ({
    seq: row.seq,
    id: row.id,
    key: row.world_key,
    details: records.openAccount(row),
  }));
}

export interface NewTransaction extends TransactionRow {
  /** The change of the account's balance when it posts. */
  readonly effect: Decimal;
}

/** The id of a simulated account. `linkId` is the id of the link, not its row. */
export function worldAccountId(linkId: string, key: string): string {
  return seededId('bankAccount', linkId, `account ${key}`);
}

/** A security is the same in every link. */
export function securityId(key: string): string {
  return seededId('security', 'securities', key);
}

/**
 * Seals a simulated entry; one that should have posted by `now` is stored as posted. `accounts` must include every
 * account of the entries.
 */
export function sealEntry(
  entry: SimulatedEntry,
  link: { id: string; records: LinkRecords; accounts: ReadonlyMap<string, Account>; now: number },
): NewTransaction {
  const account = link.accounts.get(entry.account);
  if (!account) throw new Error('An entry is of an account that its persona does not have');
  const isBank = entry.ledger === 'bank';
  const kind = isBank ? 'bankTransaction' : 'investmentTransaction';
  const id = seededId(kind, link.id, `${entry.ledger} ${entry.key}`);
  const postsAt = isBank && entry.posts_at !== null && entry.posts_at > link.now ? entry.posts_at : null;
  const details = isBank ? bankDetails(entry) : investmentDetails(entry);
  return {
    account: account.seq,
    ledger: entry.ledger,
    id,
    day: dayOf(entry.at),
    pending: postsAt === null ? 0 : 1,
    posts_at: postsAt,
    sealed: link.records.transaction(id, details),
    effect: effectOf(account, details),
  };
}

/** The change of the account's balance when a transaction posts. */
export function effectOf({ details: account }: Account, details: BankDetails | InvestmentDetails): Decimal {
  if ('fees' in details) return investmentEffect(details);
  return bankEffect(account.account_type, { type: details.type, amount: decimal(details.amount) });
}

/** Stores those with new ids. */
export function storeTransactions(
  database: Database,
  link: { seq: number },
  transactions: Iterable<NewTransaction>,
  balances: Balances,
): void {
  for (const transaction of transactions) {
    const isNew = insertTransaction(database, link.seq, transaction);
    if (isNew && transaction.pending === 0) balances.add(transaction.account, transaction.effect);
  }
}

/** Posts transactions that post by themselves by `until`. */
export function postDue(
  database: Database,
  { seq, records }: { seq: number; records: LinkRecords },
  until: number,
  balances: Balances,
): void {
  for (const row of postPending(database, seq, until)) {
    const details = row.ledger === 'bank' ? records.openBank(row) : records.openInvestment(row);
    balances.add(row.account, effectOf(balances.accountOf(row), details));
  }
}

/** The balances of a link during a job; each account is sealed and written once. */
export type Balances = ReturnType<typeof createBalances>;

export function createBalances(accounts: readonly Account[], records: LinkRecords) {
  const bySeq = new Map(accounts.map((account) => [account.seq, account]));
  const moved = new Map<number, Decimal>();

  function write(database: Database, { seq, id, details }: Account, at: number): void {
    const current = decimalText(decimal(details.current) + (moved.get(seq) ?? 0n));
    const sealed = records.account(id, { ...details, current, balance_at: at });
    setAccount(database, { seq }, { sealed });
  }

  return {
    accountOf({ account }: { account: number }): Account {
      const found = bySeq.get(account);
      if (!found) throw new Error('A transaction is of an account of another link');
      return found;
    },
    add: (account: number, effect: Decimal): void =>
      void moved.set(account, (moved.get(account) ?? 0n) + effect),
    /** Writes every account, with `at` as the time of the balances. */
    store(database: Database, at: number): void {
      for (const account of accounts) write(database, account, at);
    },
    /** Writes the changed ones, with `at` as the time of the balances. */
    storeMoved(database: Database, at: number): void {
      for (const account of accounts) {
        if ((moved.get(account.seq) ?? 0n) !== 0n) write(database, account, at);
      }
    },
  };
}

function bankDetails(entry: BankEntry): BankDetails {
  return {
    type: entry.type,
    amount: decimalText(entry.amount),
    currency: entry.currency,
    date: dateText(dayOf(entry.at)),
    datetime: entry.datetime,
    description: entry.description,
    raw_description: entry.raw_description,
    category: entry.enrichment?.category?.value ?? null,
    enrichment: entry.enrichment,
  };
}

function investmentDetails(entry: InvestmentEntry): InvestmentDetails {
  return {
    type: entry.type,
    amount: decimalText(entry.amount),
    quantity: entry.quantity === null ? null : decimalText(entry.quantity, 0),
    price: entry.price === null ? null : decimalText(entry.price),
    fees: entry.fees === null ? null : decimalText(entry.fees),
    security: entry.security,
    currency: entry.currency,
    date: dateText(dayOf(entry.at)),
    datetime: entry.datetime,
    description: entry.description,
  };
}
