/**
 * The exact schema of our own store: the text of every table, index, trigger and view. Any other object was added from
 * outside, such as a trigger that silently ignores deletions.
 */
import { openBinding, type Database } from './binding.ts';
import { currentSchema } from './current-schema.ts';
import { readSchema } from './log-number.ts';
import { MIGRATIONS } from './migrations.ts';
import { schemaObjects, type SchemaObject } from './schema-objects.ts';

/** Table and SQL by type and name. */
type Objects = ReadonlyMap<string, string>;

const expectedObjects = new Map<string, readonly SchemaObject[]>();

/** The objects of a version's store. */
function expectedOf(version: number): readonly SchemaObject[] {
  if (version === MIGRATIONS.length) return currentSchema().objects;
  return madeBy(MIGRATIONS.slice(0, version));
}

/** The objects of a store in which these were run, found out by making one. */
function madeBy(sqls: readonly string[]): readonly SchemaObject[] {
  const key = sqls.join('\n');
  let made = expectedObjects.get(key);
  if (made === undefined) {
    const database = openBinding(':memory:');
    try {
      for (const sql of sqls) database.exec(sql);
      expectedObjects.set(key, (made = schemaObjects(database)));
    } finally {
      database.close();
    }
  }
  return made;
}

function byName(objects: readonly SchemaObject[]): Objects {
  return new Map(objects.map(([name, table, sql]) => [name, JSON.stringify([table, sql])]));
}

/**
 * The first table, index, trigger or view that differs from those of the store's schema plus those that `more`
 * creates, as `trigger NAME`; undefined when there is none.
 */
export function foreignObject(database: Database, more?: string): string | undefined {
  const version = readSchema(database);
  const own = expectedOf(Math.min(version, MIGRATIONS.length));
  const expected = byName(more === undefined ? own : [...own, ...madeBy([more])]);
  const found = byName(schemaObjects(database));
  const isOurs = (name: string) => found.get(name) === expected.get(name);
  return [...found.keys(), ...expected.keys()].find((name) => !isOurs(name));
}
