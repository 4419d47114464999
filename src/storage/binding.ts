/** The only access to SQLite: `sqlite/` has the database and decides which SQLite it is (docs/decisions/0015). */
import { existsSync } from 'node:fs';
import { copyInto } from './sqlite/copy-into.ts';
import { Database, type OpenOptions } from './sqlite/database.ts';
import { SqliteError } from './sqlite/errors.ts';
import { sqlite } from './sqlite/load.ts';

export type { BindingStatement, Database, StatementResult } from './sqlite/database.ts';

/** Reads a numeric pragma. */
export function numberPragma(database: Database, name: string): number {
  const value = database.pragma(name, { simple: true });
  if (typeof value !== 'number') throw new Error(`SQLite has no number for ${name}`);
  return value;
}

/** Opens a database that never waits for a lock. Throws SQLite's errors, and `not_ready` when there is no SQLite. */
export function openBinding(path: string, options: OpenOptions = {}): Database {
  return new Database(path, options);
}

/** Opens the file at `path` as a database in memory. The file must be closed and in rollback-journal mode. */
export function openInMemory(path: string): Database {
  if (!existsSync(path)) throw new SqliteError('unable to open database file', 'SQLITE_CANTOPEN', undefined);
  const database = new Database(':memory:');
  try {
    copyInto(database, path);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

let inUse: string | undefined;

/** The SQLite in use: `node:sqlite 3.53.4`. Throws `not_ready` when there is none. */
export function sqliteInUse(): string {
  return (inUse ??= nameAndVersion());
}

function nameAndVersion(): string {
  const database = openBinding(':memory:');
  try {
    const version = database.prepare<[], string>('SELECT sqlite_version()').pluck().get() ?? '';
    return `${sqlite().origin} ${version}`;
  } finally {
    database.close();
  }
}
