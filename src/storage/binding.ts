/**
 * The one seam to SQLite: an open database and its statements, as the rest of the storage sees them. Two drivers stand
 * behind it, Node's own SQLite and better-sqlite3; `drivers/choice.ts` says which, once for each process.
 */
import { chosenDriver } from './drivers/choice.ts';
import type { Database, OpenOptions } from './drivers/driver.ts';

export type { BindingStatement, Database, RunResult } from './drivers/driver.ts';

/** The value of a pragma that is a number. */
export function numberPragma(database: Database, name: string): number {
  const value = database.pragma(name, { simple: true });
  if (typeof value !== 'number') throw new Error(`SQLite has no number for ${name}`);
  return value;
}

/** Opens a database that waits for no lock. Throws what SQLite throws, and `not_ready` when there is no SQLite. */
export function openBinding(path: string, options: OpenOptions = {}): Database {
  return chosenDriver().open(path, options);
}

/** A database in memory that begins as the file at `path`, one in rollback-journal mode that is closed. */
export function openInMemory(path: string): Database {
  return chosenDriver().openInMemory(path);
}

/** A database in memory with the content that `serialize` has answered. Undefined where the driver can't do that. */
export function openContent(content: Uint8Array): Database | undefined {
  return chosenDriver().openContent?.(content);
}

let inUse: string | undefined;

/** Which SQLite stands behind this: `node:sqlite 3.53.4`. Throws `not_ready` when there is none. */
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
