import { existsSync } from 'node:fs';
import { openBinding } from './binding.ts';
import { isSqliteError } from './database.ts';

export interface Lock {
  release(): void;
}

/**
 * Takes the lock file at `path` for this process; undefined when another process has it. The operating system holds the
 * lock, through SQLite, and releases it when the process ends, however that happens.
 */
export function takeLock(path: string): Lock | undefined {
  const database = openBinding(path);
  try {
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    // A failed start has just removed the file that was opened here, so the lock would be void.
    if (!existsSync(path)) {
      database.close();
      return takeLock(path);
    }
    return { release: () => database.close() };
  } catch (error) {
    database.close();
    if (isSqliteError(error, 'SQLITE_BUSY')) return undefined;
    throw error;
  }
}
