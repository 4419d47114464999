/** Every SQLite that this Node can use keeps the promises of the interface to it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { openInMemory, sqliteInUse } from '../../src/storage/binding.ts';
import { Database } from '../../src/storage/sqlite/database.ts';
import { nodeSqlite, packagedSqlite, type LoadedSqlite } from '../../src/storage/sqlite/load.ts';
import { tempDir } from '../support/temp-dir.ts';

const ALL = [nodeSqlite(), packagedSqlite()].filter((each) => each !== undefined);

test("sqliteInUse: names the SQLite and its version, Node's own where it has one", () => {
  expect(sqliteInUse()).toMatch(/^(?:node:sqlite|@photostructure\/sqlite) 3\.\d+\.\d+$/);
  expect(sqliteInUse()).toContain(ALL[0]?.origin);
});

const TABLE = 'CREATE TABLE things (id TEXT PRIMARY KEY, size INTEGER NOT NULL, content BLOB) STRICT';

function filled(sqlite: LoadedSqlite, path = ':memory:') {
  const database = new Database(path, {}, sqlite);
  database.exec(TABLE);
  const insert = database.prepare('INSERT INTO things VALUES (@id, @size, @content)');
  insert.run({ id: 'a', size: 1, content: Buffer.from([1, 2]), unknown: 'is passed over' });
  insert.run({ id: 'b', size: 2 ** 53 - 1, content: null });
  return database;
}

/** Returns the name and code of the error that SQLite throws, or `done`. */
function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    const { name, code } = error as { name: string; code: string };
    return `${name} ${code}`;
  }
  return 'done';
}

describe.each(ALL)('$origin', (sqlite) => {
  const opened = (path: string, options = {}) => new Database(path, options, sqlite);

  test('rows are objects, tuples or single values', () => {
    const database = filled(sqlite);
    const all = (mode?: 'raw' | 'pluck') => {
      const statement = database.prepare('SELECT id, size FROM things ORDER BY id');
      const read = mode ? statement[mode]() : statement;
      return [read.all(), read.get()];
    };
    expect(all()[0]).toEqual([
      { id: 'a', size: 1 },
      { id: 'b', size: 2 ** 53 - 1 },
    ]);
    expect(all()[1]).toEqual({ id: 'a', size: 1 });
    expect(all('raw')).toEqual([
      [
        ['a', 1],
        ['b', 2 ** 53 - 1],
      ],
      ['a', 1],
    ]);
    expect(all('pluck')).toEqual([['a', 'b'], 'a']);
    const none = database.prepare("SELECT id FROM things WHERE id = 'none'");
    expect([none.get(), none.all(), none.pluck().get()]).toEqual([undefined, [], undefined]);
    database.close();
  });

  test('tuples have each column in its place, whatever the columns are called', () => {
    const database = filled(sqlite);
    const tuples = (sql: string) => database.prepare<[string], unknown[]>(sql).raw();
    const same = tuples(
      `SELECT a.size, b.size, a.id FROM things a, things b WHERE b.id > ? ORDER BY b.id DESC, a.id DESC`,
    );
    expect([same.get(''), same.all('a')]).toEqual([
      [2 ** 53 - 1, 2 ** 53 - 1, 'b'],
      [
        [2 ** 53 - 1, 2 ** 53 - 1, 'b'],
        [1, 2 ** 53 - 1, 'a'],
      ],
    ]);
    expect(tuples('SELECT id, 7 AS size, size FROM things WHERE id = ?').get('a')).toEqual(['a', 7, 1]);
    expect(database.prepare('SELECT size, id AS size FROM things ORDER BY id').pluck().all()).toEqual([
      1,
      2 ** 53 - 1,
    ]);
    expect(tuples('DELETE FROM things WHERE id = ? RETURNING size, id').all('a')).toEqual([[1, 'a']]);
    database.close();
  });

  test('blobs are returned byte by byte, and a change returns the number of changed rows', () => {
    const database = filled(sqlite);
    const content = database.prepare("SELECT content FROM things WHERE id = 'a'").pluck().get();
    expect(content).toBeInstanceOf(Uint8Array);
    expect([...(content as Uint8Array)]).toEqual([1, 2]);
    expect(database.prepare("SELECT x''").pluck().get()).toMatchObject({ byteLength: 0 });
    expect(database.prepare('DELETE FROM things').run().changes).toBe(2);
    database.close();
  });

  test('what SQLite refuses has its name and its code', () => {
    using folder = tempDir();
    const database = filled(sqlite);
    const sql = (text: string) => refusal(() => database.prepare(text).run());
    expect(sql("INSERT INTO things VALUES ('a', 1, NULL)")).toBe('SqliteError SQLITE_CONSTRAINT_PRIMARYKEY');
    expect(sql("INSERT INTO things VALUES ('c', NULL, NULL)")).toBe('SqliteError SQLITE_CONSTRAINT_NOTNULL');
    expect(sql("INSERT INTO things VALUES ('c', 'x', NULL)")).toBe('SqliteError SQLITE_CONSTRAINT_DATATYPE');
    expect(sql('no sql')).toBe('SqliteError SQLITE_ERROR');
    expect(refusal(() => database.exec('no sql'))).toBe('SqliteError SQLITE_ERROR');
    database.close();
    const path = join(folder.path, 'no database');
    writeFileSync(path, 'what somebody wrote'.repeat(100));
    const other = opened(path);
    expect(refusal(() => other.pragma('user_version'))).toBe('SqliteError SQLITE_NOTADB');
    other.close();
  });

  test('fileMustExist makes no file, readonly writes to none', () => {
    using folder = tempDir();
    const path = join(folder.path, 'file: 50% ü?mode=memory#.db');
    expect(refusal(() => opened(path, { fileMustExist: true }))).toContain('SQLITE_CANTOPEN');
    filled(sqlite, path).close();
    const before = readFileSync(path);
    const database = opened(path, { readonly: true, fileMustExist: true });
    expect(database).toMatchObject({ name: path, memory: false, open: true });
    expect(database.prepare('SELECT count(*) FROM things').pluck().get()).toBe(2);
    expect(refusal(() => database.exec('DELETE FROM things'))).toBe('SqliteError SQLITE_READONLY');
    database.close();
    expect(readFileSync(path)).toEqual(before);
  });

  test('a transaction that throws leaves nothing, within another it leaves the other', () => {
    const database = filled(sqlite);
    const insert = database.prepare<[string]>('INSERT INTO things VALUES (?, 3, NULL)');
    const failing = database.transaction((id: string) => {
      expect(database.inTransaction).toBe(true);
      insert.run(id);
      throw new Error('given up');
    });
    expect(() => failing('c')).toThrow('given up');
    expect(database.inTransaction).toBe(false);
    const result = database.transaction((id: string) => {
      insert.run(id);
      expect(() => failing('e')).toThrow('given up');
      return database.transaction(() => 7)();
    })('d');
    expect(result).toBe(7);
    expect(database.prepare('SELECT id FROM things ORDER BY id').pluck().all()).toEqual(['a', 'b', 'd']);
    database.close();
  });

  test('a transaction shows however it has begun or ended', () => {
    const database = filled(sqlite);
    const seen = (sql: string) => {
      refusal(() => database.exec(sql));
      return database.inTransaction;
    };
    database.exec("CREATE TRIGGER guard BEFORE DELETE ON things BEGIN SELECT raise(ROLLBACK, 'kept'); END");
    expect(database.inTransaction).toBe(false);
    expect(['SAVEPOINT one', 'RELEASE one', 'BEGIN', 'BEGIN', 'DELETE FROM things'].map(seen)).toEqual([
      true,
      false,
      true,
      true,
      false,
    ]);
    expect(['BEGIN; SAVEPOINT one', 'ROLLBACK TO one', 'RELEASE one', 'END'].map(seen)).toEqual([
      true,
      true,
      true,
      false,
    ]);
    const [begin, insert] = ['BEGIN IMMEDIATE', "INSERT OR ROLLBACK INTO things VALUES ('a', 1, NULL)"].map(
      (sql) => database.prepare(sql),
    );
    begin?.run();
    expect(database.inTransaction).toBe(true);
    expect(refusal(() => insert?.run())).toBe('SqliteError SQLITE_CONSTRAINT_PRIMARYKEY');
    expect(database.inTransaction).toBe(false);
    database.close();
    expect(database.inTransaction).toBe(false);
  });

  test('a pragma answers its rows or its first value', () => {
    const database = filled(sqlite);
    database.pragma('user_version = 12');
    expect(database.pragma('user_version', { simple: true })).toBe(12);
    expect(database.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    database.close();
  });

  test('a closed database reports itself closed, and can be closed again', () => {
    const database = filled(sqlite);
    expect(database).toMatchObject({ name: ':memory:', memory: true, open: true });
    database.close();
    database.close();
    expect(database.open).toBe(false);
    expect(() => database.prepare('SELECT 1')).toThrow('not open');
  });

  test('a second one finds a locked file busy, and the lock ends when the first is closed', () => {
    using folder = tempDir();
    const path = join(folder.path, 'a.db');
    const first = filled(sqlite, path);
    first.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT');
    const second = opened(path);
    expect(refusal(() => second.exec('DELETE FROM things'))).toBe('SqliteError SQLITE_BUSY');
    // This statement is never finalized.
    const held = first.prepare('SELECT * FROM things');
    held.get();
    first.close();
    expect(refusal(() => second.exec('DELETE FROM things'))).toBe('done');
    second.close();
  });

  test('a database in memory begins as a file, and changes nothing of it', () => {
    using folder = tempDir();
    const path = join(folder.path, 'a.db');
    const source = filled(sqlite, path);
    source.exec(`CREATE TABLE "odd ""ones" (a, b UNIQUE); INSERT INTO "odd ""ones" (rowid, a) VALUES (7, 1), (9, 2);
      CREATE TABLE pairs (a, b, PRIMARY KEY (b, a)) WITHOUT ROWID; INSERT INTO pairs VALUES (1, 2);
      CREATE INDEX by_size ON things (size); CREATE VIEW sizes AS SELECT size FROM things;
      CREATE TRIGGER doubling AFTER INSERT ON pairs BEGIN INSERT INTO things VALUES (new.a, 3, NULL); END;
      PRAGMA user_version = 5; PRAGMA application_id = 6`);
    const content = (database: Database) => [
      ...['user_version', 'application_id', 'page_size', 'foreign_keys'].map((name) => database.pragma(name)),
      database.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name').all(),
      database.prepare('SELECT rowid, * FROM "odd ""ones"').all(),
      database.prepare('SELECT * FROM pairs').all(),
      database.prepare('SELECT rowid, * FROM things').all(),
    ];
    const expected = content(source);
    source.close();
    const before = readFileSync(path);
    const [one, other] = [openInMemory(path), openInMemory(path)];
    expect(one.memory).toBe(true);
    expect(content(one)).toEqual(expected);
    expect(one.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(JSON.stringify(one.pragma('database_list'))).not.toContain(path);
    // The database writes the copy to the real file, and not to a file system in memory.
    const copy = join(folder.path, 'copy.db');
    one.prepare('VACUUM INTO ?').run(copy);
    const written = opened(copy, { fileMustExist: true });
    expect(written.prepare('SELECT rowid, * FROM things').all()).toEqual(expected.at(-1));
    written.close();
    one.exec('DELETE FROM things');
    expect(one.prepare('SELECT count(*) FROM things').pluck().get()).toBe(0);
    expect(other.prepare('SELECT count(*) FROM things').pluck().get()).toBe(2);
    one.close();
    other.close();
    expect(readFileSync(path)).toEqual(before);
  });

  test('a backup is the whole database, and says how far it is', async () => {
    using folder = tempDir();
    const path = join(folder.path, 'copy.db');
    const database = filled(sqlite);
    database.exec(`WITH RECURSIVE rows (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM rows WHERE n < 50)
      INSERT INTO things SELECT 'large ' || n, n, randomblob(10000) FROM rows`);
    const left: number[] = [];
    await database.backup(path, { pagesAtATime: 20, onStep: (pages) => void left.push(pages) });
    database.close();
    expect(left.length).toBeGreaterThan(0);
    expect(left).toEqual([...left].sort((one, other) => other - one));
    const copy = opened(path, { readonly: true });
    expect(copy.prepare('SELECT count(*) FROM things').pluck().get()).toBe(52);
    copy.close();
  });

  test('a backup that begins amid a write includes the write, and waits instead of failing', async () => {
    using folder = tempDir();
    const path = join(folder.path, 'copy.db');
    const database = filled(sqlite);
    database.exec(`BEGIN IMMEDIATE; INSERT INTO things SELECT 'third', 3, x'00'`);
    const backup = database.backup(path, { pagesAtATime: 20, onStep: () => undefined });
    // The wait is long enough for the first step of the backup, in any thread.
    for (let turn = 0; turn < 50; turn++) await setTimeout(1);
    database.exec('COMMIT');
    await backup;
    database.close();
    const copy = opened(path, { readonly: true });
    expect(copy.prepare('SELECT count(*) FROM things').pluck().get()).toBe(3);
    copy.close();
  });

  test.each(ALL)('reads what $origin has written', (other) => {
    using folder = tempDir();
    const path = join(folder.path, 'a.db');
    const written = filled(sqlite, path);
    written.pragma('journal_mode = WAL');
    written.exec('UPDATE things SET size = size - 1');
    written.close();
    const read = new Database(path, {}, other);
    expect(read.prepare('SELECT size FROM things ORDER BY id').pluck().all()).toEqual([0, 2 ** 53 - 2]);
    expect(read.pragma('integrity_check', { simple: true })).toBe('ok');
    read.close();
  });
});
