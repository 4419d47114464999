/** Reads links, accounts, transactions and investments in the form of the API (contract §7.1, §7.2). */
import type { Portfolio, SimulatedHolding, SimulatedSecurity } from '../../../bank-simulation/simulation.ts';
import type {
  BankLink,
  BankTransaction,
  Holding,
  InvestmentTransaction,
  Security,
  BankAccount,
} from '../endpoints/records.ts';
import type { AnswerOf, RequestOf } from '../../../contract/registry.ts';
import { dateText, type Day, parseDate } from '../../../kernel/civil-date.ts';
import { listParameter, orderedPage } from '../../../kernel/cursor.ts';
import { decimal, type Decimal, decimalText } from '../../../kernel/decimal.ts';
import type { Database } from '../../../storage/database.ts';
import { spaceOf, type Caller } from '../../api-keys/service/index.ts';
import { findEntityByRow } from '../../entities/service/index.ts';
import {
  countTransactions,
  type LedgerName,
  listAccounts,
  listPending,
  listTransactions,
  type TransactionRow,
} from './ledger-repository.ts';
import { openAccounts, securityId, type Account } from './ledger.ts';
import { inspectedLink, linkItem, linkView, timeOrNull } from './link-view.ts';
import {
  countLinks,
  listLinks,
  listLinksOfEntity,
  type LinkFilter,
  type PlacedLinkRow,
  getLink,
} from './links-repository.ts';
import {
  type BankDetails,
  createLinkRecords,
  type InvestmentDetails,
  type LinkRecords,
  type AccountDetails,
} from './records.ts';
import { timestamp } from '../../../kernel/clock.ts';
import { invalid } from '../../../kernel/errors.ts';
import type { Needs } from '../../needs.ts';

// The filter and the page of a list of transactions (contract §0.9, §7.2).

type TransactionsQuery = RequestOf<'GET /bank_links/{link_id}/transactions'>['query'];

const PAGE_SIZE = 50;

/** The days of a query. Throws `invalid_request` for an invalid date, and for a start after the end. */
function daysOf({ start_date, end_date }: TransactionsQuery): { first: Day | null; last: Day | null } {
  const first = dayParameter('start_date', start_date);
  const last = dayParameter('end_date', end_date);
  if (first !== null && last !== null && first > last) {
    throw invalid('Query parameter start_date is after end_date');
  }
  return { first, last };
}

function dayParameter(name: string, text: string | undefined): Day | null {
  if (text === undefined) return null;
  const day = parseDate(text);
  if (day === undefined) throw invalid(`Query parameter ${name} is not a day of the calendar, YYYY-MM-DD`);
  return day;
}

/** `offset` is that of the first entry on the page; pages count from 1. */
function pageOf({ page = 1, size = PAGE_SIZE }: TransactionsQuery): {
  page: number;
  size: number;
  offset: number;
} {
  return { page, size, offset: (page - 1) * size };
}

/** The requested accounts of a link; all by default. Unknown ids match nothing. */
function chosenAccounts<Account extends { readonly id: string }>(
  accounts: readonly Account[],
  { account_ids }: { readonly account_ids?: string },
): Account[] {
  const ids = account_ids === undefined ? [] : listParameter('account_ids', account_ids);
  return ids.length === 0 ? [...accounts] : accounts.filter(({ id }) => ids.includes(id));
}

/** Everything except the lists of links throws `not_found` for a link outside the caller's tenant and environment. */
export type Readings = ReturnType<typeof createReadings>;

export function createReadings({ database, vault }: Needs<'database' | 'vault'>) {
  function open(caller: Caller, id: string): { link: PlacedLinkRow; records: LinkRecords } {
    const link = getLink(database, caller.space, id);
    const entity = findEntityByRow(database, link.entity);
    if (!entity) throw new Error('A link outlives its entity');
    return { link, records: createLinkRecords(vault.records(entity), link.id) };
  }

  function pageOfLinks<Item>(
    filter: LinkFilter,
    query: { cursor?: string; page_size?: number },
    view: (link: PlacedLinkRow) => Item,
  ) {
    return orderedPage(query, {
      by: { created_at: 'number', id: 'string' },
      list: (page) => listLinks(database, filter, page),
      count: countLinks(database, filter),
      view,
    });
  }

  /** A page of matching rows, and a function that finds the account of a row. */
  function pageOfLedger(link: PlacedLinkRow, ledger: LedgerName, query: TransactionsQuery) {
    const accounts = listAccounts(database, link.seq);
    const chosen = chosenAccounts(accounts, query);
    const filter = {
      link: link.seq,
      ledger,
      accounts: chosen.length === accounts.length ? null : JSON.stringify(chosen.map(({ seq }) => seq)),
      ...daysOf(query),
    };
    const total = countTransactions(database, filter);
    const { page, size, offset } = pageOf(query);
    const ids = new Map(accounts.map(({ seq, id }) => [seq, id]));
    return {
      envelope: { page, size, total },
      rows: listTransactions(database, filter, { offset, limit: size, total }),
      accountIdOf: ({ account }: TransactionRow) => ids.get(account) ?? missingAccount(),
    };
  }

  const portfolioOf = (link: PlacedLinkRow, records: LinkRecords): Portfolio =>
    records.openWorld(link.sealed_world).portfolio;

  return {
    list: ({ space }: Caller, query: RequestOf<'GET /bank_links'>['query']): AnswerOf<'GET /bank_links'> =>
      pageOfLinks({ space, ids: idsOf(query), fp_id: null, state: null }, query, linkItem),

    /** With their state (contract §11). Throws `not_found` for an unknown tenant. */
    inspect(query: RequestOf<'GET /_kyclone/bank_links'>['query']): AnswerOf<'GET /_kyclone/bank_links'> {
      const { space } = spaceOf(database, query);
      const { fp_id = null, state = null } = query;
      return pageOfLinks({ space, ids: idsOf(query), fp_id, state }, query, inspectedLink);
    },

    /** Newest first. */
    ofEntity: (current: Database, entity: { readonly id: number }): BankLink[] =>
      listLinksOfEntity(current, entity.id).map(linkView),

    get: (caller: Caller, id: string): BankLink => linkView(getLink(database, caller.space, id)),

    accounts(caller: Caller, id: string): AnswerOf<'GET /bank_links/{link_id}/accounts'> {
      const { link, records } = open(caller, id);
      const pending = pendingDebits(listPending(database, link.seq), records);
      const held = heldValues(portfolioOf(link, records));
      const accounts = openAccounts(database, link, records).map((account) =>
        accountView(account, link, {
          pendingDebits: pending.get(account.seq) ?? 0n,
          holdings: held.get(account.key) ?? 0n,
        }),
      );
      return { accounts };
    },

    /** Throws `invalid_request` for an invalid date, and for a start after the end. */
    transactions(
      caller: Caller,
      id: string,
      query: RequestOf<'GET /bank_links/{link_id}/transactions'>['query'],
    ): AnswerOf<'GET /bank_links/{link_id}/transactions'> {
      const { link, records } = open(caller, id);
      const { envelope, rows, accountIdOf } = pageOfLedger(link, 'bank', query);
      return {
        ...envelope,
        transactions: rows.map((row) => bankTransactionView(row, accountIdOf(row), records.openBank(row))),
      };
    },

    holdings(
      caller: Caller,
      id: string,
      query: RequestOf<'GET /bank_links/{link_id}/investments/holdings'>['query'],
    ): AnswerOf<'GET /bank_links/{link_id}/investments/holdings'> {
      const { link, records } = open(caller, id);
      const ids = new Map(
        chosenAccounts(listAccounts(database, link.seq), query).map((row) => [row.world_key, row.id]),
      );
      const portfolio = portfolioOf(link, records);
      const chosen = portfolio.holdings.flatMap((holding) => {
        const accountId = ids.get(holding.account);
        return accountId === undefined ? [] : [{ holding, accountId }];
      });
      return {
        holdings: chosen.map(({ holding, accountId }) => holdingView(holding, accountId)),
        securities: securitiesOf(
          portfolio,
          chosen.map(({ holding }) => holding.security),
        ),
      };
    },

    /** Throws `invalid_request` as `transactions` does. */
    investmentTransactions(
      caller: Caller,
      id: string,
      query: RequestOf<'GET /bank_links/{link_id}/investments/transactions'>['query'],
    ): AnswerOf<'GET /bank_links/{link_id}/investments/transactions'> {
      const { link, records } = open(caller, id);
      const { envelope, rows, accountIdOf } = pageOfLedger(link, 'investment', query);
      const opened = rows.map((row) => ({ row, details: records.openInvestment(row) }));
      return {
        ...envelope,
        investment_transactions: opened.map(({ row, details }) =>
          investmentTransactionView(row, accountIdOf(row), details),
        ),
        securities: securitiesOf(
          portfolioOf(link, records),
          opened.map(({ details }) => details.security),
        ),
      };
    },
  };
}

/** JSON list; null for all. */
function idsOf({ link_ids }: { link_ids?: string }): string | null {
  const ids = link_ids === undefined ? [] : listParameter('link_ids', link_ids);
  return ids.length === 0 ? null : JSON.stringify(ids);
}

/** By row id of the account. */
function pendingDebits(rows: readonly TransactionRow[], records: LinkRecords): Map<number, Decimal> {
  const sums = new Map<number, Decimal>();
  for (const row of rows) {
    if (row.ledger !== 'bank') continue;
    const { type, amount } = records.openBank(row);
    if (type === 'debit') sums.set(row.account, (sums.get(row.account) ?? 0n) + decimal(amount));
  }
  return sums;
}

/** By key of the account. */
function heldValues({ holdings }: Portfolio): Map<string, Decimal> {
  const sums = new Map<string, Decimal>();
  for (const { account, value } of holdings) sums.set(account, (sums.get(account) ?? 0n) + (value ?? 0n));
  return sums;
}

function missingAccount(): never {
  throw new Error('A transaction is of an account of another link');
}

// Transactions, holdings and securities in the form of the API (contract §7.1).

function bankTransactionView(
  { id, pending }: Pick<TransactionRow, 'id' | 'pending'>,
  accountId: string,
  details: BankDetails,
): BankTransaction {
  const { type, amount, currency, date, datetime, description, raw_description, category } = details;
  return {
    transaction_id: id,
    account_id: accountId,
    amount,
    currency,
    date,
    datetime,
    description,
    raw_description,
    category,
    enrichment: details.enrichment,
    pending: pending === 1,
    type,
  };
}

function investmentTransactionView(
  { id }: Pick<TransactionRow, 'id'>,
  accountId: string,
  details: InvestmentDetails,
): InvestmentTransaction {
  const { type, amount, quantity, price, fees, security, currency, date, datetime, description } = details;
  return {
    investment_transaction_id: id,
    account_id: accountId,
    security_id: security === null ? null : securityId(security),
    type,
    amount,
    quantity,
    price,
    fees,
    currency,
    date,
    datetime,
    description,
  };
}

export function holdingView(holding: SimulatedHolding, accountId: string): Holding {
  return {
    account_id: accountId,
    security_id: securityId(holding.security),
    quantity: decimalText(holding.quantity, 0),
    cost_basis: moneyOrNull(holding.cost_basis),
    price: moneyOrNull(holding.price),
    price_datetime: timeOrNull(holding.price_at),
    value: moneyOrNull(holding.value),
  };
}

/** The securities with these keys, without duplicates. */
export function securitiesOf({ securities }: Portfolio, keys: Iterable<string | null>): Security[] {
  const wanted = new Set(keys);
  return securities.filter(({ key }) => wanted.has(key)).map(securityView);
}

function securityView({ key, close_price, close_day, ...security }: SimulatedSecurity): Security {
  const { name, currency, type, ticker, isin, sedol } = security;
  return {
    security_id: securityId(key),
    name,
    currency,
    type,
    ticker,
    isin,
    sedol,
    close_price: moneyOrNull(close_price),
    close_date: close_day === null ? null : dateText(close_day),
  };
}

function moneyOrNull(value: Decimal | null): string | null {
  return value === null ? null : decimalText(value);
}

// Accounts in the form of the API, with their current and available balances (contract §7.1, §7.3).

/** `pendingDebits` of this account; `holdings`: the value of an investment account's holdings. */
export interface AccountStanding {
  readonly pendingDebits: Decimal;
  readonly holdings: Decimal;
}

export function accountView(
  { id, key, details }: Account,
  link: { readonly id: string; readonly persona: string },
  standing: AccountStanding,
): BankAccount {
  const { name, nickname, mask, closed, account_type, currency, limit, balance_at } = details;
  const available = availableOf(details, standing.pendingDebits);
  return {
    id,
    link_id: link.id,
    name,
    nickname,
    mask,
    closed,
    account_type,
    balances: {
      available: available === null ? null : decimalText(available),
      balance_date: timestamp(balance_at),
      currency,
      current: decimalText(currentOf(details, standing.holdings)),
      limit,
    },
    raw_provider_data: { persona: link.persona, account: key },
  };
}

function currentOf({ account_type, current }: AccountDetails, holdings: Decimal): Decimal {
  return account_type.startsWith('investment.') ? decimal(current) + holdings : decimal(current);
}

/** Null for accounts without withdrawals. */
function availableOf(
  { account_type, current, limit }: AccountDetails,
  pendingDebits: Decimal,
): Decimal | null {
  const [family] = account_type.split('.', 1);
  if (family === 'investment') return decimal(current);
  if (family === 'depository') return decimal(current) - pendingDebits;
  const isCreditLine =
    account_type === 'liability.credit_card' || account_type === 'liability.line_of_credit';
  return isCreditLine && limit !== null ? decimal(limit) - decimal(current) - pendingDebits : null;
}
