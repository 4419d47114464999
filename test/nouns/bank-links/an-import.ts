/** A link to import into, and rows for it. */
import type { BankAccount } from '../../../src/nouns/bank-links/endpoints/records.ts';
import { decimal, decimalText } from '../../../src/kernel/numbers/decimal.ts';
import { DAY_MS } from '../../../src/kernel/numbers/units.ts';
import { bankOf, type NewLink } from '../../support/bank-links.ts';
import { startService } from '../../support/service.ts';
import { everythingOf } from './a-bank.ts';

export const IMPORT = 'POST /bank_links/{link_id}/import/transactions';

export type Row = Record<string, unknown>;

/** Makes a link after `days`, by default of the persona that has little more than one checking account. */
export async function aLink({ persona = 'thin', days = 0, ...options }: NewLink & { days?: number } = {}) {
  const service = await startService();
  service.clock.advance(days * DAY_MS);
  const bank = bankOf(service);
  const fp_id = await service.user();
  const { id } = await bank.link(fp_id, { persona, ...options });
  const accounts = await bank.accounts(id);
  const transactions = () => bank.allTransactions(id);

  async function accountOf(account_id: string): Promise<BankAccount> {
    const found = (await bank.accounts(id)).find((account) => account.id === account_id);
    if (!found) throw new Error('no such account');
    return found;
  }

  return {
    service,
    bank,
    fp_id,
    id,
    transactions,
    accountOf,
    /** Returns the id of the first account of this type. */
    account(type: BankAccount['account_type']): string {
      const found = accounts.find(({ account_type }) => account_type === type);
      if (!found) throw new Error(`no account is ${type}`);
      return found.id;
    },
    balance: async (account_id: string) => (await accountOf(account_id)).balances?.current ?? 'none',
    transaction: async (transaction_id: string) =>
      (await transactions()).filter((transaction) => transaction.transaction_id === transaction_id),
    everything: () => everythingOf(bank, id),
    import: (...rows: Row[]) => bank.import(id, rows),
    refused: (...rows: Row[]) =>
      service.refused(IMPORT, { params: { link_id: id }, body: { transactions: rows } }),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

export const CHECKING = 'depository.checking';
export const aRow = (account_id: string, members: Row = {}): Row => ({
  account_id,
  amount: '-12.50',
  date: '2026-02-27',
  description: 'Books',
  ...members,
});

/** Adds the changes to a balance, without the service. */
export const plus = (balance: string, ...changes: string[]) =>
  decimalText(changes.reduce((sum, change) => sum + decimal(change), decimal(balance)));
