/** Flags and arguments that the commands about bank links share. */
import { string as stringArg } from '@oclif/core/args';
import { boolean, custom, string } from '@oclif/core/flags';
import { parseDate } from '../../kernel/civil-date.ts';
import { UsageError } from '../shell/failure.ts';
import { integerFlag, liveFlag } from '../shell/flags.ts';

export const linkArg = { link: stringArg({ description: 'id of a bank link (link_…)', required: true }) };

/** A day of the calendar, as it was written. */
const dateFlag = custom({
  helpValue: 'DATE',
  parse: (text, _context, { name }) =>
    parseDate(text) === undefined
      ? Promise.reject(new UsageError(`--${name} takes a date of the calendar, such as 2026-01-31`))
      : Promise.resolve(text),
});

export const accountFlag = {
  account: string({
    summary: 'only of this account (acct_…); repeatable',
    helpValue: 'ID',
    multiple: true,
    multipleNonGreedy: true,
    parse: (text) =>
      /^[^\s,]+$/.test(text)
        ? Promise.resolve(text)
        : Promise.reject(new UsageError('--account takes the id of one account, and may be given again')),
  }),
};

export const ledgerFlags = {
  ...accountFlag,
  from: dateFlag({ summary: 'the earliest date' }),
  to: dateFlag({ summary: 'the latest date' }),
  page: integerFlag({ summary: 'which page, from 1 on', min: 1, helpValue: 'N' }),
  size: integerFlag({ summary: 'entries on a page, 50 unless given', min: 1, max: 100, helpValue: 'N' }),
  all: boolean({ summary: 'every page, each as soon as it is read; NDJSON under --json' }),
  ...liveFlag,
};

export interface LedgerFlags {
  readonly account?: readonly string[] | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly page?: number | undefined;
  readonly size?: number | undefined;
  readonly all: boolean;
}

/** What is asked for of a ledger, whatever the page. */
export interface LedgerQuery {
  readonly account_ids: string | undefined;
  readonly start_date: string | undefined;
  readonly end_date: string | undefined;
}

/** Throws UsageError for flags that contradict each other. */
export function ledgerQuery({ account, from, to, page, size, all }: LedgerFlags): LedgerQuery {
  if (from !== undefined && to !== undefined && from > to) throw new UsageError('--from is after --to');
  if (all && page !== undefined) throw new UsageError('--all reads every page: leave --page out');
  if (all && size !== undefined) throw new UsageError('--all reads every page: leave --size out');
  return { account_ids: accountIds(account), start_date: from, end_date: to };
}

export function accountIds(accounts: readonly string[] | undefined): string | undefined {
  return accounts?.join(',');
}
