/**
 * Space that is kept for deleting: on a full disk SQLite needs some to delete anything. It is given up when a delete
 * finds the disk full, and taken back before anything else is written, as soon as the disk has room for it.
 */
import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { secretBytes } from '../kernel/random.ts';
import { MIB } from '../kernel/units.ts';

/** Enough for the pages that the deletion of a user changes, many times over. */
const RESERVE_BYTES = MIB;
const OWNER_ONLY_FILE = 0o600;

export interface Reserve {
  /** Gives the space up. Returns false when there was none to give. */
  give(): boolean;
  /** Takes the space again. Returns false when the disk has none. */
  takeBack(): boolean;
}

/** Keeps the space in the file at `path`; on a disk that is full already there is none to keep. */
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

/** Under its name whole or not at all. Random bytes: file systems that pack or share them would keep no space. */
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
