/**
 * The line above the transactions of a link: the sum of its deposit accounts of one currency at the end of each of
 * the last 90 days. For a link without deposits, it is the sum owed on its other accounts. The balances are computed
 * exactly, backwards from the current ones by the transactions posted since. Holdings have no history here, and
 * pending transactions don't count yet.
 */
import { counted } from '../../kernel/count-text.ts';
import { NUMBERED_PAGE_SIZE } from '../../contract/facts/limits.ts';
import type { BankAccount, BankTransaction } from '../../contract/bank-records.ts';
import { dateText, dayOf, parseDate, type Day } from '../../kernel/civil-date.ts';
import { decimal, decimalText, type Decimal } from '../../kernel/decimal.ts';
import { grouped } from '../../kernel/money-text.ts';
import type { Source } from '../data/source.ts';
import { sparkline } from './sparkline.ts';

export const HISTORY_DAYS = 90;
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

export interface DayBalance {
  readonly day: Day;
  readonly balance: Decimal;
}

/** Undefined for a link with investments only, or with unknown balances. */
export function potOf(accounts: readonly BankAccount[]): Pot | undefined {
  const known = accounts.flatMap(({ id, account_type: type, balances }) =>
    balances === null ? [] : [{ id, type, ...balances }],
  );
  const deposits = known.filter(({ type }) => type.startsWith('depository.'));
  const owed = known.filter(({ type }) => type.startsWith('liability.'));
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

/** Undefined for a link without balances or transactions. */
export async function balanceHistory(
  { client }: Source,
  link_id: string,
  accounts: readonly BankAccount[],
): Promise<string | undefined> {
  const pot = potOf(accounts);
  if (pot === undefined) return undefined;
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
  return balanceLine(
    pot,
    dailyBalances(
      pot,
      [first, ...more].flatMap(({ transactions }) => transactions),
    ),
  );
}
