/** Accounts, transactions and holdings of a bank link. Amounts stay in the text form of the API. */
import type { BankAccount, BankTransaction } from '../endpoints/records.ts';
import { accountLabels, isLiability } from '../facts.ts';
import { NUMBERED_PAGE_SIZE } from '../../../contract/facts/limits.ts';
import { dateText, type Day, dayOf, parseDate } from '../../../kernel/time/civil-date.ts';
import { counted } from '../../../kernel/text/count-text.ts';
import { decimal, type Decimal, decimalText } from '../../../kernel/numbers/decimal.ts';
import { grouped, money, signed } from '../../../kernel/text/money-text.ts';
import type { Source } from '../../../tui/data/source.ts';
import type { Cell, Page, Tone } from '../../../tui/state/model.ts';
import type { PageQuery } from '../../../tui/screens/definition.ts';
import { itemsPane } from '../../../tui/screens/list-pane.ts';
import { copiesOf } from '../../../tui/screens/space.ts';

// The line above the transactions of a link: the sum of its deposit accounts of one currency at the end of each of
// the last 90 days. For a link without deposits, it is the sum owed on its other accounts. The balances are computed
// exactly, backwards from the current ones by the transactions posted since. Holdings have no history here, and
// pending transactions don't count yet.

const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;
const MIDDLE = '▄';

/**
 * A series of numbers as a line of small bars, at most `width` cells. The lowest number is at the bottom and the
 * highest at the top, wherever zero is. If all numbers are equal, they are in the middle. If there are more numbers
 * than cells, a cell shows the last of its share.
 */
export function sparkline(numbers: readonly bigint[], width: number): string {
  const cells = Math.min(Math.max(0, Math.floor(width)), numbers.length);
  if (cells === 0) return '';
  const shown = Array.from(
    { length: cells },
    (_, cell) => numbers[Math.floor(((cell + 1) * numbers.length) / cells) - 1] ?? 0n,
  );
  const lowest = shown.reduce((one, other) => (other < one ? other : one));
  const highest = shown.reduce((one, other) => (other > one ? other : one));
  const range = highest - lowest;
  if (range === 0n) return MIDDLE.repeat(cells);
  const top = BigInt(BARS.length - 1);
  // Rounds to the nearest bar, so that only the lowest and the highest are exact.
  return shown
    .map((each) => BARS[Number((2n * (each - lowest) * top + range) / (2n * range))] ?? '')
    .join('');
}

const HISTORY_DAYS = 90;
const SPARKLINE_WIDTH = 20;
const PAGE_SIZE = NUMBERED_PAGE_SIZE.most;
/** A busy link shows fewer days. */
const MOST_PAGES = 5;

/** The accounts whose balances are added. */
export interface Pot {
  readonly kind: 'deposits' | 'owed';
  readonly currency: string;
  readonly accountIds: readonly string[];
  readonly balance: Decimal;
  /** The day of the newest balance. */
  readonly day: Day;
}

interface DayBalance {
  readonly day: Day;
  readonly balance: Decimal;
}

/** Undefined for a link with investments only, or with unknown balances. */
export function potOf(accounts: readonly BankAccount[]): Pot | undefined {
  const known = accounts.flatMap(({ id, account_type: type, balances }) =>
    balances === null ? [] : [{ id, type, ...balances }],
  );
  const deposits = known.filter(({ type }) => type.startsWith('depository.'));
  const owed = known.filter(({ type }) => isLiability(type));
  const all = deposits.length > 0 ? deposits : owed;
  const currency = all[0]?.currency;
  if (currency === undefined) return undefined;
  const members = all.filter((each) => each.currency === currency);
  return {
    kind: deposits.length > 0 ? 'deposits' : 'owed',
    currency,
    accountIds: members.map(({ id }) => id),
    balance: members.reduce((sum, { current }) => sum + decimal(current), 0n),
    day: Math.max(...members.map(({ balance_date: at }) => dayOf(Date.parse(at)))),
  };
}

/** The balance of each day since the oldest transaction; empty without transactions. */
export function dailyBalances(pot: Pot, transactions: readonly BankTransaction[]): readonly DayBalance[] {
  const effects = new Map<Day, Decimal>();
  for (const { date, type, amount, pending, account_id: account, currency } of transactions) {
    const day = parseDate(date);
    if (day === undefined || currency !== pot.currency || !pot.accountIds.includes(account)) continue;
    // Spending increases the sum owed.
    const isMore = (type === 'credit') === (pot.kind === 'deposits');
    const effect = pending ? 0n : isMore ? decimal(amount) : -decimal(amount);
    effects.set(day, (effects.get(day) ?? 0n) + effect);
  }
  if (effects.size === 0) return [];
  const last = Math.max(pot.day, ...effects.keys());
  const first = Math.max(Math.min(...effects.keys()), last - HISTORY_DAYS + 1);
  const days: DayBalance[] = [];
  let { balance } = pot;
  for (let day = last; day >= first; day--) {
    days.push({ day, balance });
    balance -= effects.get(day) ?? 0n;
  }
  return days.reverse();
}

/** `USD, 90 days ▁▂▃▅█ low 1,204.10 (01-03) high 9,001.20 (02-27)`, with the first day of each extreme. */
export function balanceLine({ kind, currency }: Pot, days: readonly DayBalance[]): string | undefined {
  if (days.length === 0) return undefined;
  const low = days.reduce((one, other) => (other.balance < one.balance ? other : one));
  const high = days.reduce((one, other) => (other.balance > one.balance ? other : one));
  const bars = sparkline(
    days.map(({ balance }) => balance),
    SPARKLINE_WIDTH,
  );
  const count = counted(days.length, 'day');
  const what = kind === 'owed' ? `${currency} owed` : currency;
  return `${what}, ${count} ${bars} low ${textOf(low)} high ${textOf(high)}`;
}

function textOf({ day, balance }: DayBalance): string {
  return `${grouped(decimalText(balance))} (${dateText(day).slice('2026-'.length)})`;
}

/** Empty for a link without balances or transactions. */
async function balanceHistory(
  { client }: Source,
  link_id: string,
  accounts: readonly BankAccount[],
): Promise<Pick<Page, 'banner' | 'history'>> {
  const pot = potOf(accounts);
  if (pot === undefined) return {};
  const readPage = async (page: number) =>
    await client.call('GET /bank_links/{link_id}/transactions', {
      params: { link_id },
      query: {
        account_ids: pot.accountIds.join(','),
        start_date: dateText(pot.day - HISTORY_DAYS + 1),
        page,
        size: PAGE_SIZE,
      },
    });
  const first = await readPage(1);
  const pages = Math.min(MOST_PAGES, Math.ceil(first.total / PAGE_SIZE));
  const more = await Promise.all(Array.from({ length: Math.max(0, pages - 1) }, (_, at) => readPage(at + 2)));
  const days = dailyBalances(
    pot,
    [first, ...more].flatMap(({ transactions }) => transactions),
  );
  const title = pot.kind === 'owed' ? `Owed, ${pot.currency}` : `Balance, ${pot.currency}`;
  const points = days.map(({ day, balance }) => ({ at: dateText(day), value: Number(decimalText(balance)) }));
  return { banner: balanceLine(pot, days), ...(points.length > 0 && { history: { title, points } }) };
}

const CHANGES = ['request', 'clock', 'event'] as const;

export const accountsPane = itemsPane(findAccounts, {
  title: 'Accounts',
  columns: [
    { heading: 'NAME', grows: true, cell: accountCell },
    { heading: 'MASK', cell: 'mask' },
    { heading: 'TYPE', cell: 'account_type' },
    {
      heading: 'CURRENT',
      align: 'right',
      cell: ({ balances, account_type: type }) => moneyCell(balances?.current ?? null, type),
    },
    { heading: 'AVAILABLE', align: 'right', cell: ({ balances }) => grouped(balances?.available ?? null) },
    { heading: 'CURRENCY', cell: ({ balances }) => balances?.currency ?? '-' },
    { heading: 'INSTITUTION', drop: 1, cell: (_, { institution }) => institution },
  ],
  empty: 'No accounts',
  changesWith: CHANGES,
  row: ({ id }, { same }) => ({ ...same, id }),
});

export const transactionsPane = itemsPane(findTransactions, {
  title: 'Transactions',
  columns: [
    { heading: 'DATE', cell: 'date' },
    { heading: 'DESCRIPTION', grows: true, cell: whatCell },
    { heading: 'CATEGORY', drop: 1, cell: 'category' },
    { heading: 'AMOUNT', align: 'right', cell: amountCell },
    { heading: 'ACCOUNT', cell: ({ account_id: id }, { labels }) => labels.get(id) ?? id },
  ],
  empty: 'No transactions',
  changesWith: CHANGES,
  isFeed: true,
  row: ({ transaction_id: id }, { same }) => ({ ...same, id }),
});

export const holdingsPane = itemsPane(findHoldings, {
  title: 'Holdings',
  columns: [
    { heading: 'SECURITY', grows: true, cell: ({ security, security_id }) => security?.name ?? security_id },
    { heading: 'TICKER', cell: ({ security }) => security?.ticker ?? '-' },
    { heading: 'QUANTITY', align: 'right', cell: ({ quantity }) => grouped(quantity) },
    { heading: 'PRICE', align: 'right', cell: ({ price }) => grouped(price) },
    { heading: 'VALUE', align: 'right', cell: ({ value, security }) => money(value, security?.currency) },
    { heading: 'COST', align: 'right', drop: 2, cell: ({ cost_basis: cost }) => grouped(cost) },
    { heading: 'ACCOUNT', drop: 1, cell: ({ account_id: id }, { labels }) => labels.get(id) ?? id },
  ],
  empty: 'No holdings',
  changesWith: CHANGES,
  row: ({ account_id, security_id }, { same }) => ({
    ...same,
    key: `${account_id} ${security_id}`,
    id: security_id,
  }),
});

/** Sends one request for all panes that load at the same time. */
async function accountsOf(source: Source, link_id: string): Promise<readonly BankAccount[]> {
  return await source.once(`accounts of ${link_id}`, async () => {
    const { accounts } = await source.client.call('GET /bank_links/{link_id}/accounts', {
      params: { link_id },
    });
    return accounts;
  });
}

async function findAccounts(source: Source, { params: { link_id = '' } }: PageQuery) {
  const [items, link] = await Promise.all([
    accountsOf(source, link_id),
    source.client.call('GET /bank_links/{link_id}', { params: { link_id } }),
  ]);
  const same = copiesOf(['bank', 'accounts', link_id], `/bank_links/${link_id}/accounts`, source.space);
  return { items, more: { same, institution: link.institution_name } };
}

function accountCell({ nickname, name, closed }: BankAccount): string | Cell {
  const called = nickname ?? name;
  return closed === true ? { text: `${called} (closed)`, tone: 'dim' } : called;
}

/** The balance of a liability is what is owed. */
function moneyCell(amount: string | null, type: BankAccount['account_type']): Cell {
  const isDebt = isLiability(type) !== (amount?.startsWith('-') ?? false);
  return { text: grouped(amount), tone: isDebt && /[1-9]/.test(amount ?? '') ? 'warn' : 'plain' };
}

/** The cursor is a page number. */
async function findTransactions(source: Source, { params, cursor, size }: PageQuery) {
  const { link_id = '' } = params;
  const atOnce = Math.min(size, PAGE_SIZE);
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
  const same = copiesOf(words, path, source.space);
  return {
    items: transactions,
    more: { same, labels: accountLabels(accounts) },
    next: page * atOnce < total ? String(page + 1) : null,
    total,
    ...(page === 1 && total > 0 && (await balanceHistory(source, link_id, accounts))),
  };
}

function whatCell({ description, raw_description: raw, pending }: BankTransaction): string | Cell {
  const what = description ?? raw ?? '-';
  return pending ? { text: `pending  ${what}`, tone: 'dim' } : what;
}

function amountCell({ type, amount, currency, pending }: BankTransaction): Cell {
  const isIncoming = type === 'credit';
  const tone: Tone = pending ? 'dim' : isIncoming ? 'good' : 'plain';
  return { text: `${signed(amount, isIncoming)} ${currency}`, tone };
}

async function findHoldings(source: Source, { params: { link_id = '' } }: PageQuery) {
  const [accounts, { holdings, securities }] = await Promise.all([
    accountsOf(source, link_id),
    source.client.call('GET /bank_links/{link_id}/investments/holdings', { params: { link_id } }),
  ]);
  const path = `/bank_links/${link_id}/investments/holdings`;
  const same = copiesOf(['bank', 'holdings', link_id], path, source.space);
  const byId = new Map(securities.map((security) => [security.security_id, security]));
  const items = holdings.map((holding) => ({ ...holding, security: byId.get(holding.security_id) ?? null }));
  return { items, more: { same, labels: accountLabels(accounts) } };
}
