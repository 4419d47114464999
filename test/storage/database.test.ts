import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBinding } from '../../src/storage/binding.ts';
import { expect, test } from 'vitest';
import { ServiceError } from '../../src/kernel/errors.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { MIGRATIONS } from '../../src/storage/migrations.ts';
import { holdInAnotherProcess } from '../support/lock-holder.ts';
import { tempPath as tempDir } from '../support/temp-dir.ts';
import { words } from '../support/words.ts';

function storePath(): string {
  return join(tempDir(), 'vault.db');
}

/** Returns the error of opening the file. The file is closed then, so that a test can look at it. */
function refusalOf(path: string): ServiceError {
  try {
    openDatabase(path).close();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('it was opened');
}

function settingsOf(path: string): Record<string, unknown> {
  const database = openDatabase(path);
  const names = words`
    journal_mode locking_mode synchronous foreign_keys secure_delete trusted_schema temp_store application_id
    user_version
  `;
  const settings = Object.fromEntries(names.map((name) => [name, database.pragma(name, { simple: true })]));
  database.close();
  return settings;
}

const PINNED = {
  locking_mode: 'exclusive',
  synchronous: 2,
  foreign_keys: 1,
  secure_delete: 1,
  trusted_schema: 0,
  temp_store: 2,
  application_id: Buffer.from('kycl').readUInt32BE(),
  user_version: MIGRATIONS.length,
};

test('openDatabase: a store on disk has every pinned setting', () => {
  expect(settingsOf(storePath())).toEqual({ ...PINNED, journal_mode: 'wal' });
});

test('openDatabase: a store in memory has the same settings but the log', () => {
  expect(settingsOf(':memory:')).toEqual({ ...PINNED, journal_mode: 'memory' });
});

test('openDatabase: every table is STRICT', () => {
  const database = openDatabase(':memory:');
  const lax = database.prepare(`SELECT name FROM pragma_table_list WHERE schema = 'main' AND NOT strict`);
  expect(lax.pluck().all()).toEqual(['sqlite_schema']);
  database.close();
});

test('openDatabase: migrates an empty store, and keeps its data at the next opening', () => {
  const path = storePath();
  const first = openDatabase(path);
  first.prepare(`INSERT INTO instance_values VALUES ('a', 'b')`).run();
  first.close();
  const second = openDatabase(path);
  expect(second.prepare('SELECT * FROM instance_values').all()).toEqual([{ name: 'a', value: 'b' }]);
  second.close();
});

test('openDatabase: finishes a migration that was cut off before its first step', () => {
  const path = storePath();
  const cutOff = openBinding(path);
  cutOff.pragma('journal_mode = WAL');
  cutOff.pragma(`application_id = ${PINNED.application_id}`);
  cutOff.close();
  const database = openDatabase(path);
  expect(database.pragma('user_version', { simple: true })).toBe(MIGRATIONS.length);
  database.close();
});

test('openDatabase: refuses the database of another program and leaves its bytes alone', () => {
  const path = storePath();
  const other = openBinding(path);
  other.exec('CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)');
  other.close();
  const before = readFileSync(path);
  expect(refusalOf(path)).toMatchObject({
    code: 'vault_damaged',
    message: 'The file is a SQLite database of another program',
  });
  expect(readFileSync(path)).toEqual(before);
});

test.each(['application_id = 252006674', 'user_version = 7'])(
  'openDatabase: refuses a database without tables that another program has marked (%s)',
  (pragma) => {
    const path = storePath();
    const other = openBinding(path);
    other.pragma(pragma);
    other.close();
    const before = readFileSync(path);
    expect(refusalOf(path)).toMatchObject({ code: 'vault_damaged' });
    expect(readFileSync(path)).toEqual(before);
  },
);

test('openDatabase: refuses a file that is no database and leaves its bytes alone', () => {
  const path = storePath();
  const before = Buffer.from('# what somebody wrote here\n'.repeat(100));
  writeFileSync(path, before);
  expect(refusalOf(path)).toMatchObject({ code: 'vault_damaged' });
  expect(readFileSync(path)).toEqual(before);
});

test('openDatabase: fails as SQLite does with a folder in the place of the store', () => {
  expect(() => openDatabase(tempDir())).toThrow(expect.objectContaining({ code: 'SQLITE_CANTOPEN' }));
});

test('openDatabase: refuses a store of a newer version with a message, and changes nothing', () => {
  const path = storePath();
  const store = openDatabase(path);
  store.pragma(`user_version = ${MIGRATIONS.length + 1}`);
  store.close();
  const before = readFileSync(path);
  expect(refusalOf(path)).toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('upgrade') as string,
  });
  expect(readFileSync(path)).toEqual(before);
});

test('openDatabase: of two in one process, the second finds the store taken', () => {
  const path = storePath();
  const first = openDatabase(path);
  expect(refusalOf(path)).toMatchObject({ code: 'instance_running' });
  first.close();
  openDatabase(path).close();
});

test('openDatabase: a store held by another process opens when that one is killed', async () => {
  const path = storePath();
  openDatabase(path).close();
  const holder = await holdInAnotherProcess('database', path);
  expect(refusalOf(path)).toMatchObject({ code: 'instance_running' });
  await holder.kill();
  openDatabase(path).close();
});

test('openDatabase: reads data committed before a crash from the log', () => {
  const path = storePath();
  const crashed = openDatabase(path);
  crashed.prepare(`INSERT INTO instance_values VALUES ('a', 'b')`).run();
  const copy = storePath();
  for (const end of ['', '-wal']) copyFileSync(`${path}${end}`, `${copy}${end}`);
  crashed.close();
  const reopened = openDatabase(copy);
  expect(reopened.prepare('SELECT value FROM instance_values').pluck().all()).toEqual(['b']);
  reopened.close();
});
