/** The result of an import, as data and as text. */
import { decimal, decimalText } from '../../../../kernel/numbers/decimal.ts';
import { DEFAULT_CURRENCY } from '../../facts.ts';
import { counted } from '../../../../kernel/text/count-text.ts';
import { dateOf, typeOf, type StatementRow } from './rows.ts';
import { facts, fitted, listView } from '../../../../cli/shell/layout.ts';
import { grouped, signed } from '../../../../kernel/text/money-text.ts';
import type { PreviewRow } from './preview.ts';
import { printable, type Style } from '../../../../cli/shell/output.ts';
import { defined } from '../../../../kernel/defined.ts';

/** The result of an import or of a dry run. Sums are exact. */
export interface ImportSummary {
  readonly dry_run: boolean;
  /** The number of transactions in the file. */
  readonly transactions: number;
  /** The number of new transactions; zero for a dry run. */
  readonly imported: number;
  /**
   * The number of transactions without an id that the link already has, equal in all members. They are not added
   * again.
   */
  readonly known: number;
  /** The number of rows that repeat an earlier one; only with `--duplicates skip`. */
  readonly skipped?: number;
  readonly accounts: readonly { readonly account_id: string; readonly transactions: number }[];
  readonly first_date: string;
  readonly last_date: string;
  readonly totals: readonly {
    readonly currency: string;
    readonly debits: string;
    readonly credits: string;
    /** Credits minus debits. */
    readonly net: string;
  }[];
  /** The first rows as they would be stored; only for a dry run. */
  readonly rows?: readonly PreviewRow[];
}

/** Summarises one or more valid rows. */
export function summarize(
  rows: readonly StatementRow[],
  {
    known,
    isDryRun,
    skipped,
    preview,
  }: {
    readonly known: number;
    readonly isDryRun: boolean;
    readonly skipped?: number | undefined;
    readonly preview?: readonly PreviewRow[] | undefined;
  },
): ImportSummary {
  const members = rows.map((row) => row.members as Readonly<Record<string, string | undefined>>);
  const dates = members.map(dateOf).sort();
  const accounts = new Map<string, number>();
  for (const { account_id: id = '' } of members) accounts.set(id, (accounts.get(id) ?? 0) + 1);
  return {
    dry_run: isDryRun,
    transactions: rows.length + (skipped ?? 0),
    imported: isDryRun ? 0 : rows.length - known,
    known,
    ...defined({ skipped }),
    accounts: [...accounts].map(([id, transactions]) => ({ account_id: id, transactions })),
    first_date: dates[0] ?? '',
    last_date: dates.at(-1) ?? '',
    totals: totalsOf(members),
    ...defined({ rows: preview }),
  };
}

function totalsOf(members: readonly Readonly<Record<string, string | undefined>>[]): ImportSummary['totals'] {
  const sums = new Map<string, { debits: bigint; credits: bigint }>();
  for (const row of members) {
    const { amount = '0', currency } = row;
    const key = currency ?? DEFAULT_CURRENCY;
    const sum = sums.get(key) ?? { debits: 0n, credits: 0n };
    sum[typeOf(row) === 'debit' ? 'debits' : 'credits'] += decimal(amount.replace('-', ''));
    sums.set(key, sum);
  }
  return [...sums]
    .sort(byName)
    .map(([currency, { debits, credits }]) => ({
      currency,
      debits: decimalText(debits),
      credits: decimalText(credits),
      net: decimalText(credits - debits),
    }));
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

/** The imported rows, or those a dry run would import: their number, accounts, dates and sums. */
export function importView(summary: ImportSummary, style: Style): string {
  const { known, skipped = 0, rows = [] } = summary;
  const added = summary.transactions - known - skipped;
  const count = counted(added, 'transaction');
  const [first, last] = [summary.first_date, summary.last_date];
  return [
    facts(
      {
        [summary.dry_run ? 'would import' : 'imported']: count,
        ...(known > 0 && { known: `${known}, already present, not added again` }),
        ...(skipped > 0 && { skipped: `${skipped}, repeating an earlier row` }),
        dates: first === last ? first : `${first} to ${last}`,
        accounts: summary.accounts.map((account) => `${account.account_id}: ${account.transactions}`),
      },
      style,
    ),
    totalList(summary.totals, style),
    ...(rows.length === 0 ? [] : [previewView(rows, added, style)]),
  ].join('\n\n');
}

const totalList = listView<ImportSummary['totals']>('', [
  [{ number: 'DEBITS' }, 'debits'],
  [{ number: 'CREDITS' }, 'credits'],
  [{ number: 'NET' }, 'net'],
  ['CURRENCY', 'currency'],
]);

const TEXT_WIDTH = 34;

const previewList = listView<readonly PreviewRow[]>('', [
  ['DATE', 'date'],
  [{ number: 'AMOUNT' }, ({ amount, type, currency }) => `${signed(amount, type === 'credit')} ${currency}`],
  [{ number: 'BALANCE' }, ({ balance }) => grouped(balance)],
  ['ACCOUNT', ({ mask }) => (mask === null ? '-' : `…${mask}`)],
  [
    'DESCRIPTION',
    ({ pending, description }, style) =>
      fitted(`${pending ? 'pending  ' : ''}${printable(description)}`, TEXT_WIDTH, style),
  ],
]);

function previewView(rows: readonly PreviewRow[], total: number, style: Style): string {
  return [
    previewList(rows, style),
    ...(rows.length < total ? [style.dim(`1 to ${rows.length} of ${total}`)] : []),
  ].join('\n');
}
