/** SQL with typed parameters and rows (src/storage/statement.ts). */
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Database } from '../../src/storage/binding.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { scalarStatement, statement, tupleStatement, damageOf } from '../../src/storage/statement.ts';

interface Fruit {
  readonly name: string;
  readonly weight: number | null;
}

function aDatabase(): Database {
  const database = openDatabase(':memory:');
  onTestFinished(() => database.close());
  database.exec('CREATE TABLE fruits (name TEXT PRIMARY KEY, weight INTEGER) STRICT');
  const insert = statement<Fruit>('INSERT INTO fruits (name, weight) VALUES (@name, @weight)');
  insert.run(database, { name: 'apple', weight: 150 });
  insert.run(database, { name: 'plum', weight: null });
  return database;
}

test('statement: rows come as objects, scalars or tuples, by a tuple of parameters or by names', () => {
  const database = aDatabase();
  const weights = 'SELECT weight FROM fruits ORDER BY name';

  expect(
    statement<[string], Fruit>('SELECT name, weight FROM fruits WHERE name = ?').get(database, 'plum'),
  ).toEqual({ name: 'plum', weight: null });
  expect(statement<[], { weight: number | null }>(weights).all(database)).toEqual([
    { weight: 150 },
    { weight: null },
  ]);
  expect(scalarStatement<[], number | null>(weights).all(database)).toEqual([150, null]);
  expect(tupleStatement<[], [number | null]>(weights).all(database)).toEqual([[150], [null]]);
  expect(statement<[string]>('DELETE FROM fruits WHERE name = ?').run(database, 'plum').changes).toBe(1);
});

test('statement: a query without a row has undefined, or fails where there always is one', () => {
  const database = aDatabase();
  const named = scalarStatement<{ name: string }, number | null>(
    'SELECT weight FROM fruits WHERE name = @name',
  );

  expect(named.get(database, { name: 'pear' })).toBeUndefined();
  expect(named.one(database, { name: 'plum' })).toBeNull();
  expect(() => named.one(database, { name: 'pear' })).toThrow('no row: SELECT weight');
});

test('statement: a text is compiled once for each database, wherever it occurs', () => {
  const [one, other] = [aDatabase(), aDatabase()];
  const prepared = [one, other].map((database) => vi.spyOn(database, 'prepare'));
  const count = () => scalarStatement<[], number>('SELECT count(*) FROM fruits');

  for (const database of [one, one, other]) expect(count().one(database)).toBe(2);

  expect(prepared.map((spy) => spy.mock.calls.length)).toEqual([1, 1]);
});

test.each(['get', 'all', 'run'] as const)('statement: %s that meets a damaged page reports it', (method) => {
  const database = aDatabase();
  const damaged = Object.assign(new Error('database disk image is malformed'), {
    name: 'SqliteError',
    code: 'SQLITE_CORRUPT',
  });
  vi.spyOn(database, 'prepare').mockImplementation(() => {
    throw damaged;
  });

  const read = () => statement<[], Fruit>(`SELECT name FROM fruits -- ${method}`)[method](database);

  expect(read).toThrow(expect.objectContaining({ code: 'vault_damaged' }));
  expect(damageOf(database)).toMatchObject({ code: 'vault_damaged' });
});
