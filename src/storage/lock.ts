import { existsSync } from 'node:fs';
import { openBinding } from './binding.ts';
import { isSqliteError } from './database.ts';

export interface Lock {
  release(): void;
}

/**
 * Takes the lock file at `path` for this process, or returns undefined when another process has it.
 * The lock is the operating system's, held through SQLite: it goes with the process, however that ends.
 */
export function takeLock(path: string): Lock | undefined {
  const database = openBinding(path);
  try {
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    // A start that failed has just removed the file that was opened here, which locks nothing any more.
    if (!existsSync(path)) {
      database.close();
      return takeLock(path);
    }
    return { release: () => void database.close() };
  } catch (error) {
    database.close();
    if (isSqliteError(error, 'SQLITE_BUSY')) return undefined;
    throw error;
  }
}
