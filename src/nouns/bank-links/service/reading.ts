/** Reads links, accounts, transactions and investments in the form of the API (contract §7.1, §7.2). */
import type { Portfolio, SimulatedHolding, SimulatedSecurity } from '../../../bank-simulation/simulation.ts';
import type { BankLink, Holding, Security, BankAccount } from '../endpoints/records.ts';
import type { EndpointKey, RequestOf } from '../../../contract/registry.ts';
import { dateText, type Day, parseDate } from '../../../kernel/time/civil-date.ts';
import { listParameter, orderedPage } from '../../cursor.ts';
import { decimal, type Decimal, decimalText } from '../../../kernel/numbers/decimal.ts';
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
  linksOf,
  listLinksOfEntity,
  type LinkFilter,
  type PlacedLinkRow,
  getLink,
} from './links-repository.ts';
import { createLinkRecords, type LinkRecords, type AccountDetails } from './records.ts';
import { timestamp } from '../../../kernel/time/clock.ts';
import { invalid } from '../../../kernel/errors.ts';
import { NUMBERED_PAGE_SIZE } from '../../../contract/facts/limits.ts';
import { answer, type Handlers } from '../../handlers.ts';
import type { Needs } from '../../needs.ts';

// The filter and the page of a list of transactions (contract §0.9, §7.2).

type TransactionsQuery = RequestOf<'GET /bank_links/{link_id}/transactions'>['query'];

/** Null for a day that isn't given. Throws `invalid_request` for an invalid date, and for a start after the end. */
function daysOf({ start_date, end_date }: TransactionsQuery): { first: Day | null; last: Day | null } {
  const dayIn = (name: string, text: string | undefined): Day | null => {
    const day = text === undefined ? null : parseDate(text);
    if (day !== undefined) return day;
    throw invalid(`Query parameter ${name} is not a day of the calendar, YYYY-MM-DD`);
  };
  const [first, last] = [dayIn('start_date', start_date), dayIn('end_date', end_date)];
  if (first !== null && last !== null && first > last) {
    throw invalid('Query parameter start_date is after end_date');
  }
  return { first, last };
}

/** The requested accounts of a link; all by default. Unknown ids match nothing. */
function chosenAccounts<Account extends { readonly id: string }>(
  accounts: readonly Account[],
  { account_ids }: { readonly account_ids?: string },
): readonly Account[] {
  const ids = account_ids === undefined ? [] : listParameter('account_ids', account_ids);
  return ids.length === 0 ? accounts : accounts.filter(({ id }) => ids.includes(id));
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
    filter: Omit<LinkFilter, 'ids'>,
    query: RequestOf<'GET /bank_links'>['query'],
    view: (link: PlacedLinkRow) => Item,
  ) {
    const { link_ids } = query;
    const ids = link_ids === undefined ? [] : listParameter('link_ids', link_ids);
    const all = { ...filter, ids: ids.length === 0 ? null : JSON.stringify(ids) };
    return orderedPage(query, { ...linksOf(database, all), view });
  }

  /** A page of matching rows, and a function that finds the account of a row. Pages count from 1. */
  function pageOfLedger(link: PlacedLinkRow, ledger: LedgerName, query: TransactionsQuery) {
    const { page = 1, size = NUMBERED_PAGE_SIZE.default } = query;
    const accounts = listAccounts(database, link.seq);
    const chosen = chosenAccounts(accounts, query);
    const filter = {
      link: link.seq,
      ledger,
      accounts: chosen.length === accounts.length ? null : JSON.stringify(chosen.map(({ seq }) => seq)),
      ...daysOf(query),
    };
    const total = countTransactions(database, filter);
    const ids = new Map(accounts.map(({ seq, id }) => [seq, id]));
    return {
      envelope: { page, size, total },
      rows: listTransactions(database, filter, { offset: (page - 1) * size, limit: size, total }),
      accountIdOf: ({ account }: TransactionRow): string => {
        const id = ids.get(account);
        if (id === undefined) throw new Error('A transaction is of an account of another link');
        return id;
      },
    };
  }

  const handlers = {
    'GET /bank_links': ({ caller: { space }, query }) =>
      answer(pageOfLinks({ space, fp_id: null, state: null }, query, linkItem)),

    /** With their state (contract §11). Throws `not_found` for an unknown tenant. */
    'GET /_kyclone/bank_links': ({ query }) => {
      const { space } = spaceOf(database, query);
      const { fp_id = null, state = null } = query;
      return answer(pageOfLinks({ space, fp_id, state }, query, inspectedLink));
    },

    'GET /bank_links/{link_id}': ({ caller, params }) =>
      answer(linkView(getLink(database, caller.space, params.link_id))),

    'GET /bank_links/{link_id}/accounts': ({ caller, params }) => {
      const { link, records } = open(caller, params.link_id);
      const debits = listPending(database, link.seq)
        .filter(({ ledger }) => ledger === 'bank')
        .map((row) => ({ account: row.account, ...records.openBank(row) }))
        .filter(({ type }) => type === 'debit');
      const pending = sums(debits.map(({ account, amount }) => [account, decimal(amount)]));
      const { holdings } = records.openWorld(link.sealed_world).portfolio;
      const held = sums(holdings.map(({ account, value }) => [account, value ?? 0n]));
      const accounts = openAccounts(database, link, records).map((account) =>
        accountView(account, link, {
          pendingDebits: pending.get(account.seq) ?? 0n,
          holdings: held.get(account.key) ?? 0n,
        }),
      );
      return answer({ accounts });
    },

    /** Throws `invalid_request` for an invalid date, and for a start after the end. */
    'GET /bank_links/{link_id}/transactions': ({ caller, params, query }) => {
      const { link, records } = open(caller, params.link_id);
      const { envelope, rows, accountIdOf } = pageOfLedger(link, 'bank', query);
      const transactions = rows.map((row) => {
        const { type, ...details } = records.openBank(row);
        const pending = row.pending === 1;
        return { transaction_id: row.id, account_id: accountIdOf(row), ...details, pending, type };
      });
      return answer({ ...envelope, transactions });
    },

    'GET /bank_links/{link_id}/investments/holdings': ({ caller, params, query }) => {
      const { link, records } = open(caller, params.link_id);
      const accounts = chosenAccounts(listAccounts(database, link.seq), query);
      const ids = new Map(accounts.map((row) => [row.world_key, row.id]));
      const { portfolio } = records.openWorld(link.sealed_world);
      const chosen = portfolio.holdings.filter(({ account }) => ids.has(account));
      return answer({
        holdings: chosen.map((holding) => holdingView(holding, ids.get(holding.account) ?? '')),
        securities: securitiesOf(
          portfolio,
          chosen.map(({ security }) => security),
        ),
      });
    },

    /** Throws `invalid_request` as the list of transactions does. */
    'GET /bank_links/{link_id}/investments/transactions': ({ caller, params, query }) => {
      const { link, records } = open(caller, params.link_id);
      const { envelope, rows, accountIdOf } = pageOfLedger(link, 'investment', query);
      const opened = rows.map((row) => ({ row, ...records.openInvestment(row) }));
      const investment_transactions = opened.map(({ row, security, ...details }) => ({
        investment_transaction_id: row.id,
        account_id: accountIdOf(row),
        security_id: security === null ? null : securityId(security),
        ...details,
      }));
      const { portfolio } = records.openWorld(link.sealed_world);
      const securities = securitiesOf(
        portfolio,
        opened.map(({ security }) => security),
      );
      return answer({ ...envelope, investment_transactions, securities });
    },
  } satisfies Partial<Handlers<EndpointKey>>;

  return {
    handlers,
    /** Newest first. */
    ofEntity: (current: Database, entity: { readonly id: number }): BankLink[] =>
      listLinksOfEntity(current, entity.id).map(linkView),
  };
}

function sums<Key>(values: readonly (readonly [Key, Decimal])[]): Map<Key, Decimal> {
  const found = new Map<Key, Decimal>();
  for (const [key, value] of values) found.set(key, (found.get(key) ?? 0n) + value);
  return found;
}

// Holdings and securities in the form of the API (contract §7.1).

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
  return {
    security_id: securityId(key),
    ...security,
    close_price: moneyOrNull(close_price),
    close_date: close_day === null ? null : dateText(close_day),
  };
}

function moneyOrNull(value: Decimal | null): string | null {
  return value === null ? null : decimalText(value);
}

// Accounts in the form of the API, with their current and available balances (contract §7.1, §7.3).

export function accountView(
  { id, key, details }: Account,
  link: { readonly id: string; readonly persona: string },
  /** `pendingDebits` of this account; `holdings`: the value of an investment account's holdings. */
  { pendingDebits, holdings }: { readonly pendingDebits: Decimal; readonly holdings: Decimal },
): BankAccount {
  const { currency, limit, current, balance_at, ...named } = details;
  const available = availableOf(details, pendingDebits);
  return {
    id,
    link_id: link.id,
    ...named,
    balances: {
      available: moneyOrNull(available),
      balance_date: timestamp(balance_at),
      currency,
      current: decimalText(decimal(current) + (named.account_type.startsWith('investment.') ? holdings : 0n)),
      limit,
    },
    raw_provider_data: { persona: link.persona, account: key },
  };
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
