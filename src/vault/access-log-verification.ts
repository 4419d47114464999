/**
 * Verifies the access log in slices, between which other requests have their turn. It judges the log of one moment: the
 * entries up to the last one at the beginning, with the head and the anchor of then. Later entries don't disturb it.
 */
import { timingSafeEqual } from 'node:crypto';
import type { Database } from '../storage/database.ts';
import { nextTurnOf } from '../storage/turns.ts';
import { findLast, listRowsAfter, type AccessRow } from './access-log-repository.ts';
import { countRuns, findMisplacedRow, findRowOfNoRun } from './access-log-runs-repository.ts';
import { hmac } from './hmac.ts';
import type { AnchorVerdict, LogAnchor } from './log-anchor.ts';
import { headState } from './log-head.ts';

export interface Verification {
  readonly ok: boolean;
  readonly checked: number;
  /** Hex hash of the last row; null when the log is empty. */
  readonly head: string | null;
  readonly first_bad_seq: number | null;
  /** The verdict of the anchor beside the store. */
  readonly anchor: AnchorVerdict;
}

/** Each takes some microseconds. */
export const ROWS_PER_TURN = 100;
/** States in which the anchor can't confirm the end of the log. */
const IN_DOUBT: ReadonlySet<AnchorVerdict['state']> = new Set(['log_behind', 'missing', 'damaged']);
/** The hash before the first row. */
export const FIRST_PREV_HASH = Buffer.alloc(32);

/** Undefined when another log began meanwhile. */
export async function verifyLog(
  database: Database,
  key: Uint8Array,
  { anchor, isStillThisLog }: { anchor: LogAnchor | undefined; isStillThisLog: () => boolean },
): Promise<Verification | undefined> {
  const last = findLast(database);
  const isHeadBad = headState(database, key, last) === 'bad';
  const runs = countRuns(database);
  const verdict = anchor?.judge(database) ?? { state: 'none', seq: null };
  const verified = (checked: number, previous: Link | undefined, bad: number | null): Verification => ({
    ok: bad === null && !IN_DOUBT.has(verdict.state),
    checked,
    head: previous ? hexOf(previous.hash) : null,
    first_bad_seq: bad,
    anchor: verdict,
  });

  let previous: Link | undefined;
  let checked = 0;
  for (let isMore = last !== undefined; isMore;) {
    if (!isStillThisLog()) return undefined;
    const part = { until: last?.seq ?? 0, limit: ROWS_PER_TURN };
    const rows = listRowsAfter(database, previous?.seq, part);
    for (const row of rows) {
      if (!isNext(key, row, previous)) return verified(checked, previous, row.seq);
      previous = { seq: row.seq, hash: row.hash };
      checked += 1;
    }
    isMore = rows.length === ROWS_PER_TURN;
    if (isMore) await nextTurnOf(database);
  }
  const isWhole = !isHeadBad && previous?.seq === last?.seq;
  if (!isWhole) return verified(checked, previous, (previous?.seq ?? 0) + 1);

  // A row that is missing from its run would be missing from its entity's list.
  let misplaced = findRowOfNoRun(database) ?? Infinity;
  for (let run = 0; run < runs; run++) {
    await nextTurnOf(database);
    if (!isStillThisLog()) return undefined;
    misplaced = Math.min(misplaced, findMisplacedRow(database, run) ?? Infinity);
  }
  return verified(checked, previous, misplaced === Infinity ? null : misplaced);
}

/** A row that was verified. */
type Link = Pick<AccessRow, 'seq' | 'hash'>;

function isNext(key: Uint8Array, row: AccessRow, previous: Link | undefined): boolean {
  const prevHash = hexOf(previous?.hash ?? FIRST_PREV_HASH);
  const follows = row.seq === (previous?.seq ?? 0) + 1 && isAbout(row, prevHash);
  return follows && isEqual(row.hash, entryHash(key, prevHash, row.entry));
}

/** Whether the columns agree with the entry: they are used for look-ups and are not part of the hash. */
function isAbout(row: AccessRow, prevHash: string): boolean {
  try {
    const entry = JSON.parse(row.entry) as { seq: unknown; fp_id: unknown; prev_hash: unknown };
    return entry.seq === row.seq && entry.fp_id === row.fp_id && entry.prev_hash === prevHash;
  } catch {
    return false;
  }
}

/** Hashes the previous hash, in its hex form, and the entry. */
export function entryHash(key: Uint8Array, prevHash: string, entry: string): Buffer {
  return hmac(key, prevHash + entry);
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
}
