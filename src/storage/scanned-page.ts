/**
 * Pages of a list whose filter no index answers: looks at the rows in slices, from the newest on, and leaves other
 * requests a turn in between.
 */
import { type Database, nextTurnOf } from './database.ts';

/** Looking at them takes some milliseconds. */
export const ROWS_PER_TURN = 500;

export interface Slice {
  /** The numbers of those that match, newest first. */
  readonly matches: readonly number[];
  /** How many rows were looked at. */
  readonly looked: number;
  /** The next slice has rows below this number; undefined for the last one. */
  readonly next: number | undefined;
}

export interface ScannedPage {
  /** Up to one more than the limit, so that the caller sees whether there is a next page. */
  readonly seqs: readonly number[];
  /** The number of all matches. */
  readonly count: number;
}

/** `scan` looks at some rows below a number. The page starts after the row `before`. */
export async function scannedPage(
  database: Database,
  scan: (below: number) => Slice,
  { before = Infinity, limit }: { before: number | undefined; limit: number },
): Promise<ScannedPage> {
  const seqs: number[] = [];
  let count = 0;
  let looked = 0;
  for (let below: number | undefined = Infinity; below !== undefined;) {
    if (looked >= ROWS_PER_TURN) {
      await nextTurnOf(database);
      looked = 0;
    }
    const slice = scan(below);
    for (const seq of slice.matches) if (seq < before && seqs.length <= limit) seqs.push(seq);
    count += slice.matches.length;
    looked += slice.looked;
    below = slice.next;
  }
  return { seqs, count };
}

/** A slice from the rows that were looked at, newest first, at most `limit`. */
export function sliceOf(
  rows: readonly { readonly seq: number; readonly isMatch: number }[],
  limit: number,
): Slice {
  return {
    matches: rows.flatMap(({ seq, isMatch }) => (isMatch === 1 ? [seq] : [])),
    looked: rows.length,
    next: rows.length === limit ? rows.at(-1)?.seq : undefined,
  };
}
