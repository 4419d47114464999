/**
 * The exact schema of our own store: the text of every table, index, trigger and view. Any other object was added from
 * outside, such as a trigger that silently ignores deletions.
 */
import { numberPragma, openBinding, type Database } from './binding.ts';
import { MIGRATIONS } from './migrations/index.ts';

/** Type and name, and the SQL that created it. */
type Objects = ReadonlyMap<string, string>;

const expectedObjects = new Map<string, Objects>();

/** The objects of a version's store, plus `more`; determined by creating one. */
function expectedOf(version: number, more: string): Objects {
  const key = `${version} ${more}`;
  let expected = expectedObjects.get(key);
  if (expected === undefined) {
    const database = openBinding(':memory:');
    try {
      for (const sql of MIGRATIONS.slice(0, version)) database.exec(sql);
      if (more !== '') database.exec(more);
      expectedObjects.set(key, (expected = objectsOf(database)));
    } finally {
      database.close();
    }
  }
  return expected;
}

/** Skips indexes without a text, which constraints create, and SQLite's own statistics, which don't affect results. */
function objectsOf(database: Database): Objects {
  const rows = database
    .prepare<[], [name: string, table: string, text: string]>(
      `SELECT type || ' ' || name, tbl_name, sql FROM sqlite_schema
       WHERE NOT (type = 'index' AND sql IS NULL) AND name NOT LIKE 'sqlite^_stat_' ESCAPE '^' ORDER BY 1`,
    )
    .raw()
    .all();
  return new Map(rows.map(([name, table, text]) => [name, JSON.stringify([table, text])]));
}

/**
 * The first table, index, trigger or view that differs from those of the store's `user_version` plus `more`, as
 * `trigger NAME`; undefined when there is none.
 */
export function foreignObject(database: Database, more = ''): string | undefined {
  const version = numberPragma(database, 'user_version');
  const expected = expectedOf(Math.min(version, MIGRATIONS.length), more);
  const found = objectsOf(database);
  const isOurs = (name: string) => found.get(name) === expected.get(name);
  return [...found.keys(), ...expected.keys()].find((name) => !isOurs(name));
}
