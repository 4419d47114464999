/** The constants of a bundle stand for what the sources do at run time. */
import { expect, onTestFinished, test } from 'vitest';
import { formPage, hostedPage } from '../../src/pages/scripted-pages.ts';
import { openBinding, type Database } from '../../src/storage/binding.ts';
import { currentSchema } from '../../src/storage/current-schema.ts';
import { readSchema } from '../../src/storage/log-number.ts';
import { MIGRATIONS } from '../../src/storage/migrations.ts';
import { schemaObjects } from '../../src/storage/schema-objects.ts';
import { startKycloned } from '../support/kycloned.ts';

function opened(path: string): Database {
  const database = openBinding(path);
  onTestFinished(() => database.close());
  return database;
}

function migrated(): Database {
  const database = opened(':memory:');
  for (const sql of MIGRATIONS) database.exec(sql);
  return database;
}

/** The rows of every table. */
function contentOf(database: Database) {
  const tables = schemaObjects(database).flatMap(([name, table]) =>
    name.startsWith('table ') ? [table] : [],
  );
  return tables.map((table) => [table, database.prepare(`SELECT * FROM "${table}"`).all()]);
}

test('currentSchema: makes the tables and rows that the migrations make', () => {
  const { objects, rows } = currentSchema();
  const made = opened(':memory:');
  for (const [, , sql] of objects) made.exec(sql);
  made.exec(rows);

  const expected = migrated();
  expect(schemaObjects(made)).toEqual(schemaObjects(expected));
  expect(contentOf(made)).toEqual(contentOf(expected));
  // A migration fills this one; without it the comparison of rows would compare nothing.
  expect(contentOf(made)).toContainEqual(['fingerprint_listing', [{ row: 1, up_to: 0 }]]);
});

test('the built daemon has the schema of the migrations in a new store, and the pages of the sources', async () => {
  const launched = await startKycloned();
  const pages = await Promise.all(
    ['/_kyclone/form', '/hosted/bank_link'].map(async (path) => (await fetch(launched.url + path)).text()),
  );
  expect(pages).toEqual([formPage(), hostedPage('Link your bank', [])]);
  launched.process.kill('SIGTERM');
  expect((await launched.ended).code).toBe(0);

  const store = opened(launched.paths.storeFile);
  expect(readSchema(store)).toBe(MIGRATIONS.length);
  expect(schemaObjects(store)).toEqual(schemaObjects(migrated()));
});
