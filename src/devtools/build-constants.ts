/**
 * What a bundle has in place of two modules of src/storage, which are empty in the sources: the schema after all
 * migrations, and the JavaScript of better-sqlite3. The daemon uses that code if the installed package has the same
 * version, and the package's own files otherwise; the binary always comes from the installed package. Where the build
 * has no package, as under a Node that needs none, the bundle has no code of it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import type { Database } from '../storage/binding.ts';
import type { CurrentSchema } from '../storage/current-schema.ts';
import { openDatabase } from '../storage/database.ts';
import { schemaObjects } from '../storage/own-schema.ts';
import { scalarStatement } from '../storage/statement.ts';

export function buildConstants(root: string): Plugin {
  const schema = `export const currentSchema = ${JSON.stringify(schemaOfNewStore())};`;
  return {
    name: 'constants',
    setup(build) {
      build.onLoad({ filter: /[\\/]src[\\/]storage[\\/]current-schema\.ts$/ }, () => ({ contents: schema }));
      const folder = join(root, 'node_modules/better-sqlite3');
      if (!existsSync(folder)) return;
      const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
        version: string;
      };
      build.onLoad({ filter: /[\\/]src[\\/]storage[\\/]drivers[\\/]bundled-package\.ts$/ }, () => ({
        contents:
          `export const bundledPackage = ` +
          `{ version: ${JSON.stringify(version)}, load: () => require('./lib/index.js') };`,
        resolveDir: folder,
      }));
      // Only a package that looks for its binary itself needs this one; the driver passes the binary.
      build.onResolve({ filter: /^bindings$/ }, ({ path }) => ({ path, external: true }));
    },
  };
}

/** What the migrations make of an empty store. */
export function schemaOfNewStore(): CurrentSchema {
  const database = openDatabase(':memory:');
  try {
    const objects = schemaObjects(database);
    const tables = objects.flatMap(([name, table]) => (name.startsWith('table ') ? [table] : []));
    return { objects, rows: tables.map((table) => rowsOf(database, table)).join('') };
  } finally {
    database.close();
  }
}

/** Statements that insert the rows of the table. */
function rowsOf(database: Database, table: string): string {
  const columns = scalarStatement<[string], string>('SELECT name FROM pragma_table_info(?)').all(
    database,
    table,
  );
  const values = columns.map((column) => `quote("${column}")`).join(" || ', ' || ");
  const rows = scalarStatement<[], string>(`SELECT ${values} FROM "${table}"`).all(database);
  return rows.map((row) => `INSERT INTO "${table}" (${columns.join(', ')}) VALUES (${row});\n`).join('');
}
