/**
 * Disk space reserved for deletions, since SQLite needs some space even to delete. A deletion on a full disk releases
 * it. It is reserved again before the next other write, as soon as the disk has room.
 */
import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { secretBytes } from '../kernel/random.ts';
import { MIB } from '../kernel/units.ts';

/** Many times the size of the pages that deleting a user changes. */
const RESERVE_BYTES = MIB;
const OWNER_ONLY_FILE = 0o600;

export interface Reserve {
  /** Releases the space. Returns false when none was reserved. */
  give(): boolean;
  /** Reserves the space again. Returns false when the disk has no room. */
  takeBack(): boolean;
}

/** Reserves the space in the file at `path`; reserves nothing if the disk is full already. */
export function keepReserve(path: string): Reserve {
  let isKept = existsSync(path);
  const self: Reserve = {
    give() {
      if (!isKept) return false;
      rmSync(path, { force: true });
      isKept = false;
      return true;
    },
    takeBack() {
      isKept ||= fill(path);
      return isKept;
    },
  };
  self.takeBack();
  return self;
}

/**
 * Writes the file completely or not at all. Random bytes, since compressing or deduplicating file systems would reserve
 * nothing.
 */
function fill(path: string): boolean {
  try {
    const file = openSync(path, 'wx', OWNER_ONLY_FILE);
    try {
      const bytes = secretBytes(RESERVE_BYTES);
      for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    return true;
  } catch {
    rmSync(path, { force: true });
    return false;
  }
}
