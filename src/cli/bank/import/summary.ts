import { decimal, decimalText } from '../../../kernel/decimal.ts';
import { DEFAULT_CURRENCY, type StatementRow } from './rows.ts';

/** What an import brings, or would bring. Sums are exact. */
export interface ImportSummary {
  readonly dry_run: boolean;
  /** How many transactions the file holds. */
  readonly transactions: number;
  /** All that weren't known, or none when it was a dry run. */
  readonly imported: number;
  /** How many have no id and are on the link already, the same in all: they are not added again. */
  readonly known: number;
  readonly accounts: readonly { readonly account_id: string; readonly transactions: number }[];
  readonly first_date: string;
  readonly last_date: string;
  readonly totals: readonly CurrencyTotal[];
}

export interface CurrencyTotal {
  readonly currency: string;
  readonly debits: string;
  readonly credits: string;
  /** Credits less debits. */
  readonly net: string;
}

const DATE_LENGTH = 'YYYY-MM-DD'.length;

/** Of rows that are right, one or more. */
export function summarize(
  rows: readonly StatementRow[],
  { known, isDryRun }: { readonly known: number; readonly isDryRun: boolean },
): ImportSummary {
  const members = rows.map((row) => row.members as Readonly<Record<string, string | undefined>>);
  const dates = members.map(({ date = '' }) => date.slice(0, DATE_LENGTH)).sort();
  const accounts = new Map<string, number>();
  for (const { account_id: id = '' } of members) accounts.set(id, (accounts.get(id) ?? 0) + 1);
  return {
    dry_run: isDryRun,
    transactions: rows.length,
    imported: isDryRun ? 0 : rows.length - known,
    known,
    accounts: [...accounts].map(([id, transactions]) => ({ account_id: id, transactions })),
    first_date: dates[0] ?? '',
    last_date: dates.at(-1) ?? '',
    totals: totalsOf(members),
  };
}

function totalsOf(members: readonly Readonly<Record<string, string | undefined>>[]): CurrencyTotal[] {
  const sums = new Map<string, { debits: bigint; credits: bigint }>();
  for (const { amount = '0', type, currency } of members) {
    const key = currency ?? DEFAULT_CURRENCY;
    const sum = sums.get(key) ?? { debits: 0n, credits: 0n };
    const value = decimal(amount);
    const magnitude = value < 0n ? -value : value;
    if ((type ?? (amount.startsWith('-') ? 'debit' : 'credit')) === 'debit') sum.debits += magnitude;
    else sum.credits += magnitude;
    sums.set(key, sum);
  }
  return [...sums].sort(byName).map(([currency, { debits, credits }]) => ({
    currency,
    debits: decimalText(debits),
    credits: decimalText(credits),
    net: decimalText(credits - debits),
  }));
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}
