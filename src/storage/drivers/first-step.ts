/** The beginning of a backup: neither driver waits at its first step for what is being written. */
import { setTimeout } from 'node:timers/promises';
import { SqliteError } from './sqlite-error.ts';

/** What is written ends by itself, long before these are over. */
const MOST_TRIES = 2_000;
const MS_BETWEEN = 5;

/**
 * Tries until a backup is made. `attempt` resolves to false when nothing was copied, because something is being written.
 * Throws what it throws, and SqliteError `SQLITE_BUSY` when that does not end.
 */
export async function backedUp(attempt: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    if (await attempt()) return;
    await setTimeout(MS_BETWEEN);
  }
  throw new SqliteError('the store is being written', 'SQLITE_BUSY', undefined);
}
