/** The only access to SQLite: `sqlite/` has the database and decides which SQLite it is (docs/decisions/0015). */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Database, type OpenOptions, SqliteError } from './sqlite/database.ts';
import { sqlite } from './sqlite/load.ts';

// A database in memory that begins as a file, where SQLite can't take the bytes of the file.

/**
 * Copies the database at `path`, one of tables, indexes, triggers and views, into one that holds nothing: as it is in
 * the file, row ids included. Nothing is written to the file.
 */
function copyInto(database: Database, path: string): void {
  database.prepare('ATTACH ? AS source').run(resolve(path));
  const number = (pragma: string) => String(database.pragma(`source.${pragma}`, { simple: true }));
  const texts = (which: string) =>
    database
      .prepare<[], { name: string; sql: string }>(
        `SELECT name, sql FROM source.sqlite_schema WHERE sql IS NOT NULL AND ${which} ORDER BY rowid`,
      )
      .all();
  database.pragma(`page_size = ${number('page_size')}`);
  database.pragma('foreign_keys = OFF');
  database.transaction(() => {
    for (const { name, sql } of texts(`type = 'table' AND name NOT LIKE 'sqlite^_%' ESCAPE '^'`)) {
      database.prepare(sql).run();
      copyRows(database, name);
    }
    for (const { sql } of texts(`type <> 'table'`)) database.prepare(sql).run();
    for (const name of ['user_version', 'application_id']) database.pragma(`${name} = ${number(name)}`);
  })();
  database.pragma('foreign_keys = ON');
  database.exec('DETACH source');
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

function copyRows(database: Database, table: string): void {
  const list = database.pragma(`source.table_list(${quoted(table)})`) as readonly { wr: number }[];
  const columns = database.pragma(`source.table_info(${quoted(table)})`) as readonly { name: string }[];
  const rowId = list[0]?.wr === 0 ? ['rowid'] : [];
  const all = [...rowId, ...columns.map(({ name }) => quoted(name))].join(', ');
  database.exec(`INSERT INTO main.${quoted(table)} (${all}) SELECT ${all} FROM source.${quoted(table)}`);
}

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
