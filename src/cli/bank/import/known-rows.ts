/**
 * Rows without an id that the link has already: a statement that comes again is not to be there twice. An id made of what
 * a row says would do without asking, but ids stand in the clear where amounts and texts are sealed.
 */
import type { Client } from '../../../client/client.ts';
import type { BankTransaction } from '../../../contract/bank-records.ts';
import { parseDecimal } from '../../../kernel/decimal.ts';
import { allPages } from '../ledger-pages.ts';
import { transactionsOf } from '../ledgers.ts';
import { DEFAULT_CURRENCY, type StatementRow } from './rows.ts';

const DATE_LENGTH = 'YYYY-MM-DD'.length;

/** The rows that the link doesn't have yet, as far as rows that are right tell; it is asked for their days. */
export async function unknownRows(
  client: Client,
  rows: readonly StatementRow[],
  link: string,
): Promise<readonly StatementRow[]> {
  const unnamed = rows.filter(isUnnamed);
  if (unnamed.length === 0) return rows;
  const dates = unnamed.map(({ members }) => dateOf(members)).sort();
  const accounts = new Set(unnamed.map(({ members }) => String(members['account_id'])));
  const query = { account_ids: [...accounts].join(','), start_date: dates[0], end_date: dates.at(-1) };
  const present: BankTransaction[] = [];
  for await (const { entries } of allPages(transactionsOf(client, link), query)) present.push(...entries);
  return withoutKnown(rows, present);
}

/** Leaves out, for each transaction that is there, one row without an id that is the same in all. */
export function withoutKnown(
  rows: readonly StatementRow[],
  present: readonly BankTransaction[],
): StatementRow[] {
  const given = new Set(rows.map(({ members }) => members['transaction_id']));
  const counts = new Map<string, number>();
  for (const transaction of present) {
    if (given.has(transaction.transaction_id)) continue;
    const content = contentOf({ ...transaction });
    counts.set(content, (counts.get(content) ?? 0) + 1);
  }
  return rows.filter((row) => {
    if (!isUnnamed(row)) return true;
    const content = contentOf(row.members);
    const count = counts.get(content) ?? 0;
    if (count > 0) counts.set(content, count - 1);
    return count === 0;
  });
}

function isUnnamed({ members }: StatementRow): boolean {
  return (members['transaction_id'] ?? undefined) === undefined;
}

function dateOf(members: StatementRow['members']): string {
  return String(members['date']).slice(0, DATE_LENGTH);
}

/** All that an import says of a transaction but its id, as the API tells it afterwards. */
function contentOf(members: StatementRow['members']): string {
  const amount = String(members['amount']);
  const date = dateOf(members);
  const moment = members['date'] === date ? null : members['date'];
  return JSON.stringify([
    ...[members['account_id'], date, members['datetime'] ?? moment],
    ...[members['type'] ?? ((parseDecimal(amount) ?? 0n) < 0n ? 'debit' : 'credit'), amount.replace('-', '')],
    ...[members['currency'] ?? DEFAULT_CURRENCY, members['pending'] ?? false],
    ...[members['description'], members['raw_description'] ?? null, members['category'] ?? null],
  ]);
}
