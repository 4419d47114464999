/**
 * Assigns rows to accounts of the link, and finds the rows that an account already has. Never repeats an account
 * number.
 *
 * A row without an id is compared with the link's transactions, so that a statement imported again adds nothing. An
 * id made from the row's content would make this unnecessary. But ids are stored in the clear, while amounts and
 * texts are sealed.
 */
import { counted } from '../../../../kernel/text/count-text.ts';
import { dateOf, statementRefused, typeOf, type Mistake, type StatementRow } from './rows.ts';
import { DEFAULT_CURRENCY } from '../../facts.ts';
import type { Client } from '../../../../client/client.ts';
import type { BankAccount, BankTransaction } from '../../endpoints/records.ts';
import { parseDate } from '../../../../kernel/time/civil-date.ts';
import { allPages, transactionsOf } from '../ledgers.ts';

type LinkAccount = Pick<BankAccount, 'id' | 'mask'>;

const LAST_DIGITS = 4;

/**
 * Assigns an account to each row: its own; or else that of `--account`; or else the account whose mask matches the
 * end of the bank's number; or else the only account. A row that matches none of these keeps none. Throws a refusal.
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
    if (isOwn || id === undefined) return row;
    const { account_id: _, ...members } = row.members;
    return { ...row, members: { account_id: id, ...members } };
  });
}

export const ACCOUNT_HINT = '--account ID assigns an account to rows that name none';

function accountOfNumber(number: string, accounts: readonly LinkAccount[]): string {
  const digits = lastDigits(number);
  const fitting = accounts.filter(({ mask }) => mask !== null && lastDigits(mask) === digits);
  const [account] = fitting;
  if (account !== undefined && fitting.length === 1 && digits.length === LAST_DIGITS) return account.id;
  throw statementRefused(
    fitting.length > 1
      ? 'The number of an account in the file has the same ending as several accounts of the link'
      : 'The number of an account in the file does not match the ending of any account of the link',
    { ...accountsHint(accounts), hint: 'choose one with --account ID' },
  );
}

function accountsHint(accounts: readonly LinkAccount[]) {
  return {
    hint: 'the link has the listed accounts',
    context: Object.fromEntries(accounts.map(({ id, mask }) => [id, `mask ${mask ?? 'unknown'}`])),
  };
}

function lastDigits(text: string): string {
  return text.replace(/\D/g, '').slice(-LAST_DIGITS);
}

/**
 * The rows that the link doesn't have yet. For rows with none of its ids, it requests the transactions of their days.
 * A row without a day or an account of the link counts as new.
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
  return withoutKnown(rows, await transactionsBeside(client, link, unnamed));
}

/** The link's transactions on the days and in the accounts of these rows. */
export async function transactionsBeside(
  client: Client,
  link: string,
  rows: readonly StatementRow[],
): Promise<BankTransaction[]> {
  const dates = rows.map(({ members }) => dateOf(members)).sort();
  const accounts = new Set(rows.map(({ members }) => String(members['account_id'])));
  const query = { account_ids: [...accounts].join(','), start_date: dates[0], end_date: dates.at(-1) };
  const present: BankTransaction[] = [];
  for await (const { entries } of allPages(transactionsOf(client, link), query)) present.push(...entries);
  return present;
}

/** For each existing transaction, leaves out one row without an id that is equal in every member. */
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

/** What happens to rows with the id of an earlier row; without a choice they are refused. */
export const DUPLICATES = ['skip', 'keep'] as const;
export type Duplicates = (typeof DUPLICATES)[number];

export const DUPLICATES_HINT =
  '--duplicates skip imports the first row of an id, --duplicates keep all, the others without their id';

/**
 * Settles rows that repeat an earlier row of the file. `skip` leaves them out, also those without an id that are equal
 * in every member; `keep` removes their ids; otherwise each is a mistake that names both.
 */
export function settleRepeats(
  rows: readonly StatementRow[],
  duplicates: Duplicates | undefined,
): { rows: StatementRow[]; mistakes: Mistake[] } {
  const places = new Map<string, string>();
  const mistakes: Mistake[] = [];
  const settled = rows.flatMap((row): StatementRow[] => {
    const { transaction_id: id, ...others } = row.members;
    const isNamed = typeof id === 'string' && id !== '';
    if (!isNamed && duplicates !== 'skip') return [row];
    const key = isNamed ? `id ${id}` : contentOf(row.members);
    const first = places.get(key);
    if (first === undefined) {
      places.set(key, row.place);
      return [row];
    }
    if (duplicates === 'skip') return [];
    if (duplicates === 'keep') return [{ ...row, members: others }];
    mistakes.push({ place: row.place, member: 'transaction_id', reason: `is that of ${first} too` });
    return [row];
  });
  return { rows: settled, mistakes };
}

function isUnnamed({ members }: StatementRow): boolean {
  return (members['transaction_id'] ?? undefined) === undefined;
}

/** All members of a transaction in an import except its id, in the form that the API returns. */
function contentOf(members: StatementRow['members']): string {
  const amount = String(members['amount']);
  const date = dateOf(members);
  const moment = members['date'] === date ? null : members['date'];
  return JSON.stringify([
    members['account_id'],
    date,
    members['datetime'] ?? moment,
    typeOf(members),
    amount.replace('-', ''),
    members['currency'] ?? DEFAULT_CURRENCY,
    members['pending'] ?? false,
    members['description'],
    members['raw_description'] ?? null,
    members['category'] ?? null,
  ]);
}
