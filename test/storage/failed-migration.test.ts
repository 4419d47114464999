import { join } from 'node:path';
import { openBinding } from '../../src/storage/binding.ts';
import { expect, test } from 'vitest';
import { APPLICATION_ID, openDatabase } from '../../src/storage/database.ts';
import { MIGRATIONS } from '../../src/storage/migrations.ts';
import { tempDir } from '../support/temp-dir.ts';

test('a migration that fails is named with path and remedy, and no step before it is kept', () => {
  using folder = tempDir();
  const path = join(folder.path, 'vault.db');
  const made =
    [
      ...MIGRATIONS.slice(1)
        .join('\n')
        .matchAll(/CREATE TABLE (\w+)/g),
    ].at(-1)?.[1] ?? '';
  const older = openBinding(path);
  older.exec(MIGRATIONS[0] ?? '');
  older.pragma(`application_id = ${APPLICATION_ID}`);
  older.pragma('user_version = 1');
  // A later migration creates a table with this name.
  older.exec(`CREATE TABLE ${made} (in_the_way INTEGER)`);
  const schema = () => older.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all();
  const before = schema();
  older.close();

  let failure: unknown;
  try {
    openDatabase(path).close();
  } catch (error) {
    failure = error;
  }
  expect(failure).toMatchObject({ code: 'not_ready' });
  expect((failure as Error).message).toContain(path);
  expect((failure as Error).message).toMatch(/step \d+ failed .*The store is as it was: start the version/);

  const after = openBinding(path);
  expect(after.pragma('user_version', { simple: true })).toBe(1);
  expect(after.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all()).toEqual(before);
  after.close();
});
