/**
 * The only access to SQLite: an open database and its statements, as the rest of the storage uses them. There are two
 * drivers, Node's own SQLite and better-sqlite3; `drivers/choice.ts` chooses one for each process.
 */
import { chosenDriver } from './drivers/choice.ts';
import type { Database, OpenOptions } from './drivers/driver.ts';

export type { BindingStatement, Database, StatementResult } from './drivers/driver.ts';

/** Reads a numeric pragma. */
export function numberPragma(database: Database, name: string): number {
  const value = database.pragma(name, { simple: true });
  if (typeof value !== 'number') throw new Error(`SQLite has no number for ${name}`);
  return value;
}

/** Opens a database that never waits for a lock. Throws SQLite's errors, and `not_ready` when there is no SQLite. */
export function openBinding(path: string, options: OpenOptions = {}): Database {
  return chosenDriver().open(path, options);
}

/** Opens the file at `path` as a database in memory. The file must be closed and in rollback-journal mode. */
export function openInMemory(path: string): Database {
  return chosenDriver().openInMemory(path);
}

/** A database in memory with content from `serialize`. Undefined if the driver doesn't support that. */
export function openContent(content: Uint8Array): Database | undefined {
  return chosenDriver().openContent?.(content);
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
    return `${chosenDriver().name} ${version}`;
  } finally {
    database.close();
  }
}
