import { counted } from '../bank-import/failures.ts';
import type { ImportSummary } from '../bank-import/summary.ts';
import { facts, table } from '../layout.ts';
import type { Style } from '../output.ts';

/** What was imported, or would be: how many, to which accounts, from when to when, and what it comes to. */
export function importView(summary: ImportSummary, style: Style): string {
  const count = counted(summary.transactions, 'transaction');
  const [first, last] = [summary.first_date, summary.last_date];
  const totals = summary.totals.map(({ currency, debits, credits, net }) => [currency, debits, credits, net]);
  return [
    facts(
      {
        [summary.dry_run ? 'would import' : 'imported']: count,
        dates: first === last ? first : `${first} to ${last}`,
        accounts: summary.accounts.map((account) => `${account.account_id}: ${account.transactions}`),
      },
      style,
    ),
    table(['CURRENCY', 'DEBITS', 'CREDITS', 'NET'], totals, style, ''),
  ].join('\n\n');
}
