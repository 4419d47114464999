/** A database in memory that begins as a file, where SQLite can't take the bytes of the file. */
import { resolve } from 'node:path';
import type { Database } from './database.ts';

/**
 * Copies the database at `path`, one of tables, indexes, triggers and views, into one that holds nothing: as it is in
 * the file, row ids included. Nothing is written to the file.
 */
export function copyInto(database: Database, path: string): void {
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
