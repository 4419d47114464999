/**
 * Guards the files of a durable store by two rules. A missing or blank store beside files or snapshots of an earlier
 * one is never treated as new. An open store writes only while the files at its path are the ones that were opened.
 */
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ServiceError } from '../kernel/errors.ts';
import { isBlobName } from './blobs.ts';
import type { Database } from './database.ts';
import { SNAPSHOT_SUFFIX } from './snapshot-folder.ts';

const FILES = 'files';
const SNAPSHOTS = 'snapshots';

/**
 * Throws `store_missing` when the store's file is missing or empty and data of an earlier store is beside it. Call it
 * before SQLite opens the file, which would create a missing one and remove the log of an empty one.
 */
export function refuseMissingStore(file: string): void {
  const bytes = statSync(file, { throwIfNoEntry: false })?.size;
  if (bytes === undefined || bytes === 0) {
    refuseBlankStore(file, bytes === undefined ? 'is missing' : 'is empty');
  }
}

/** Throws `store_missing` when data of an earlier store is beside an empty store. */
export function refuseBlankStore(file: string, state = 'holds nothing'): void {
  const folder = dirname(file);
  const found = [
    ...(holdsAny(join(folder, FILES), isBlobName) ? [`sealed files in ${join(folder, FILES)}`] : []),
    ...(holdsAny(join(folder, SNAPSHOTS), (name) => name.endsWith(SNAPSHOT_SUFFIX))
      ? [`snapshots in ${join(folder, SNAPSHOTS)}`]
      : []),
    ...(state !== 'holds nothing' && hasLog(file) ? [`the log ${file}-wal`] : []),
  ];
  if (found.length === 0) return;
  throw new ServiceError(
    'store_missing',
    `The store ${file} ${state}, but an earlier one left ${found.join(' and ')}: put vault.db back, ` +
      `or move the folder ${folder} away to begin with an empty store`,
  );
}

/** Whether an open store was never used, which means that it has no key yet. */
export function isUnused(database: Database): boolean {
  return database.prepare('SELECT 1 FROM root_keys').get() === undefined;
}

/** The current problem with the files of an open store; undefined while they are the ones that were opened. */
export type StoreTrouble = () => ServiceError | undefined;

/** Notes the identity of the files of the store opened at `file`. */
export function watchStoreFiles(file: string): StoreTrouble {
  const paths = [file, `${file}-wal`];
  const opened = new Map(paths.map((path) => [path, identityOf(path)]));
  return () => {
    for (const path of paths) {
      const before = opened.get(path);
      const now = identityOf(path);
      if (before === now) continue;
      // SQLite creates the log when it first needs it.
      if (before === undefined) opened.set(path, now);
      else return missing(path, now === undefined ? 'was moved or removed' : 'was replaced by another file');
    }
    return undefined;
  };
}

function missing(path: string, what: string): ServiceError {
  return new ServiceError(
    'store_missing',
    `The file ${path} ${what} while the daemon runs; nothing is written. Put it back, or stop the daemon`,
  );
}

/**
 * The identity of the file at a path; undefined when there is none. It changes when another process replaces the file.
 */
function identityOf(path: string): string | undefined {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stats && `${stats.dev} ${stats.ino}`;
  } catch {
    // The folder is not accessible, or a part of the path is no longer a folder.
    return undefined;
  }
}

function holdsAny(folder: string, isOne: (name: string) => boolean): boolean {
  try {
    return readdirSync(folder).some(isOne);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

function hasLog(file: string): boolean {
  return (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}
