import { counted } from './failures.ts';
import type { ImportSummary } from './summary.ts';
import { facts, rightAligned, table } from '../../shell/layout.ts';
import type { Style } from '../../shell/output.ts';

/** What was imported, or would be: how many, to which accounts, from when to when, and what it comes to. */
export function importView(summary: ImportSummary, style: Style): string {
  const count = counted(summary.transactions - summary.known, 'transaction');
  const [first, last] = [summary.first_date, summary.last_date];
  const columns = (['debits', 'credits', 'net'] as const).map((column) =>
    rightAligned(
      column.toUpperCase(),
      summary.totals.map((total) => total[column]),
    ),
  );
  const [headings = [], ...totals] = ['CURRENCY', ...summary.totals.map(({ currency }) => currency)].map(
    (currency, line) => [...columns.map((cells) => cells[line] ?? ''), currency],
  );
  return [
    facts(
      {
        [summary.dry_run ? 'would import' : 'imported']: count,
        ...(summary.known > 0 && { known: `${summary.known}, there already and not added again` }),
        dates: first === last ? first : `${first} to ${last}`,
        accounts: summary.accounts.map((account) => `${account.account_id}: ${account.transactions}`),
      },
      style,
    ),
    table(headings, totals, style, ''),
  ].join('\n\n');
}
