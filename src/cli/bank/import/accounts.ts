/**
 * The account of the link that a row goes to, and the rows that the account has already. No account number is
 * repeated.
 *
 * A row without an id is compared with what the link has, so that a statement imported again adds nothing. An id made
 * from the row's content would do this without asking, but ids stand in the clear where amounts and texts are sealed.
 */
import { counted } from '../../../kernel/count-text.ts';
import { statementRefused, type StatementRow } from './rows.ts';
import { DEFAULT_CURRENCY } from '../../../contract/facts/banks.ts';
import type { Client } from '../../../client/client.ts';
import type { BankTransaction } from '../../../contract/bank-records.ts';
import { parseDate } from '../../../kernel/civil-date.ts';
import { parseDecimal } from '../../../kernel/decimal.ts';
import { allPages, transactionsOf } from '../ledgers.ts';

export interface LinkAccount {
  readonly id: string;
  readonly mask: string | null;
}

const LAST_DIGITS = 4;

/**
 * Rows with their accounts: a row's own, else that of `--account`, else the one whose mask ends as the bank's number
 * does, else the only one there is. A row that none of these decides keeps none. Throws a refusal.
 */
export function assignAccounts(
  rows: readonly StatementRow[],
  { accounts, chosen }: { readonly accounts: readonly LinkAccount[]; readonly chosen: string | undefined },
): StatementRow[] {
  if (chosen !== undefined && !accounts.some(({ id }) => id === chosen)) {
    throw statementRefused('--account names no account of the link', accountsHint(accounts));
  }
  const numbers = new Set(rows.flatMap(({ bankAccount }) => bankAccount ?? []));
  if (chosen !== undefined && numbers.size > 1) {
    throw statementRefused(
      `The file has statements of ${counted(numbers.size, 'account')}, and --account takes one`,
      { hint: 'without --account they go to the accounts whose masks are their last four digits' },
    );
  }
  const byNumber = new Map(
    [...numbers].map((number) => [number, chosen ?? accountOfNumber(number, accounts)] as const),
  );
  const only = accounts.length === 1 ? accounts[0]?.id : undefined;
  return rows.map((row) => {
    const id = row.bankAccount === undefined ? (chosen ?? only) : byNumber.get(row.bankAccount);
    const isOwn = row.members['account_id'] !== undefined && row.members['account_id'] !== null;
    return isOwn || id === undefined ? row : { ...row, members: { account_id: id, ...withoutAccount(row) } };
  });
}

/** The hint for rows that no account was found for. */
export const ACCOUNT_HINT = '--account ID takes the rows that name no account';

function withoutAccount({ members }: StatementRow): StatementRow['members'] {
  return Object.fromEntries(Object.entries(members).filter(([name]) => name !== 'account_id'));
}

function accountOfNumber(number: string, accounts: readonly LinkAccount[]): string {
  const digits = lastDigits(number);
  const fitting = accounts.filter(({ mask }) => mask !== null && lastDigits(mask) === digits);
  const [account] = fitting;
  if (account !== undefined && fitting.length === 1 && digits.length === LAST_DIGITS) return account.id;
  throw statementRefused(
    fitting.length > 1
      ? 'The number of an account in the file ends as those of several accounts of the link do'
      : 'The number of an account in the file ends as that of no account of the link does',
    { ...accountsHint(accounts), hint: '--account ID says which it is' },
  );
}

function accountsHint(accounts: readonly LinkAccount[]) {
  return {
    hint: 'the accounts of the link are those listed',
    context: Object.fromEntries(accounts.map(({ id, mask }) => [id, `mask ${mask ?? 'unknown'}`])),
  };
}

function lastDigits(text: string): string {
  return text.replace(/\D/g, '').slice(-LAST_DIGITS);
}

const DATE_LENGTH = 'YYYY-MM-DD'.length;

/**
 * The rows that the link doesn't have yet; it is asked for the days of those that have none of its ids. A row that
 * names no day or no account of the link is one that it doesn't have.
 */
export async function unknownRows(
  client: Client,
  rows: readonly StatementRow[],
  { link, accountIds }: { readonly link: string; readonly accountIds: ReadonlySet<unknown> },
): Promise<readonly StatementRow[]> {
  const unnamed = rows
    .filter(isUnnamed)
    .filter(
      ({ members }) => accountIds.has(members['account_id']) && parseDate(dateOf(members)) !== undefined,
    );
  if (unnamed.length === 0) return rows;
  const dates = unnamed.map(({ members }) => dateOf(members)).sort();
  const accounts = new Set(unnamed.map(({ members }) => String(members['account_id'])));
  const query = { account_ids: [...accounts].join(','), start_date: dates[0], end_date: dates.at(-1) };
  const present: BankTransaction[] = [];
  for await (const { entries } of allPages(transactionsOf(client, link), query)) present.push(...entries);
  return withoutKnown(rows, present);
}

/** Leaves out, for each transaction that is there, one row without an id that is the same in all. */
export function withoutKnown(
  rows: readonly StatementRow[],
  present: readonly BankTransaction[],
): StatementRow[] {
  const given = new Set(rows.map(({ members }) => members['transaction_id']));
  const counts = new Map<string, number>();
  for (const transaction of present) {
    if (given.has(transaction.transaction_id)) continue;
    const content = contentOf({ ...transaction });
    counts.set(content, (counts.get(content) ?? 0) + 1);
  }
  return rows.filter((row) => {
    if (!isUnnamed(row)) return true;
    const content = contentOf(row.members);
    const count = counts.get(content) ?? 0;
    if (count > 0) counts.set(content, count - 1);
    return count === 0;
  });
}

function isUnnamed({ members }: StatementRow): boolean {
  return (members['transaction_id'] ?? undefined) === undefined;
}

function dateOf(members: StatementRow['members']): string {
  return String(members['date']).slice(0, DATE_LENGTH);
}

/** All that an import says of a transaction but its id, in the form that the API returns afterwards. */
function contentOf(members: StatementRow['members']): string {
  const amount = String(members['amount']);
  const date = dateOf(members);
  const moment = members['date'] === date ? null : members['date'];
  return JSON.stringify([
    ...[members['account_id'], date, members['datetime'] ?? moment],
    ...[members['type'] ?? ((parseDecimal(amount) ?? 0n) < 0n ? 'debit' : 'credit'), amount.replace('-', '')],
    ...[members['currency'] ?? DEFAULT_CURRENCY, members['pending'] ?? false],
    ...[members['description'], members['raw_description'] ?? null, members['category'] ?? null],
  ]);
}
