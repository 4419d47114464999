/**
 * Pages of the access log. Only entities have an index (access-log-runs-repository.ts), because each index would change
 * more pages with each row; any other filter looks at all rows, in slices, between which other requests have their turn.
 */
import type { Database } from '../storage/database.ts';
import { scannedPage, type Slice } from '../storage/scanned-page.ts';
import { listAccessRows, listMatches, type AccessFilter } from './access-log-lists-repository.ts';
import { findLast, type AccessRow } from './access-log-repository.ts';
import { countRuns, RUN_ROWS } from './access-log-runs-repository.ts';

/**
 * The matching entries, newest first, starting after the row `before`: up to one more than `limit`, so that the caller
 * sees whether there is a next page; and the number of all. Entries appended meanwhile are not among them.
 */
export async function accessPage(
  database: Database,
  filter: AccessFilter,
  {
    before = Infinity,
    limit,
    keeps,
  }: {
    before: number | undefined;
    limit: number;
    /** A condition on the content of an entry that SQL cannot see; undefined for none. */
    keeps?: ((row: AccessRow) => boolean) | undefined;
  },
): Promise<{ rows: AccessRow[]; count: number }> {
  const last = findLast(database)?.seq ?? 0;
  // Rows are numbered from 1 without a gap.
  if (keeps === undefined && Object.values(filter).every((wanted) => wanted === undefined)) {
    const newest = Math.min(last, before - 1);
    const seqs = Array.from({ length: Math.max(0, Math.min(limit + 1, newest)) }, (_, at) => newest - at);
    return { rows: listAccessRows(database, seqs), count: last };
  }
  const runs = countRuns(database);
  const scan = (below: number): Slice => {
    const part = Math.ceil(Math.min(last, below - 1) / RUN_ROWS) - 1;
    if (part < 0) return { matches: [], looked: 0, next: undefined };
    const after = part * RUN_ROWS;
    const run = part < runs ? part : undefined;
    const found = listMatches(database, filter, { after, last: Math.min(after + RUN_ROWS, last), run });
    const matches =
      keeps === undefined
        ? found
        : listAccessRows(database, found)
            .filter(keeps)
            .map(({ seq }) => seq);
    const isIndexed = filter.fp_id !== undefined && run !== undefined;
    return { matches, looked: isIndexed ? matches.length + 1 : RUN_ROWS, next: after + 1 };
  };
  const { seqs, count } = await scannedPage(database, scan, { before, limit });
  return { rows: listAccessRows(database, seqs), count };
}
