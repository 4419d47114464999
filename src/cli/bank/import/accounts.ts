/** To which account of the link rows go that don't say so themselves. A number of an account is never repeated. */
import { counted, statementRefused } from './failures.ts';
import type { StatementRow } from './rows.ts';

export interface LinkAccount {
  readonly id: string;
  readonly mask: string | null;
}

const LAST_DIGITS = 4;

/**
 * Rows with their accounts: a row's own, else that of `--account`, else the one whose mask ends as the bank's number
 * does, else the only one there is. A row for which none of these tells keeps none. Throws a refusal.
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
