/**
 * Controls when the write-ahead log is copied into the store's file. The file must not change while it is copied, so
 * checkpoints are suspended in that time; commits continue in the log.
 */
import { CHECKPOINT_PAGES, isSqliteError, type Database } from './database.ts';

/** Databases with suspended checkpoints, each with whether to empty its log afterwards. */
const held = new WeakMap<Database, { isWanted: boolean }>();

/**
 * Empties the log, now or once checkpoints are no longer suspended. If the disk is full or fails, a later call does it.
 */
export function emptyLog(database: Database): void {
  const holding = held.get(database);
  if (holding) {
    holding.isWanted = true;
    return;
  }
  checkpoint(database, 'TRUNCATE');
}

/**
 * Copies the log into the store's file; the next commits use its space again. If the disk is full or fails, a later call
 * does it.
 */
export function copyLog(database: Database): void {
  if (!held.has(database)) checkpoint(database, 'PASSIVE');
}

function checkpoint(database: Database, mode: 'PASSIVE' | 'TRUNCATE'): void {
  try {
    database.pragma(`wal_checkpoint(${mode})`);
  } catch (error) {
    if (!isSqliteError(error, 'SQLITE')) throw error;
  }
}

/**
 * Copies the log into the store's file, so that the file is complete, and suspends checkpoints until the returned
 * function is called. Undefined when the log could not be copied completely. No transaction may be open.
 */
export function holdCheckpoints(database: Database): (() => void) | undefined {
  // The file has the state of the first holder's call, which is older than now.
  if (held.has(database)) return undefined;
  const [result] = database.pragma('wal_checkpoint(TRUNCATE)') as [{ busy: number; log: number }];
  if (result.busy !== 0 || result.log > 0) return undefined;
  const holding = { isWanted: false };
  held.set(database, holding);
  database.pragma('wal_autocheckpoint = 0');
  let isReleased = false;
  return () => {
    if (isReleased) return;
    isReleased = true;
    held.delete(database);
    if (!database.open) return;
    database.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    if (holding.isWanted) emptyLog(database);
  };
}
