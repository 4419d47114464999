/** The entity keys that stay in memory between requests: which keys they are, and when they are overwritten. */
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/storage/database.ts';
import { createEntityKeys } from '../../src/vault/vault-reads.ts';
import { ephemeralKeyring } from '../../src/vault/keyring/index.ts';
import { valueKey } from '../../src/vault/reader.ts';

const CLEARED = new Uint8Array(32);
const CITY = 'id.city';

function someKeys(limits: { entities?: number; values?: number } = {}) {
  const database = openDatabase(':memory:');
  onTestFinished(() => database.close());
  const keyring = ephemeralKeyring(database, 0);
  /** Makes an entity whose key is this byte, 32 times. */
  const entity = (fp_id: string, byte: number) => ({
    fp_id,
    ...keyring.sealEntityKey(fp_id, new Uint8Array(32).fill(byte)),
  });
  const keyOf = (byte: number, fp_id: string, identifier: string, version: number) =>
    Uint8Array.from(valueKey(new Uint8Array(32).fill(byte), { fp_id, identifier, version }));
  return { keys: createEntityKeys(keyring, limits), entity, keyOf };
}

const bytes = (key: Uint8Array) => Uint8Array.from(key);

test('ofValue: the key of this entity, identifier and version, derived once', () => {
  const { keys, entity, keyOf } = someKeys();
  const [jane, john] = [entity('fp_id_jane', 1), entity('fp_id_john', 2)];
  const first = keys.ofValue(jane, CITY, 1);
  expect(bytes(first)).toEqual(keyOf(1, 'fp_id_jane', CITY, 1));
  expect(keys.ofValue(jane, CITY, 1)).toBe(first);
  expect(bytes(keys.ofValue(jane, CITY, 2))).toEqual(keyOf(1, 'fp_id_jane', CITY, 2));
  expect(bytes(keys.ofValue(jane, CITY, 1))).toEqual(keyOf(1, 'fp_id_jane', CITY, 1));
  expect(bytes(keys.ofValue(jane, 'id.zip', 1))).toEqual(keyOf(1, 'fp_id_jane', 'id.zip', 1));
  expect(bytes(keys.ofValue(john, CITY, 1))).toEqual(keyOf(2, 'fp_id_john', CITY, 1));
});

test('forget: overwrites the key of the entity and those of its values, and of no other', () => {
  const { keys, entity } = someKeys();
  const [jane, john] = [entity('fp_id_jane', 1), entity('fp_id_john', 2)];
  const [own, value, others] = [keys.open(jane), keys.ofValue(jane, CITY, 1), keys.ofValue(john, CITY, 1)];
  const before = bytes(others);
  keys.forget('fp_id_jane');
  expect([bytes(own), bytes(value), bytes(others)]).toEqual([CLEARED, CLEARED, before]);
});

test('forgetAll: overwrites every key', () => {
  const { keys, entity } = someKeys();
  const people = [entity('fp_id_jane', 1), entity('fp_id_john', 2)];
  const all = people.flatMap((each) => [keys.open(each), keys.ofValue(each, CITY, 1)]);
  keys.forgetAll();
  expect(all.map(bytes)).toEqual(all.map(() => CLEARED));
});

test('ofValue: an entity whose row has another key than before has other keys of values', () => {
  const { keys, entity, keyOf } = someKeys();
  const before = keys.ofValue(entity('fp_id_jane', 1), CITY, 1);
  expect(bytes(keys.ofValue(entity('fp_id_jane', 3), CITY, 1))).toEqual(keyOf(3, 'fp_id_jane', CITY, 1));
  expect(bytes(before)).toEqual(CLEARED);
});

test('ofValue: a row with a key that was moved or changed has none', () => {
  const { keys, entity } = someKeys();
  const [jane, john] = [entity('fp_id_jane', 1), entity('fp_id_john', 2)];
  keys.ofValue(jane, CITY, 1);
  const damaged = expect.objectContaining({ code: 'vault_damaged' }) as Error;
  expect(() => keys.ofValue({ ...jane, sealed_key: john.sealed_key }, CITY, 1)).toThrow(damaged);
});

test('ofValue: with the entity that makes room for another go the keys of its values, and both still open', () => {
  const { keys, entity } = someKeys({ entities: 1 });
  const [jane, john] = [entity('fp_id_jane', 1), entity('fp_id_john', 2)];
  const [own, value] = [keys.open(jane), keys.ofValue(jane, CITY, 1)];
  expect(bytes(keys.open(john))).toEqual(new Uint8Array(32).fill(2));
  expect(bytes(value)).toEqual(CLEARED);
  const again = keys.open(jane);
  expect(again).not.toBe(own);
  expect(bytes(again)).toEqual(new Uint8Array(32).fill(1));
});

test('ofValue: one key over the limit overwrites those before it', () => {
  const { keys, entity, keyOf } = someKeys({ values: 2 });
  const jane = entity('fp_id_jane', 1);
  const [one, two] = [keys.ofValue(jane, CITY, 1), keys.ofValue(jane, 'id.zip', 1)];
  const three = keys.ofValue(jane, 'id.state', 1);
  expect([bytes(one), bytes(two)]).toEqual([CLEARED, CLEARED]);
  expect(bytes(three)).toEqual(keyOf(1, 'fp_id_jane', 'id.state', 1));
  expect(bytes(keys.ofValue(jane, CITY, 1))).toEqual(keyOf(1, 'fp_id_jane', CITY, 1));
});
