/**
 * Guards the files of a durable store by three rules. A missing or blank store beside files, snapshots or the anchor of
 * an earlier one is never treated as new. A store that has lost commits is not served until a person accepts that. An
 * open store writes only while the files at its path are the ones that were opened.
 */
import { attempt } from '../kernel/attempt.ts';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ServiceError } from '../kernel/errors.ts';
import { isBlobName } from './blobs.ts';
import type { Database } from './database.ts';
import { SNAPSHOT_SUFFIX } from './snapshot-folder.ts';
import { anchorFileOf, readAnchored, readPosition } from './store-position.ts';

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
    ...(hasAnchor(file, state) ? [`the anchor ${anchorFileOf(file)}`] : []),
  ];
  if (found.length === 0) return;
  throw new ServiceError(
    'store_missing',
    `The store ${file} ${state}, but an earlier one left ${found.join(' and ')}: put vault.db back ` +
      `and vault.db-wal with it, or move the folder ${folder} away to begin with an empty store`,
  );
}

/** A start that was killed while it created the store leaves a blank store and an anchor that knows no commit. */
function hasAnchor(file: string, state: string): boolean {
  if (state === 'is missing') return existsSync(anchorFileOf(file));
  const { position = 0, seq = 0 } = readAnchored(file) ?? {};
  return position + seq > 0;
}

/** Throws `store_missing` when there is a loss, which only a person may accept. */
export function refuseLoss(loss: string | undefined): void {
  if (loss === undefined) return;
  throw new ServiceError(
    'store_missing',
    `${loss}. Nothing was changed. Put the files back as they were, or go on with what is there: ` +
      '`kyclone start --accept-loss`',
  );
}

/** What shows that the store has lost commits, or may have; undefined when nothing does. */
export function lossOf(file: string, database: Database): string | undefined {
  const position = readPosition(database);
  const anchored = readAnchored(file);
  if (position < (anchored?.position ?? 0)) {
    return `The store ${file} lacks its latest changes: its log ${file}-wal was removed, or an earlier vault.db was put in its place`;
  }
  if (position > 0 && anchored?.position === undefined) {
    return `The store ${file} lacks its anchor ${anchorFileOf(file)}, or it can't be read, so that nobody can tell whether it has its latest changes`;
  }
  return undefined;
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
    `The file ${path} ${what} while the daemon runs; nothing is written. Put it back. If it is lost, save the state before you stop the daemon: kyclone snapshot create --file FILE`,
  );
}

/**
 * The identity of the file at a path; undefined when there is none. It changes when another process replaces the file.
 */
function identityOf(path: string): string | undefined {
  // It fails if the folder is not accessible, or a part of the path is no longer a folder.
  const stats = attempt(() => statSync(path, { bigint: true, throwIfNoEntry: false }));
  return stats && `${stats.dev} ${stats.ino}`;
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
