/**
 * Rows that stay in memory for a moment (src/storage/statement.ts). Each change that makes them outdated has a test.
 */
import { expect, onTestFinished, test, vi } from 'vitest';
import { openDatabase } from '../../src/storage/database.ts';
import { keptRows, outdatedBy, type KeptKey, statement, reportDamage } from '../../src/storage/statement.ts';
import { realTime } from '../../src/kernel/time/real-time.ts';

interface Row {
  readonly name: string;
}

const keyOf = (key: Partial<KeptKey> = {}): KeptKey => ({ owner: 1, name: 'one', asOf: 1, ...key });

/** Makes a store with one space and one value, and keeps rows of it in memory. */
function aStore(limits: { limit?: number; isSmall?: (row: Row) => boolean } = {}) {
  const database = openDatabase(':memory:');
  onTestFinished(() => database.close());
  database.exec(`PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON;
    INSERT INTO spaces (id, tenant, environment, created_at) VALUES (1, 'default', 'sandbox', 0);
    INSERT INTO vault_values (entity, identifier, version, created_at) VALUES (1, 'id.city', 1, 0)`);
  const kept = { entities: keptRows<Row>('entities', { limit: 10, ...limits }) };
  const values = keptRows<Row>('vault_values', { limit: 10, ...limits });
  let reads = 0;
  const reading = (rows: typeof values, key: KeptKey) => {
    const before = reads;
    rows.get(database, key, () => ({ name: `read ${(reads += 1)}` }));
    return reads > before;
  };
  return {
    database,
    /** Whether the read went to the store. */
    asksForEntity: () => reading(kept.entities, keyOf()),
    asksForValue: (key: Partial<KeptKey> = {}) => reading(values, keyOf(key)),
    /** Reads it twice: from then on it is kept. */
    keepEntity: () => [1, 2].map(() => reading(kept.entities, keyOf())),
    keepValue: (key: Partial<KeptKey> = {}) => [1, 2].map(() => reading(values, keyOf(key))),
    values,
  };
}

test('kept rows: a row that was read twice is returned again, by its owner, its name and its store', () => {
  const [one, other] = [aStore(), aStore()];
  expect([one.asksForValue(), one.asksForValue(), one.asksForValue()]).toEqual([true, true, false]);
  expect([one.asksForValue({ name: 'two' }), one.asksForValue({ owner: 2 })]).toEqual([true, true]);
  expect([one.asksForValue({ name: 'two' }), one.asksForValue({ owner: 2 })]).toEqual([true, true]);
  expect([one.asksForValue({ name: 'two' }), one.asksForValue({ owner: 2 })]).toEqual([false, false]);
  expect(one.values.get(other.database, keyOf(), () => ({ name: 'of the other' }))).toEqual({
    name: 'of the other',
  });
});

test('kept rows: a row as of another version is read, and is the one that is kept from then on', () => {
  const { asksForValue } = aStore();
  const asked = [1, 1, 1, 2, 2, 1].map((asOf) => asksForValue({ asOf }));
  expect(asked).toEqual([true, true, false, true, false, true]);
});

test('kept rows: a row that was kept is kept again at its next read, once a change has outdated it', () => {
  const store = aStore();
  store.keepValue();
  statement('UPDATE vault_values SET created_at = 1').run(store.database);
  expect([store.asksForValue(), store.asksForValue()]).toEqual([true, false]);
});

test('kept rows: which rows were read is remembered for as many as are kept', () => {
  const { asksForValue } = aStore({ limit: 2 });
  for (const owner of [1, 2, 3]) asksForValue({ owner });
  expect([asksForValue({ owner: 3 }), asksForValue({ owner: 3 })]).toEqual([true, false]);
  expect([asksForValue({ owner: 1 }), asksForValue({ owner: 1 })]).toEqual([true, true]);
});

test.each([
  ['UPDATE entities SET label = NULL WHERE id = 1', true, true],
  ['DELETE FROM entities WHERE id = 1', true, true],
  ['DELETE FROM spaces', true, true],
  ["DELETE FROM vault_values WHERE identifier = 'id.city'", false, true],
  ['UPDATE vault_values SET created_at = 1', false, true],
  ["DELETE FROM access_log WHERE fp_id = 'entities'", false, false],
])('kept rows: %s', (sql, entityGoes, valueGoes) => {
  const store = aStore();
  store.keepEntity();
  store.keepValue();

  statement(sql).run(store.database);

  expect([store.asksForEntity(), store.asksForValue()]).toEqual([entityGoes, valueGoes]);
});

test('kept rows: recognises every form of a change; new rows and queries are no change', () => {
  const both = ['entities', 'vault_values'];
  expect(outdatedBy('UPDATE OR IGNORE entities SET label = NULL')).toEqual(both);
  expect(outdatedBy('INSERT OR REPLACE INTO vault_values VALUES (1)')).toEqual(['vault_values']);
  expect(outdatedBy('WITH old AS (SELECT 1)\n  DELETE\n FROM entities WHERE id IN old RETURNING id')).toEqual(
    both,
  );
  expect(outdatedBy('INSERT INTO entities (id) VALUES (1)')).toEqual([]);
  expect(outdatedBy('SELECT 1 FROM entities')).toEqual([]);
});

test('kept rows: rows read within a transaction are not kept, and no kept row is returned there', () => {
  const { database, asksForValue } = aStore();
  database.exec('BEGIN');
  expect([asksForValue(), asksForValue(), asksForValue()]).toEqual([true, true, true]);
  database.exec('ROLLBACK');
  expect([asksForValue(), asksForValue(), asksForValue()]).toEqual([true, true, false]);
  database.exec('BEGIN');
  expect(asksForValue()).toBe(true);
  database.exec('ROLLBACK');
});

test('kept rows: an absent row is looked for again', () => {
  const { database, values } = aStore();
  for (let read = 0; read < 3; read++) {
    expect(values.get(database, keyOf(), () => undefined)).toBeUndefined();
  }
  expect(values.get(database, keyOf(), () => ({ name: 'new' }))).toEqual({ name: 'new' });
});

test('kept rows: from the first sign of damage everything is read again', () => {
  const store = aStore();
  store.keepValue();
  reportDamage(store.database);
  expect(store.asksForValue()).toBe(true);
});

test('kept rows: an edit that went past the service shows after five seconds', () => {
  const now = vi.spyOn(realTime, 'elapsed');
  onTestFinished(() => now.mockRestore());
  now.mockReturnValue(1_000);
  const { asksForValue, keepValue } = aStore();
  keepValue();
  now.mockReturnValue(5_999);
  expect(asksForValue()).toBe(false);
  now.mockReturnValue(6_000);
  expect(asksForValue()).toBe(true);
});

test('kept rows: no more than the limit are kept, and none that are large', () => {
  const few = aStore({ limit: 2 });
  for (const owner of [1, 2, 3]) few.keepValue({ owner });
  expect([few.asksForValue({ owner: 3 }), few.asksForValue({ owner: 1 })]).toEqual([false, true]);

  const small = aStore({ isSmall: ({ name }) => Number(name.slice('read '.length)) > 2 });
  expect([1, 2, 3, 4, 5].map(() => small.asksForValue())).toEqual([true, true, true, true, false]);
});
