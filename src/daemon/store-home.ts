/**
 * Locates the store of an instance and replaces it by another (contract §11). The store's file is complete at every
 * moment, either the old or the new one. The old one stays beside it until the new one has been opened. After a crash
 * `open` restores order at the next start.
 */
import {
  accessSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { copyFileSync, constants } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ServiceError } from '../kernel/errors.ts';
import { causeOf, systemFailureOf } from '../kernel/system-failure.ts';
import { isSqliteError, openDatabase, type Database } from '../storage/database.ts';
import { noteFileNumber, watchLog, type LogWatch } from '../storage/log-number.ts';
import { foreignObject } from '../storage/own-schema.ts';
import { quickLook } from '../storage/store-check.ts';
import { isPageDamage } from '../storage/statement.ts';
import {
  isUnused,
  lossOf,
  refuseBlankStore,
  refuseLoss,
  refuseMissingStore,
  watchStoreFiles,
  type StoreTrouble,
} from '../storage/store-files.ts';

export interface StoreHome {
  /** Opens the store. Throws as `openDatabase`, and `store_missing` when the store of an earlier run is gone. */
  open(): Database;
  /**
   * Closes `current` and opens the closed store at `path` in its place. When it throws, the old one is in its place
   * again, closed.
   */
  replace(current: Database, path: string): Database;
  /** Accepts the new store and removes the old one. */
  keepNew(): void;
  /** Call it after each commit. Returns the size of the write-ahead log in bytes; 0 in memory. */
  committed(): number;
  /** Closes the open store, unless its files are no longer those that were opened: SQLite would remove another's log. */
  close(database: Database): void;
  /** Closes the new store and opens the old one again. */
  putBack(replaced: Database | undefined): Database;
  /** The current problem with the files of the open store, if any. */
  readonly trouble: StoreTrouble;
}

/** In memory: the old store stays open until the new one is accepted. */
export function memoryStore(): StoreHome {
  let old: Database | undefined;
  return {
    trouble: () => undefined,
    open: () => openDatabase(':memory:'),
    committed: () => 0,
    close: (database) => database.close(),
    replace(current, path) {
      old = current;
      return openDatabase({ copyOf: path });
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

/** `acceptsLoss`: also opens a store that lacks commits which its anchor knows. */
export function durableStore(file: string, { acceptsLoss = false } = {}): StoreHome {
  const before = `${file}.before`;
  const gone = `${file}.gone`;
  let trouble: StoreTrouble = () => undefined;
  let log: LogWatch | undefined;

  function opened(): Database {
    try {
      return openDatabase(file, { onBlank: () => refuseBlankStore(file) });
    } catch (error) {
      throw namingTheStore(file, error);
    }
  }

  /** `isFound`: the store of an earlier run, and not one that was just put in its place. */
  function openInPlace({ isFound = false } = {}): Database {
    refuseMissingStore(file);
    const requireOwnLog = noteFileNumber(file);
    const database = opened();
    try {
      if (isUnused(database)) refuseBlankStore(file);
      requireOwnLog(database);
      if (isFound && !acceptsLoss) refuseLoss(lossOf(file, database));
      const problem = quickLook(database);
      if (problem !== undefined) throw damagedStore(file, problem);
      const foreign = foreignObject(database);
      if (foreign !== undefined) throw foreignStore(file, foreign);
    } catch (error) {
      database.close();
      throw error;
    }
    log = watchLog(file, database);
    trouble = watchStoreFiles(file);
    return database;
  }

  function close(database: Database): void {
    log?.close();
    log = undefined;
    database.close();
  }

  function requireInPlace(): void {
    const found = trouble();
    if (found) throw found;
  }

  function restore(): void {
    if (!existsSync(before)) return;
    removeLog(file);
    renameSync(before, file);
    syncFolder(dirname(file));
  }

  return {
    trouble: () => trouble(),
    committed: () => log?.follow() ?? 0,
    close(database) {
      if (trouble() === undefined) close(database);
    },
    open() {
      rmSync(gone, { force: true });
      if (!existsSync(file)) restore();
      if (!existsSync(before)) return openInPlace({ isFound: true });
      // A load was interrupted. The store in place is complete, old or new, and is given up only if it doesn't open.
      let database: Database;
      try {
        database = openInPlace({ isFound: true });
      } catch (error) {
        if ((error as { code?: string }).code !== 'vault_damaged') throw error;
        restore();
        return openInPlace({ isFound: true });
      }
      rmSync(before, { force: true });
      return database;
    },

    replace(current, path) {
      requireInPlace();
      // Closing copies the write-ahead log into the file and removes the log.
      close(current);
      if (existsSync(`${file}-wal`)) throw new Error('the store was closed and left its log behind');
      rmSync(before, { force: true });
      keepAside(file, before);
      syncFile(path);
      renameSync(path, file);
      syncFolder(dirname(file));
      return openInPlace();
    },

    keepNew() {
      if (!existsSync(before)) return;
      // Removing a large file takes a while, during which requests continue. After a crash the next start removes the
      // rest.
      renameSync(before, gone);
      rm(gone, { force: true }).catch(() => undefined);
    },

    putBack(replaced) {
      if (replaced) close(replaced);
      restore();
      return openInPlace();
    },
  };
}

const REFUSALS: readonly (readonly [code: string, what: string, remedy: string])[] = [
  [
    'SQLITE_READONLY',
    'cannot be written',
    'check that its disk is not read-only and that its folder is yours',
  ],
  ['SQLITE_CANTOPEN', 'cannot be opened', 'check its folder, and who may use it'],
  ['SQLITE_IOERR', 'cannot be read or written', 'check its disk'],
  ['SQLITE_PERM', 'cannot be opened', 'check who may use it'],
];

/** The error of a failed start. If the disk refused the store, it names the file, the reason and the remedy. */
export function namingTheStore(file: string, cause: unknown): unknown {
  if (isSqliteError(cause, 'SQLITE_FULL')) {
    const message = `The disk of the store ${file} is full, so that it cannot be opened: free some space and start again`;
    return new ServiceError('storage_full', message, { cause });
  }
  if (isPageDamage(cause) || (cause instanceof ServiceError && isPageDamage(cause.cause)))
    return damagedStore(file, 'a page of it cannot be read');
  const [, what, remedy] = REFUSALS.find(([code]) => isSqliteError(cause, code)) ?? [];
  if (what === undefined) return cause;
  const { code } = cause as { code: string };
  const refusal = whatRefuses(file);
  const why = causeOf(refusal) ?? `SQLite says ${code}`;
  const message = `The store ${file} ${what}: ${why}; ${systemFailureOf(refusal)?.remedy ?? remedy}, then start again`;
  return new ServiceError('storage_failed', message, { cause });
}

/**
 * Finds out why SQLite can't use a file, which SQLite doesn't report: returns the system's error for the folder or the
 * file.
 */
function whatRefuses(file: string): unknown {
  try {
    for (const path of [dirname(file), file]) accessSync(path, constants.R_OK | constants.W_OK);
    return undefined;
  } catch (error) {
    return error;
  }
}

function damagedStore(file: string, problem: string): ServiceError {
  return new ServiceError('vault_damaged', `The store ${file} is damaged (${problem}). Nothing was changed`);
}

function foreignStore(file: string, object: string): ServiceError {
  return new ServiceError(
    'vault_damaged',
    `The store ${file} is not as kyclone made it: ${object.slice(0, 100)}. Nothing was changed`,
  );
}

/** A hard link to the file, or a copy where the file system has no links. */
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
