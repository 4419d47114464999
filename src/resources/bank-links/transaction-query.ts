/** The filter and the page of a list of transactions (contract §0.9, §7.2). */
import type { RequestOf } from '../../contract/registry.ts';
import { parseDate, type Day } from '../../kernel/civil-date.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { listParameter } from '../../kernel/list-parameter.ts';

export type TransactionsQuery = RequestOf<'GET /bank_links/{link_id}/transactions'>['query'];

const PAGE_SIZE = 50;

/** The days of a query. Throws `invalid_request` for an invalid date, and for a start after the end. */
export function daysOf({ start_date, end_date }: TransactionsQuery): { first: Day | null; last: Day | null } {
  const first = dayParameter('start_date', start_date);
  const last = dayParameter('end_date', end_date);
  if (first !== null && last !== null && first > last) {
    throw new ServiceError('invalid_request', 'Query parameter start_date is after end_date');
  }
  return { first, last };
}

function dayParameter(name: string, text: string | undefined): Day | null {
  if (text === undefined) return null;
  const day = parseDate(text);
  if (day === undefined) {
    throw new ServiceError(
      'invalid_request',
      `Query parameter ${name} is not a day of the calendar, YYYY-MM-DD`,
    );
  }
  return day;
}

/** `offset` is that of the first entry on the page; pages count from 1. */
export function pageOf({ page = 1, size = PAGE_SIZE }: TransactionsQuery): {
  page: number;
  size: number;
  offset: number;
} {
  return { page, size, offset: (page - 1) * size };
}

/** The requested accounts of a link; all by default. Unknown ids match nothing. */
export function chosenAccounts<Account extends { readonly id: string }>(
  accounts: readonly Account[],
  { account_ids }: { readonly account_ids?: string },
): Account[] {
  const ids = account_ids === undefined ? [] : listParameter('account_ids', account_ids);
  return ids.length === 0 ? [...accounts] : accounts.filter(({ id }) => ids.includes(id));
}
