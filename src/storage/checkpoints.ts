/**
 * When the write-ahead log is carried over into the store's file. While a copy of the file is made it must not change,
 * so that checkpoints are held meanwhile; commits go on in the log.
 */
import { CHECKPOINT_PAGES, isSqliteError, type Database } from './database.ts';

/** Databases whose checkpoints are held, each with whether its log is to be emptied afterwards. */
const held = new WeakMap<Database, { isWanted: boolean }>();

/** Empties the log, now or as soon as nobody holds checkpoints. A full or failing disk leaves it to the next time. */
export function emptyLog(database: Database): void {
  const holding = held.get(database);
  if (holding) {
    holding.isWanted = true;
    return;
  }
  try {
    database.pragma('wal_checkpoint(TRUNCATE)');
  } catch (error) {
    if (!isSqliteError(error, 'SQLITE')) throw error;
  }
}

/**
 * Carries the log over, so that the store's file holds all of it, and keeps the file as it is until the answered
 * function is called. Undefined when the log could not be carried over whole. No transaction may be open.
 */
export function holdCheckpoints(database: Database): (() => void) | undefined {
  // The file is as it was when the first holder came, and that is not the moment of now.
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
