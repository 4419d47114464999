/** All SQL of accounts and transactions. `link` and `account` are row ids; times are epoch milliseconds. */
import type { Day } from '../../kernel/civil-date.ts';
import type { Database } from '../../storage/database.ts';
import { scalarStatement, statement } from '../../storage/statement.ts';

export type LedgerName = 'bank' | 'investment';

export interface AccountRow {
  readonly seq: number;
  readonly id: string;
  /** Its role for the persona. */
  readonly world_key: string;
  readonly sealed: Uint8Array;
}

/** Returns its row id. */
export function insertAccount(
  database: Database,
  link: number,
  row: { id: string; world_key: string; sealed: Uint8Array },
): number {
  const { lastInsertRowid } = statement<{ link: number; id: string; world_key: string; sealed: Uint8Array }>(
    'INSERT INTO bank_accounts (id, link, world_key, sealed) VALUES (@id, @link, @world_key, @sealed)',
  ).run(database, { ...row, link });
  return Number(lastInsertRowid);
}

export function updateAccount(database: Database, seq: number, sealed: Uint8Array): void {
  statement<[Uint8Array, number]>('UPDATE bank_accounts SET sealed = ? WHERE seq = ?').run(
    database,
    sealed,
    seq,
  );
}

/** In creation order. */
export function listAccounts(database: Database, link: number): AccountRow[] {
  return statement<[number], AccountRow>(
    'SELECT seq, id, world_key, sealed FROM bank_accounts WHERE link = ? ORDER BY seq',
  ).all(database, link);
}

export interface TransactionRow {
  readonly account: number;
  readonly ledger: LedgerName;
  /** Unique within its link. */
  readonly id: string;
  readonly day: Day;
  readonly pending: number;
  /** When it posts by itself; null when it doesn't, or has posted. */
  readonly posts_at: number | null;
  readonly sealed: Uint8Array;
}

/** Returns false, without a change, when the link already has a transaction of this id. */
export function insertTransaction(database: Database, link: number, row: TransactionRow): boolean {
  const { account, ledger, id, day, pending, posts_at, sealed } = row;
  // Positional parameters: a job may have fifty thousand rows, and names cost a third more.
  const { changes } = statement<
    [
      link: number,
      account: number,
      ledger: string,
      id: string,
      day: number,
      pending: number,
      posts_at: number | null,
      sealed: Uint8Array,
    ]
  >(`INSERT INTO bank_transactions (link, account, ledger, id, day, pending, posts_at, sealed)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`).run(
    database,
    link,
    account,
    ledger,
    id,
    day,
    pending,
    posts_at,
    sealed,
  );
  return changes === 1;
}

export function updateTransaction(database: Database, link: number, row: TransactionRow): void {
  statement<{
    link: number;
    account: number;
    ledger: string;
    id: string;
    day: number;
    pending: number;
    posts_at: number | null;
    sealed: Uint8Array;
  }>(`UPDATE bank_transactions SET account = @account, day = @day, pending = @pending, posts_at = @posts_at,
       sealed = @sealed
     WHERE link = @link AND id = @id`).run(database, { ...row, link });
}

export function findTransaction(database: Database, link: number, id: string): TransactionRow | undefined {
  return statement<[number, string], TransactionRow>(
    'SELECT * FROM bank_transactions WHERE link = ? AND id = ?',
  ).get(database, link, id);
}

/** Pending transactions. */
export function listPending(database: Database, link: number): TransactionRow[] {
  return statement<[number], TransactionRow>(
    'SELECT * FROM bank_transactions WHERE link = ? AND pending = 1',
  ).all(database, link);
}

/** Posts those that post by themselves by `until`; returns their earlier state. */
export function postPending(database: Database, link: number, until: number): TransactionRow[] {
  const rows = statement<[number, number], TransactionRow>(
    'SELECT * FROM bank_transactions WHERE link = ? AND pending = 1 AND posts_at <= ?',
  ).all(database, link, until);
  for (const { id } of rows) {
    statement<[number, string]>(
      'UPDATE bank_transactions SET pending = 0, posts_at = NULL WHERE link = ? AND id = ?',
    ).run(database, link, id);
  }
  return rows;
}

export interface TransactionFilter {
  readonly link: number;
  readonly ledger: LedgerName;
  /** JSON list of row ids; null for all. */
  readonly accounts: string | null;
  readonly first: Day | null;
  readonly last: Day | null;
}

/**
 * Uses only columns of the index and omits conditions that are not requested. So no row is read for a transaction
 * outside of the page.
 */
function matches({ accounts }: TransactionFilter): string {
  const ofAccounts = accounts === null ? '' : 'AND account IN (SELECT value FROM json_each(@accounts))';
  return `link = @link AND ledger = @ledger AND day BETWEEN @first AND @last ${ofAccounts}`;
}

/** The default bounds include every day that a clock can show. */
function bounded({ first, last, ...filter }: TransactionFilter) {
  return { ...filter, first: first ?? Number.MIN_SAFE_INTEGER, last: last ?? Number.MAX_SAFE_INTEGER };
}

export function countTransactions(database: Database, filter: TransactionFilter): number {
  return scalarStatement<
    { first: number; last: number; link: number; ledger: string; accounts: string | null },
    number
  >(`SELECT count(*) FROM bank_transactions WHERE ${matches(filter)}`).one(database, bounded(filter));
}

/**
 * Newest first, ties by id descending: `limit` of the `total` matches, after the first `offset`. Counts from the nearer
 * end of the list.
 */
export function listTransactions(
  database: Database,
  filter: TransactionFilter,
  page: { offset: number; limit: number; total: number },
): TransactionRow[] {
  const limit = Math.min(page.limit, page.total - page.offset);
  if (limit <= 0) return [];
  const fromEnd = page.total - page.offset - limit;
  const isNearEnd = fromEnd < page.offset;
  const order = isNearEnd ? 'ASC' : 'DESC';
  return statement<
    {
      limit: number;
      offset: number;
      first: number;
      last: number;
      link: number;
      ledger: string;
      accounts: string | null;
    },
    TransactionRow
  >(`SELECT * FROM bank_transactions WHERE seq IN (
       SELECT seq FROM bank_transactions WHERE ${matches(filter)} ORDER BY day ${order}, id ${order} LIMIT @limit OFFSET @offset
     ) ORDER BY day DESC, id DESC`).all(database, {
    ...bounded(filter),
    limit,
    offset: isNearEnd ? fromEnd : page.offset,
  });
}
