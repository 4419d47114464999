/**
 * Where the store of an instance is, and how another takes its place (contract §11). At every moment the store's file
 * is one that is whole, the old or the new; until the new one has been opened the old one stays beside it. What a crash
 * leaves is put in order by `open` at the next start.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { copyFileSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import { openDatabase, type Database } from '../storage/database.ts';

export interface StoreHome {
  /** The store as it is. Throws as `openDatabase`. */
  open(): Database;
  /** Closes `current` and opens the closed store at `path` in its place. Throws with the old one in its place, closed. */
  replace(current: Database, path: string): Database;
  /** The new store is good: nothing is kept of the old one. */
  keepNew(): void;
  /** Closes the new store and opens the old one again. */
  putBack(replaced: Database | undefined): Database;
}

/** In memory: the old store is left open until the new one is kept. */
export function memoryStore(): StoreHome {
  let old: Database | undefined;
  return {
    open: () => openDatabase(':memory:'),
    replace(current, path) {
      old = current;
      return openDatabase(readFileSync(path));
    },
    keepNew() {
      old?.close();
      old = undefined;
    },
    putBack(replaced) {
      if (!old) throw new Error('there is no store to put back');
      replaced?.close();
      const kept = old;
      old = undefined;
      return kept;
    },
  };
}

export function durableStore(file: string): StoreHome {
  const before = `${file}.before`;

  function restore(): void {
    if (!existsSync(before)) return;
    removeLog(file);
    renameSync(before, file);
    syncFolder(dirname(file));
  }

  return {
    open() {
      if (!existsSync(file)) restore();
      if (!existsSync(before)) return openDatabase(file);
      // A load was cut off: whichever store is in the place is whole, and only one that doesn't open is given up.
      let database: Database;
      try {
        database = openDatabase(file);
      } catch (error) {
        if ((error as { code?: string }).code !== 'vault_damaged') throw error;
        restore();
        return openDatabase(file);
      }
      rmSync(before, { force: true });
      return database;
    },

    replace(current, path) {
      // Closing carries the log over into the file and removes it.
      current.close();
      if (existsSync(`${file}-wal`)) throw new Error('the store was closed and left its log behind');
      rmSync(before, { force: true });
      keepAside(file, before);
      syncFile(path);
      renameSync(path, file);
      syncFolder(dirname(file));
      return openDatabase(file);
    },

    keepNew() {
      rmSync(before, { force: true });
    },

    putBack(replaced) {
      replaced?.close();
      restore();
      return openDatabase(file);
    },
  };
}

/** A second name for the file; a copy where a file system has no links. */
function keepAside(file: string, before: string): void {
  try {
    linkSync(file, before);
  } catch {
    copyFileSync(file, before, constants.COPYFILE_EXCL);
    syncFile(before);
  }
  syncFolder(dirname(file));
}

function removeLog(file: string): void {
  for (const suffix of ['-wal', '-shm', '-journal']) rmSync(`${file}${suffix}`, { force: true });
}

function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
