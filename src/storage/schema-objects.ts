/** What a store's schema consists of. */
import type { Database } from './binding.ts';

/** Its type and name, the table that it belongs to, and its SQL. */
export type SchemaObject = readonly [name: string, table: string, sql: string];

/**
 * Tables, indexes, triggers and views, in the order of their creation. Skips indexes without a text, which constraints
 * create, and SQLite's own statistics, which don't affect results.
 */
export function schemaObjects(database: Database): readonly SchemaObject[] {
  return database
    .prepare<[], SchemaObject>(
      `SELECT type || ' ' || name, tbl_name, sql FROM sqlite_schema
       WHERE NOT (type = 'index' AND sql IS NULL) AND name NOT LIKE 'sqlite^_stat_' ESCAPE '^' ORDER BY rowid`,
    )
    .raw()
    .all();
}
