/** Accounts, transactions and holdings of a bank link. Amounts stay in the text form of the API. */
import type { BankAccount, BankTransaction, Holding, Security } from '../../contract/bank-records.ts';
import { grouped, money, signed } from '../../kernel/money-text.ts';
import type { Source } from '../data/source.ts';
import type { Page, Row, Tone } from '../state/model.ts';
import { balanceHistory } from './balance-history.ts';
import type { PageQuery, PaneDefinition } from './definition.ts';
import { spacedCommand } from './space.ts';

/** The largest page that the daemon returns. */
const MOST_AT_ONCE = 100;

export const accountsPane: PaneDefinition = {
  title: 'Accounts',
  columns: [
    { heading: 'NAME', grows: true },
    { heading: 'MASK' },
    { heading: 'TYPE' },
    { heading: 'CURRENT', align: 'right' },
    { heading: 'AVAILABLE', align: 'right' },
    { heading: 'CURRENCY' },
    { heading: 'INSTITUTION', drop: 1 },
  ],
  empty: 'No accounts',
  changesWith: ['request', 'clock', 'event'],
  load: loadAccounts,
};

export const transactionsPane: PaneDefinition = {
  title: 'Transactions',
  columns: [
    { heading: 'DATE' },
    { heading: 'DESCRIPTION', grows: true },
    { heading: 'CATEGORY', drop: 1 },
    { heading: 'AMOUNT', align: 'right' },
    { heading: 'ACCOUNT' },
  ],
  empty: 'No transactions',
  changesWith: ['request', 'clock', 'event'],
  isFeed: true,
  load: loadTransactions,
};

export const holdingsPane: PaneDefinition = {
  title: 'Holdings',
  columns: [
    { heading: 'SECURITY', grows: true },
    { heading: 'TICKER' },
    { heading: 'QUANTITY', align: 'right' },
    { heading: 'PRICE', align: 'right' },
    { heading: 'VALUE', align: 'right' },
    { heading: 'COST', align: 'right', drop: 2 },
    { heading: 'ACCOUNT', drop: 1 },
  ],
  empty: 'No holdings',
  changesWith: ['request', 'clock', 'event'],
  load: loadHoldings,
};

/** Sends one request for all panes that load at the same time. */
async function accountsOf(source: Source, link_id: string): Promise<readonly BankAccount[]> {
  return await source.once(`accounts of ${link_id}`, async () => {
    const { accounts } = await source.client.call('GET /bank_links/{link_id}/accounts', {
      params: { link_id },
    });
    return accounts;
  });
}

async function loadAccounts(source: Source, { params }: PageQuery): Promise<Page> {
  const { link_id = '' } = params;
  const [accounts, link] = await Promise.all([
    accountsOf(source, link_id),
    source.client.call('GET /bank_links/{link_id}', { params: { link_id } }),
  ]);
  const rows = accounts.map((account): Row => {
    const { id, name, nickname, mask, account_type: type, closed, balances } = account;
    const called = nickname ?? name;
    return {
      data: account,
      key: id,
      cells: [
        closed === true ? { text: `${called} (closed)`, tone: 'dim' } : called,
        mask ?? '-',
        type,
        moneyCell(balances?.current ?? null, type),
        grouped(balances?.available ?? null),
        balances?.currency ?? '-',
        link.institution_name,
      ],
      id,
      command: spacedCommand(['bank', 'accounts', link_id], source.space),
      call: { method: 'GET', path: `/bank_links/${link_id}/accounts` },
    };
  });
  return { rows, next: null, total: rows.length };
}

/** The balance of a liability is what is owed. */
function moneyCell(amount: string | null, type: BankAccount['account_type']): { text: string; tone: Tone } {
  const isDebt = type.startsWith('liability.') !== (amount?.startsWith('-') ?? false);
  return { text: grouped(amount), tone: isDebt && /[1-9]/.test(amount ?? '') ? 'warn' : 'plain' };
}

/** The cursor is a page number. */
async function loadTransactions(source: Source, { params, cursor, size }: PageQuery): Promise<Page> {
  const { link_id = '' } = params;
  const atOnce = Math.min(size, MOST_AT_ONCE);
  const page = cursor === undefined ? 1 : Number(cursor);
  const [accounts, { transactions, total }] = await Promise.all([
    accountsOf(source, link_id),
    source.client.call('GET /bank_links/{link_id}/transactions', {
      params: { link_id },
      query: { page, size: atOnce },
    }),
  ]);
  const path = `/bank_links/${link_id}/transactions?page=${page}&size=${atOnce}`;
  const words = ['bank', 'transactions', link_id, '--page', String(page), '--size', String(atOnce)];
  const same = { command: spacedCommand(words, source.space), call: { method: 'GET', path } };
  return {
    rows: transactions.map((entry) => ({ ...same, ...transactionRow(entry, accounts) })),
    next: page * atOnce < total ? String(page + 1) : null,
    total,
    banner: page === 1 && total > 0 ? await balanceHistory(source, link_id, accounts) : undefined,
  };
}

function transactionRow(entry: BankTransaction, accounts: readonly BankAccount[]): Row {
  const { transaction_id: id, date, type, amount, currency, pending } = entry;
  const what = entry.description ?? entry.raw_description ?? '-';
  const isIncoming = type === 'credit';
  const tone: Tone = pending ? 'dim' : isIncoming ? 'good' : 'plain';
  return {
    data: entry,
    key: id,
    cells: [
      date,
      pending ? { text: `pending  ${what}`, tone: 'dim' } : what,
      entry.category ?? '-',
      { text: `${signed(amount, isIncoming)} ${currency}`, tone },
      labelOf(entry.account_id, accounts),
    ],
    id,
  };
}

async function loadHoldings(source: Source, { params }: PageQuery): Promise<Page> {
  const { link_id = '' } = params;
  const [accounts, { holdings, securities }] = await Promise.all([
    accountsOf(source, link_id),
    source.client.call('GET /bank_links/{link_id}/investments/holdings', { params: { link_id } }),
  ]);
  const same = {
    command: spacedCommand(['bank', 'holdings', link_id], source.space),
    call: { method: 'GET', path: `/bank_links/${link_id}/investments/holdings` },
  };
  const rows = holdings.map((holding) => ({ ...same, ...holdingRow(holding, securities, accounts) }));
  return { rows, next: null, total: rows.length };
}

function holdingRow(
  holding: Holding,
  securities: readonly Security[],
  accounts: readonly BankAccount[],
): Row {
  const { account_id, security_id, quantity, price, value, cost_basis: cost } = holding;
  const security = securities.find((each) => each.security_id === security_id);
  return {
    data: { ...holding, security: security ?? null },
    key: `${account_id} ${security_id}`,
    cells: [
      security?.name ?? security_id,
      security?.ticker ?? '-',
      grouped(quantity),
      grouped(price),
      money(value, security?.currency),
      grouped(cost),
      labelOf(account_id, accounts),
    ],
    id: security_id,
  };
}

/** The end of the account number if it is unique among the accounts; otherwise the name. */
function labelOf(accountId: string, accounts: readonly BankAccount[]): string {
  const account = accounts.find(({ id }) => id === accountId);
  if (account === undefined) return accountId;
  const { mask, nickname, name } = account;
  const isAlone = accounts.filter((other) => other.mask === mask).length === 1;
  return mask !== null && isAlone ? `…${mask}` : (nickname ?? name);
}
