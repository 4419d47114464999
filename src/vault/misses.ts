/** Stated values that didn't match: three about one entity within an hour are repeated misses (contract §11). */
import { timestamp } from '../kernel/time/clock.ts';
import { HOUR_MS } from '../kernel/numbers/units.ts';
import type { Database } from '../storage/database.ts';
import { type AccessFilter, listMissesOf } from './access-log-lists-repository.ts';
import { accessPage } from './access-log-pages.ts';
import type { AccessRow } from './access-log-repository.ts';

const REPEATED = 3;

interface Miss {
  readonly seq: number;
  readonly fp_id: string | null;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** The numbers of the entries with misses of which an entity has at least three within 60 minutes, in `filter`. */
export async function repeatedMisses(
  database: Database,
  filter: Pick<AccessFilter, 'tenant' | 'environment' | 'fp_id' | 'external_id'>,
): Promise<ReadonlySet<number>> {
  const all = { before: undefined, limit: Number.MAX_SAFE_INTEGER, keeps: undefined };
  const { rows } = await accessPage(database, { ...filter, operation: 'verify', result: 'no_match' }, all);
  const misses = rows
    .flatMap(missesOf)
    .toSorted((one, next) => compare(one.fp_id ?? '', next.fp_id ?? '') || one.at - next.at);
  const found = new Set<number>();
  misses.forEach((last, index) => {
    const first = misses[index - REPEATED + 1];
    if (first === undefined || first.fp_id !== last.fp_id || last.at - first.at > HOUR_MS) return;
    for (const { seq } of misses.slice(index - REPEATED + 1, index + 1)) found.add(seq);
  });
  return found;
}

/** The misses about an entity in the 60 minutes until now, if there are at least three; with the row of the last. */
export function recentMisses(
  database: Database,
  fpId: string,
  now: number,
): { readonly count: number; readonly last: AccessRow } | undefined {
  const times = { since: timestamp(now - HOUR_MS), until: timestamp(now) };
  const rows = listMissesOf(database, fpId, times);
  const [last] = rows;
  const count = rows.flatMap(missesOf).length;
  return last === undefined || count < REPEATED ? undefined : { count, last };
}

/** One for each value: three wrong values in one request are as good as three requests. */
function missesOf({ seq, fp_id, entry }: AccessRow): Miss[] {
  const { at, results } = JSON.parse(entry) as { at: string; results: Readonly<Record<string, string>> };
  const missed = Object.values(results).filter((result) => result === 'no_match');
  return missed.map(() => ({ seq, fp_id, at: Date.parse(at) }));
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
