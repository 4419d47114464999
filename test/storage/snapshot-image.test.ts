/** Copying an open store keeps the lock that prevents other programs from writing to it. */
import { execFileSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import '../support/tier-all.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { copyImage, writeImage } from '../../src/storage/snapshot-image.ts';
import { tempDir } from '../support/temp-dir.ts';

const INTRUDER = `
import { openBinding } from ${JSON.stringify(join(import.meta.dirname, '../../src/storage/binding.ts'))};
try {
  openBinding(process.argv[1]).exec('CREATE TABLE intruder (x)');
  process.stdout.write('it wrote');
} catch ({ code }) {
  process.stdout.write(code);
}`;
const PROGRAM = ['--import', 'tsx', '--input-type=module', '--eval', INTRUDER];

/** Returns the result of another process that writes to the store. */
const intruding = (file: string) => execFileSync(process.execPath, [...PROGRAM, file], { encoding: 'utf8' });

test.each([
  ['writeImage', writeImage],
  ['copyImage', copyImage],
])('%s: no other process can write to the store afterwards', async (_, write) => {
  using folder = tempDir();
  const file = join(folder.path, 'vault.db');
  const copy = join(folder.path, 'copy.db');
  const database = openDatabase(file);
  database.exec(`CREATE TABLE large (x BLOB);
    WITH RECURSIVE rows (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM rows WHERE n < 12)
    INSERT INTO large SELECT randomblob(1000000) FROM rows`);
  writeFileSync(copy, '');
  expect(intruding(file)).toBe('SQLITE_BUSY');

  await write(database, copy);

  expect(intruding(file)).toBe('SQLITE_BUSY');
  expect(statSync(copy).size).toBeGreaterThan(12_000_000);
  database.close();
});

test('writeImage: a copy that cannot be written fails, and the store is served on', async () => {
  using folder = tempDir();
  const file = join(folder.path, 'vault.db');
  const database = openDatabase(file);
  database.exec('CREATE TABLE large (x BLOB); INSERT INTO large VALUES (randomblob(10000000))');
  await expect(writeImage(database, join(folder.path, 'nowhere', 'copy.db'))).rejects.toMatchObject({
    code: 'ENOENT',
  });
  database.exec("INSERT INTO large VALUES ('more')");
  expect(intruding(file)).toBe('SQLITE_BUSY');
  database.close();
});
