/** Tables whose columns are given once (src/storage/table.ts). */
import { expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../src/storage/binding.ts';
import { openDatabase } from '../../src/storage/database.ts';
import {
  assigned,
  boolean,
  bytes,
  initially,
  integer,
  joined,
  json,
  optional,
  table,
  text,
  type RowSeal,
} from '../../src/storage/table.ts';

/** A seal that shows what it covers, and when it was asked to renew that of the whole table. */
const changed: string[] = [];
const seal: RowSeal<'name' | 'weight' | 'isRipe'> = {
  columns: ['name', 'weight', 'isRipe'],
  of: (_database, { name, weight, isRipe }) => Buffer.from(JSON.stringify([name, weight, isRipe])),
  isOwn: (database, row) => Buffer.from(row.seal ?? []).equals(Buffer.from(seal.of(database, row))),
  require(database, row) {
    if (!seal.isOwn(database, row)) throw new Error(`${String(row.name)} is not ours`);
  },
  changed: () => void changed.push('changed'),
};

const COLUMNS = {
  seq: assigned,
  name: text,
  weight: initially(null, optional(integer)),
  isRipe: initially(true, boolean),
  tags: initially(null, optional(json<string[]>())),
  picture: initially(null, optional(bytes)),
  basket: integer,
};
const FRUITS = table('fruits', COLUMNS, { key: ['name'], fixed: ['basket'], seal });
const IN_BASKETS = table(
  'fruits',
  { name: text, basket: joined('baskets.name', text) },
  { from: 'fruits JOIN baskets ON baskets.id = fruits.basket' },
);

const byWeight = FRUITS.page<{ least: number }, 'weight' | 'name'>(
  'weight >= @least',
  { weight: 'number', name: 'string' },
  'ASC',
);
const byName = FRUITS.first<[name: string]>('WHERE name = ?');
const anyByName = FRUITS.unchecked.first<[name: string]>('WHERE name = ?');

function aDatabase(): Database {
  const database = openDatabase(':memory:');
  onTestFinished(() => database.close());
  database.exec(`CREATE TABLE baskets (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
    CREATE TABLE fruits (seq INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, weight INTEGER, isRipe INTEGER NOT NULL,
      tags TEXT, picture BLOB, basket INTEGER NOT NULL, seal BLOB) STRICT;
    INSERT INTO baskets VALUES (1, 'red'), (2, 'blue')`);
  changed.length = 0;
  return database;
}

test('table: a row is stored by the codecs of its columns, and read as it was', () => {
  const database = aDatabase();

  expect(FRUITS.insert(database, { name: 'apple', basket: 1 })).toBe(1);
  expect(
    FRUITS.insert(database, { name: 'plum', weight: 30, isRipe: false, tags: ['blue'], basket: 2 }),
  ).toBe(2);

  expect(database.prepare('SELECT name, weight, isRipe, tags, picture FROM fruits').all()).toEqual([
    { name: 'apple', weight: null, isRipe: 1, tags: null, picture: null },
    { name: 'plum', weight: 30, isRipe: 0, tags: '["blue"]', picture: null },
  ]);
  expect(byName(database, 'plum')).toMatchObject({ seq: 2, weight: 30, isRipe: false, tags: ['blue'] });
  expect(byName(database, 'apple')).toMatchObject({ seq: 1, weight: null, isRipe: true, tags: null });
  expect(byName(database, 'pear')).toBeUndefined();
  expect(IN_BASKETS.all('ORDER BY fruits.name')(database)).toEqual([
    { name: 'apple', basket: 'red' },
    { name: 'plum', basket: 'blue' },
  ]);
});

test('table: insertNew refuses a second row, put replaces the first', () => {
  const database = aDatabase();
  const apple = { name: 'apple', basket: 1 };

  expect([FRUITS.insertNew(database, apple), FRUITS.insertNew(database, { ...apple, weight: 1 })]).toEqual([
    true,
    false,
  ]);
  expect(byName(database, 'apple')?.weight).toBeNull();

  FRUITS.put(database, { ...apple, weight: 2, isRipe: false });
  expect(byName(database, 'apple')).toMatchObject({ seq: 1, weight: 2, isRipe: false });
});

test('table: update stores what may change, change and set only what they are given', () => {
  const database = aDatabase();
  FRUITS.insert(database, { name: 'apple', weight: 100, basket: 1 });
  const row = byName(database, 'apple');
  if (!row) throw new Error('no apple');

  FRUITS.update(database, { ...row, weight: 101, tags: ['red'] });
  FRUITS.change(database, { ...row, weight: 101 }, { isRipe: false });
  FRUITS.set(database, { name: 'apple' }, { picture: new Uint8Array([1]) });

  const { seal: _seal, ...after } = byName(database, 'apple') ?? {};
  expect(after).toEqual({
    seq: 1,
    name: 'apple',
    weight: 101,
    isRipe: false,
    tags: ['red'],
    basket: 1,
    picture: new Uint8Array([1]),
  });
});

test('table: a row that another program has changed is read only by unchecked', () => {
  const database = aDatabase();
  FRUITS.insert(database, { name: 'apple', weight: 100, basket: 1 });
  database.exec('UPDATE fruits SET tags = NULL, basket = 2');
  expect(byName(database, 'apple')?.basket).toBe(2);

  database.exec('UPDATE fruits SET weight = 99');

  expect(() => byName(database, 'apple')).toThrow('apple is not ours');
  const row = anyByName(database, 'apple');
  if (!row) throw new Error('no apple');
  expect(row.weight).toBe(99);
  expect(FRUITS.isOwn(database, row)).toBe(false);
  expect(FRUITS.isOwn(database, { ...row, weight: 100 })).toBe(true);
  expect(() => FRUITS.requireOwn(database, row)).toThrow('apple is not ours');
});

test('table: the seal of the whole table is renewed when a row is new, gone, or sealed again', () => {
  const database = aDatabase();
  FRUITS.insert(database, { name: 'apple', weight: 100, basket: 1 });
  const row = byName(database, 'apple');
  if (!row) throw new Error('no apple');
  FRUITS.change(database, row, { weight: 101 });
  expect(changed).toHaveLength(2);

  FRUITS.set(database, row, { picture: null });
  FRUITS.change(database, row, { tags: [] });
  expect(changed).toHaveLength(2);

  expect(FRUITS.delete<[name: string]>('name = ?')(database, 'apple')).toBe(1);
  expect(changed).toHaveLength(3);
});

test('table: a page begins after a place in its order, and has one row more than its limit', () => {
  const database = aDatabase();
  for (const [at, name] of ['a', 'b', 'c', 'd'].entries()) {
    FRUITS.insert(database, { name, weight: at < 3 ? 1 : 2, basket: 1 });
  }
  const names = (after: { weight: number; name: string } | undefined, limit: number) =>
    byWeight(database, { least: 1 })
      .list({ after, limit })
      .map(({ name }) => name);

  expect(names(undefined, 2)).toEqual(['a', 'b', 'c']);
  expect(names({ weight: 1, name: 'b' }, 2)).toEqual(['c', 'd']);
  const heavy = byWeight(database, { least: 2 });
  expect(heavy.list({ after: undefined, limit: 9 })).toHaveLength(1);
  expect(heavy.count).toBe(1);
  expect(
    FRUITS.offsetPage('WHERE weight = ? ORDER BY name')(database, 1, { offset: 1, size: 1 }),
  ).toHaveLength(2);
});

test('table: counts, scalars and sets of rows', () => {
  const database = aDatabase();
  for (const name of ['a', 'b', 'c']) FRUITS.insert(database, { name, basket: name === 'a' ? 1 : 2 });

  expect([FRUITS.count()(database), FRUITS.count<[number]>('basket = ?')(database, 2)]).toEqual([3, 2]);
  expect([FRUITS.has()(database), FRUITS.has<[number]>('basket = ?')(database, 3)]).toEqual([true, false]);
  expect(FRUITS.values<[number], 'name'>('name', 'WHERE basket = ? ORDER BY name')(database, 2)).toEqual([
    'b',
    'c',
  ]);
  expect(FRUITS.value<[number], 'name'>('name', 'WHERE basket = ?')(database, 1)).toBe('a');
  expect(
    FRUITS.among('name', 'ORDER BY name DESC')(database, ['a', 'c', 'x']).map(({ name }) => name),
  ).toEqual(['c', 'a']);
  expect(FRUITS.next(database, 'seq')).toBe(4);
  expect([FRUITS.delete()(database), FRUITS.next(database, 'seq')]).toEqual([3, 1]);
});
