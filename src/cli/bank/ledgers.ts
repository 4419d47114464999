import type { Client } from '../../client/client.ts';
import type { BankTransaction, InvestmentTransaction } from '../../contract/bank-records.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import { investmentRow, transactionRow } from './ledger-view.ts';
import type { Ledger } from './ledger-pages.ts';

export type Transactions = AnswerOf<'GET /bank_links/{link_id}/transactions'>;
export type InvestmentTransactions = AnswerOf<'GET /bank_links/{link_id}/investments/transactions'>;

export function transactionsOf(client: Client, link: string): Ledger<Transactions, BankTransaction> {
  const params = { link_id: link };
  return {
    noun: 'transactions',
    read: (query) => client.call('GET /bank_links/{link_id}/transactions', { params, query }),
    entriesOf: ({ transactions }) => transactions,
    idOf: ({ transaction_id: id }) => id,
    rowsOf: (entries) => entries.map(transactionRow),
  };
}

export function investmentsOf(
  client: Client,
  link: string,
): Ledger<InvestmentTransactions, InvestmentTransaction> {
  const params = { link_id: link };
  return {
    noun: 'investment transactions',
    read: (query) => client.call('GET /bank_links/{link_id}/investments/transactions', { params, query }),
    entriesOf: ({ investment_transactions: entries }) => entries,
    idOf: ({ investment_transaction_id: id }) => id,
    rowsOf: (entries, { securities }) => entries.map((entry) => investmentRow(entry, securities)),
  };
}
