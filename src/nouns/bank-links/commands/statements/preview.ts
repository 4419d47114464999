/**
 * The first rows of a dry run as an import would store them, so that a person sees a turned sign. A balance is the one
 * of the account after the row: today's, plus the rows up to this one (contract §7.4).
 */
import type { Client } from '../../../../client/client.ts';
import type { BankAccount, BankTransaction } from '../../endpoints/records.ts';
import { bankEffect, DEFAULT_CURRENCY, type TransactionType } from '../../facts.ts';
import { decimal, decimalText, type Decimal } from '../../../../kernel/numbers/decimal.ts';
import { transactionsBeside } from './accounts.ts';
import { dateOf, typeOf, type StatementRow } from './rows.ts';

export interface PreviewRow {
  readonly place: string;
  readonly account_id: string;
  /** The end of the account's number. */
  readonly mask: string | null;
  readonly date: string;
  readonly type: TransactionType;
  /** Not negative. */
  readonly amount: string;
  readonly currency: string;
  readonly description: string;
  readonly pending: boolean;
  /** The balance of the account after this row; null if the account has none. */
  readonly balance: string | null;
}

const PREVIEW_ROWS = 10;

/** `rows`: valid, in the order of the file. */
export async function previewOf(
  client: Client,
  rows: readonly StatementRow[],
  { link, accounts }: { readonly link: string; readonly accounts: readonly BankAccount[] },
): Promise<PreviewRow[]> {
  const first = rows.slice(0, PREVIEW_ROWS);
  const named = first.filter(({ members }) => typeof members['transaction_id'] === 'string');
  const present = named.length === 0 ? [] : await transactionsBeside(client, link, named);
  /** The transactions that the rows replace. */
  const replaced = new Map(present.map((entry) => [entry.transaction_id, entry]));
  const balances = new Map<string, Decimal>();
  return first.map(({ place, members }) => {
    const row = members as Readonly<Record<string, string | undefined>>;
    const { account_id = '', amount = '0', transaction_id: id = '' } = row;
    const account = accounts.find((one) => one.id === account_id);
    const stored = { type: typeOf(members), amount: amount.replace('-', '') };
    const pending = members['pending'] === true;
    const before = replaced.get(id);
    if (account?.balances) {
      const held = balances.get(account_id) ?? decimal(account.balances.current);
      const effect = (entry: Pick<BankTransaction, 'type' | 'amount'>) =>
        bankEffect(account.account_type, { type: entry.type, amount: decimal(entry.amount) });
      const moved = pending ? 0n : effect(stored);
      const undone = before?.pending === false ? effect(before) : 0n;
      balances.set(account_id, held + moved - undone);
    }
    const balance = balances.get(account_id);
    return {
      place,
      account_id,
      mask: account?.mask ?? null,
      date: dateOf(members),
      ...stored,
      currency: row['currency'] ?? DEFAULT_CURRENCY,
      description: row['description'] ?? '',
      pending,
      balance: balance === undefined ? null : decimalText(balance),
    };
  });
}
