/** All SQL of accounts and transactions. `link` and `account` are row ids; times are epoch milliseconds. */
import type { Day } from '../../../kernel/time/civil-date.ts';
import type { Database } from '../../../storage/database.ts';
import {
  assigned,
  bytes,
  integer,
  optional,
  table,
  text,
  textOf,
  type RowOf,
} from '../../../storage/table.ts';

export type LedgerName = 'bank' | 'investment';

const ACCOUNTS = table(
  'bank_accounts',
  {
    seq: assigned,
    id: text,
    link: integer,
    /** Its role for the persona. */
    world_key: text,
    sealed: bytes,
  },
  { key: ['seq'] },
);

export type AccountRow = RowOf<typeof ACCOUNTS>;

/** Returns its row id. */
export const insertAccount = ACCOUNTS.insert;

export const setAccount = ACCOUNTS.set;

/** In creation order. */
export const listAccounts = ACCOUNTS.all<[link: number]>('WHERE link = ? ORDER BY seq');

const TRANSACTIONS = table(
  'bank_transactions',
  {
    link: integer,
    account: integer,
    ledger: textOf<LedgerName>(),
    /** Unique within its link. */
    id: text,
    day: integer,
    pending: integer,
    /** When it posts by itself; null when it doesn't, or has posted. */
    posts_at: optional(integer),
    sealed: bytes,
  },
  { key: ['link', 'id'], fixed: ['ledger'] },
);

export type TransactionRow = Omit<RowOf<typeof TRANSACTIONS>, 'link'>;

/** Returns false, without a change, when the link already has a transaction of this id. */
export function insertTransaction(database: Database, link: number, row: TransactionRow): boolean {
  return TRANSACTIONS.insertNew(database, { ...row, link });
}

export function updateTransaction(database: Database, link: number, row: TransactionRow): void {
  TRANSACTIONS.update(database, { ...row, link });
}

export const findTransaction = TRANSACTIONS.first<[link: number, id: string]>('WHERE link = ? AND id = ?');

export const listPending = TRANSACTIONS.all<[link: number]>('WHERE link = ? AND pending = 1');

const listPosting = TRANSACTIONS.all<[link: number, until: number]>(
  'WHERE link = ? AND pending = 1 AND posts_at <= ?',
);

/** Posts those that post by themselves by `until`; returns their earlier state. */
export function postPending(database: Database, link: number, until: number): TransactionRow[] {
  const rows = listPosting(database, link, until);
  for (const { id } of rows) TRANSACTIONS.set(database, { link, id }, { pending: 0, posts_at: null });
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

type Bounded = ReturnType<typeof bounded>;

export function countTransactions(database: Database, filter: TransactionFilter): number {
  return TRANSACTIONS.count<Bounded>(matches(filter))(database, bounded(filter));
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
  return TRANSACTIONS.all<Bounded & { limit: number; offset: number }>(`WHERE seq IN (
       SELECT seq FROM bank_transactions WHERE ${matches(filter)} ORDER BY day ${order}, id ${order} LIMIT @limit OFFSET @offset
     ) ORDER BY day DESC, id DESC`)(database, {
    ...bounded(filter),
    limit,
    offset: isNearEnd ? fromEnd : page.offset,
  });
}
