/**
 * Disk space reserved for deletions, since SQLite needs space even to delete: for the pages that a deletion changes, and
 * for copying the write-ahead log into the store's file, which may grow by the whole log. Once the log is copied its
 * space is used again, so deletions go on. A deletion on a full disk releases the reserve. It is reserved again before
 * the next other write, as soon as the disk has room.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { secretBytes } from '../kernel/ids/random.ts';
import { KIB, MIB } from '../kernel/numbers/units.ts';

/** Many times the size of the pages that deleting a user changes. */
const RESERVE_BYTES = MIB;
/** A millisecond of work. */
const SLICE_BYTES = 256 * KIB;
const OWNER_ONLY_FILE = 0o600;

export type Reserve = ReturnType<typeof keepReserve>;

/** Reserves the space in the file at `path`; reserves nothing if the disk is full already. */
export function keepReserve(path: string) {
  let kept = existsSync(path) ? statSync(path).size : 0;
  let hasRoom = true;
  const self = {
    /** Releases the space. Returns false when none was reserved. */
    give(): boolean {
      if (kept === 0) return false;
      rmSync(path, { force: true });
      kept = 0;
      return true;
    },
    /** Reserves the space again. Returns false when the disk has no room. */
    takeBack(): boolean {
      hasRoom = true;
      if (kept === 0 && add(path, RESERVE_BYTES)) kept = RESERVE_BYTES;
      return kept > 0;
    },
    /** Reserves a slice more, as long as there is too little for a log of this size and the disk has room. */
    cover(logBytes: number): void {
      if (!hasRoom || kept === 0 || kept >= RESERVE_BYTES + logBytes) return;
      hasRoom = add(path, SLICE_BYTES);
      if (hasRoom) kept += SLICE_BYTES;
    },
  };
  self.takeBack();
  return self;
}

/** Releases the reserve at `path` if its disk has too little room to open a store. */
export function makeRoom(path: string): void {
  const { bavail, bsize } = statfsSync(dirname(path));
  if (bavail * bsize < RESERVE_BYTES) rmSync(path, { force: true });
}

/**
 * Adds all of the bytes to the file, or none. Random ones, since compressing or deduplicating file systems would reserve
 * nothing.
 */
function add(path: string, count: number): boolean {
  const before = existsSync(path) ? statSync(path).size : undefined;
  try {
    const file = openSync(path, before === undefined ? 'wx' : 'a', OWNER_ONLY_FILE);
    try {
      const bytes = secretBytes(count);
      for (let written = 0; written < count;) written += writeSync(file, bytes, written);
      fsyncSync(file);
    } catch (error) {
      ftruncateSync(file, before ?? 0);
      throw error;
    } finally {
      closeSync(file);
    }
    return true;
  } catch {
    if (before === undefined) rmSync(path, { force: true });
    return false;
  }
}
