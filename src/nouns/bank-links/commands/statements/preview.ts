/**
 * The first rows of a dry run as an import would store them, so that a person sees a turned sign. A balance is the one
 * of the account after the row: today's, plus the rows up to this one (contract §7.4).
 */
import type { Client } from '../../../../client/client.ts';
import type { BankAccount, BankTransaction } from '../../endpoints/records.ts';
import { bankEffect, DEFAULT_CURRENCY, type TransactionType } from '../../facts.ts';
import { decimal, decimalText, type Decimal } from '../../../../kernel/decimal.ts';
import { allPages, transactionsOf } from '../ledgers.ts';
import { dateOf } from './accounts.ts';
import type { StatementRow } from './rows.ts';

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
  const replaced = await replacedBy(client, first, link);
  const balances = new Map<string, Decimal>();
  return first.map(({ place, members }) => {
    const row = members as Readonly<Record<string, string | undefined>>;
    const { account_id = '', amount = '0', transaction_id: id = '' } = row;
    const account = accounts.find((one) => one.id === account_id);
    const type = (row['type'] ?? (amount.startsWith('-') ? 'debit' : 'credit')) as TransactionType;
    const stored = { type, amount: amount.replace('-', '') };
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

/** The transactions of these days that the rows replace, by id. */
async function replacedBy(
  client: Client,
  rows: readonly StatementRow[],
  link: string,
): Promise<ReadonlyMap<string, BankTransaction>> {
  const named = rows.filter(({ members }) => typeof members['transaction_id'] === 'string');
  const ids = new Set(named.map(({ members }) => String(members['transaction_id'])));
  if (ids.size === 0) return new Map();
  const dates = named.map(({ members }) => dateOf(members)).sort();
  const accounts = new Set(named.map(({ members }) => String(members['account_id'])));
  const query = { account_ids: [...accounts].join(','), start_date: dates[0], end_date: dates.at(-1) };
  const found: BankTransaction[] = [];
  for await (const { entries } of allPages(transactionsOf(client, link), query)) {
    found.push(...entries.filter((entry) => ids.has(entry.transaction_id)));
  }
  return new Map(found.map((entry) => [entry.transaction_id, entry]));
}
