/**
 * The schema after all migrations: a new store is made from it three times as fast as step by step, and a store is
 * checked against it. The build puts it into the bundles in place of this module (src/devtools/build.ts).
 */
import { openBinding, type Database } from './binding.ts';
import { MIGRATIONS } from './migrations.ts';
import { schemaObjects, type SchemaObject } from './schema-objects.ts';

export interface CurrentSchema {
  /** Tables, indexes, triggers and views in the order of their creation, with the SQL that created them. */
  readonly objects: readonly SchemaObject[];
  /** SQL that inserts the rows of a new store. */
  readonly rows: string;
}

let made: CurrentSchema | undefined;

/** Made once by all migrations. */
export function currentSchema(): CurrentSchema {
  return (made ??= madeByMigrations());
}

function madeByMigrations(): CurrentSchema {
  const database = openBinding(':memory:');
  try {
    for (const migration of MIGRATIONS) database.exec(migration);
    const objects = schemaObjects(database);
    const tables = objects.flatMap(([name, table]) => (name.startsWith('table ') ? [table] : []));
    return { objects, rows: tables.map((table) => rowsOf(database, table)).join('') };
  } finally {
    database.close();
  }
}

/** Statements that insert the rows of the table. */
function rowsOf(database: Database, table: string): string {
  const columns = database
    .prepare<[string], string>('SELECT name FROM pragma_table_info(?)')
    .pluck()
    .all(table);
  const values = columns.map((column) => `quote("${column}")`).join(" || ', ' || ");
  const rows = database.prepare<[], string>(`SELECT ${values} FROM "${table}"`).pluck().all();
  return rows.map((row) => `INSERT INTO "${table}" (${columns.join(', ')}) VALUES (${row});\n`).join('');
}
