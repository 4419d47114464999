/**
 * Transactions, holdings and investment transactions as text. Amounts stay the texts of the API, plus thousands
 * separators and a sign for the direction. Nothing is calculated.
 */
import type { BankTransaction, InvestmentTransaction, Security } from '../endpoints/records.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import { grouped, money, signed } from '../../../kernel/text/money-text.ts';
import { fitted, listView, padded, roomOf } from '../../../cli/shell/layout.ts';
import { displayWidth, printable, type Style } from '../../../cli/shell/output.ts';

export interface LedgerRow {
  readonly date: string;
  /** With sign and currency. */
  readonly amount: string;
  readonly account_id: string;
  readonly isPending: boolean;
  readonly what: string | null;
}

export type AccountLabels = ReadonlyMap<string, string>;

const GAP = '  ';
const PENDING = 'pending';
const LABEL_WIDTH = 14;
/** The description gets at least this many characters, however wide the rest of the line is. */
const LEAST_WHAT = 10;

/** Column widths fit the rows in `first`. A wider row later shortens its description. */
export function ledgerTable(first: readonly LedgerRow[], labels: AccountLabels, style: Style) {
  const widest = (heading: string, textOf: (row: LedgerRow) => string): number =>
    Math.max(heading.length, ...first.map((row) => displayWidth(textOf(row))));
  const widths = {
    amount: widest('AMOUNT', ({ amount }) => printable(amount)),
    account: widest('ACCOUNT', ({ account_id: id }) => labelOf(id, labels, style)),
  };
  const lead = (date: string, amount: string, account: string) =>
    [padded(date, 'YYYY-MM-DD'.length), amount.padStart(widths.amount), padded(account, widths.account)]
      .map((cell) => cell + GAP)
      .join('');
  return {
    headings: style.dim(`${lead('DATE', 'AMOUNT', 'ACCOUNT')}DESCRIPTION`),
    line: ({ date, amount, account_id, isPending, what }: LedgerRow): string => {
      const start = lead(printable(date), printable(amount), labelOf(account_id, labels, style));
      const used = displayWidth(start) + (isPending ? PENDING.length + GAP.length : 0);
      const mark = isPending ? style.warn(PENDING) + GAP : '';
      return start + mark + fitted(printable(what), Math.max(LEAST_WHAT, roomOf(style) - used), style);
    },
  };
}

interface LedgerPage {
  readonly page: { readonly page: number; readonly size: number; readonly total: number };
  readonly rows: readonly LedgerRow[];
  readonly noun: string;
  readonly labels: AccountLabels;
}

export function ledgerPageView(
  { page: { page: number, size, total }, rows, noun, labels }: LedgerPage,
  style: Style,
): string {
  if (rows.length === 0) return total === 0 ? `No ${noun}` : `No page ${number}: there are ${total} ${noun}`;
  const { headings, line } = ledgerTable(rows, labels, style);
  const first = (number - 1) * size + 1;
  const last = first + rows.length - 1;
  const more = last < total ? `; continue with --page ${number + 1}, or see --all` : '';
  return [headings, ...rows.map(line), style.dim(`${first} to ${last} of ${total}${more}`)].join('\n');
}

/** The note when the request named accounts that the link doesn't have. */
export function unknownAccountsNote(
  asked: readonly string[] | undefined,
  labels: AccountLabels,
): string | undefined {
  const isKnown = asked === undefined || asked.every((id) => labels.has(id));
  return isKnown ? undefined : '--account names no account of this link: kyclone bank accounts lists them';
}

function labelOf(id: string, labels: AccountLabels, style: Style): string {
  return fitted(printable(labels.get(id) ?? id), LABEL_WIDTH, style);
}

export function transactionRow(entry: BankTransaction): LedgerRow {
  const { date, amount, currency, type, account_id, pending, description, raw_description } = entry;
  return {
    date,
    amount: `${signed(amount, type === 'credit')} ${currency}`,
    account_id,
    isPending: pending,
    what: description ?? raw_description,
  };
}

/** `buy 12.5 ZZEX at 98.76, fees 1.00` for a trade. Any other transaction shows its description. */
export function investmentRow(entry: InvestmentTransaction, securities: readonly Security[]): LedgerRow {
  const { date, type, amount, currency, account_id, security_id, quantity, price, fees, description } = entry;
  const security = securities.find((one) => one.security_id === security_id);
  const parts = [
    type,
    quantity,
    security?.ticker ?? security?.name,
    ...(price === null ? [] : ['at', price]),
  ];
  const words = parts.filter((part) => part !== null && part !== undefined).join(' ');
  const text = quantity === null && description !== null ? `${words}: ${description}` : words;
  return {
    date,
    amount: `${signed(amount, type !== 'buy' && type !== 'fee')} ${currency}`,
    account_id,
    isPending: false,
    what: fees === null ? text : `${text}, fees ${fees}`,
  };
}

export function holdingsView(
  { holdings, securities }: AnswerOf<'GET /bank_links/{link_id}/investments/holdings'>,
  labels: AccountLabels,
  style: Style,
): string {
  const securityOf = (id: string) => securities.find((one) => one.security_id === id);
  return listView<typeof holdings>('No holdings', [
    ['ACCOUNT', ({ account_id }) => labelOf(account_id, labels, style)],
    ['TICKER', ({ security_id }) => securityOf(security_id)?.ticker],
    [{ number: 'QUANTITY' }, ({ quantity }) => grouped(quantity), 1],
    [{ number: 'PRICE' }, ({ price }) => grouped(price), 2],
    [{ number: 'VALUE' }, ({ value, security_id }) => money(value, securityOf(security_id)?.currency)],
    ['SECURITY', ({ security_id }) => securityOf(security_id)?.name ?? security_id],
  ])(holdings, style);
}
