import { expect, test } from 'vitest';
import { openDatabase } from '../../../src/storage/database.ts';
import { createWriteQueue } from '../../../src/storage/writer.ts';
import { ephemeralKeyring } from '../../../src/vault/keyring/index.ts';
import { addEntity, aPlace, entityKey, NOW, run } from './keyring-fixture.ts';

const PEOPLE = Array.from({ length: 10 }, (_, index) => `fp_id_${index}`);

function aStore() {
  const database = openDatabase(':memory:');
  const keyring = ephemeralKeyring(database, NOW);
  const keys = new Map(PEOPLE.map((fpId) => [fpId, addEntity(database, keyring, fpId)]));
  return { database, keyring, keys };
}

test('rotate: adds a version for new entities while entities of the older one still open', () => {
  const { database, keyring, keys } = aStore();
  const log = Buffer.from(keyring.instanceKey('access log'));
  expect(keyring.rotate(database, NOW)).toBe(2);
  expect(keyring.rootKeyVersion).toBe(2);
  const late = addEntity(database, keyring, 'fp_id_late');
  expect(keyring.describe(database)).toMatchObject({
    root_key_version: 2,
    min_root_key_version: 1,
    entities_by_root_key_version: { 1: 10, 2: 1 },
  });
  expect(entityKey(database, keyring, 'fp_id_late')).toEqual(late);
  for (const [fpId, key] of keys) expect(entityKey(database, keyring, fpId)).toEqual(key);
  expect(Buffer.from(keyring.instanceKey('access log'))).toEqual(log);
  expect(database.prepare('SELECT DISTINCT root_key_version FROM instance_keys').pluck().all()).toEqual([2]);
});

test('rewrap: goes in portions, and the older root key leaves when nothing needs it', () => {
  const { database, keyring, keys } = aStore();
  keyring.rotate(database, NOW);
  const before = database.prepare('SELECT sealed_key FROM entities').pluck().all();
  expect([4, 4, 4, 4].map((limit) => keyring.rewrapEntityKeys(database, limit))).toEqual([4, 4, 2, 0]);
  expect(keyring.describe(database)).toMatchObject({
    root_key_version: 2,
    min_root_key_version: 2,
    entities_by_root_key_version: { 2: 10 },
  });
  expect(database.prepare('SELECT version FROM root_keys').pluck().all()).toEqual([2]);
  expect(database.prepare('SELECT sealed_key FROM entities').pluck().all()).not.toEqual(before);
  for (const [fpId, key] of keys) expect(entityKey(database, keyring, fpId)).toEqual(key);
});

test('rewrap: two rotations in a row end on the newest version', () => {
  const { database, keyring, keys } = aStore();
  keyring.rotate(database, NOW);
  keyring.rewrapEntityKeys(database, 5);
  expect(keyring.rotate(database, NOW)).toBe(3);
  expect(keyring.describe(database).entities_by_root_key_version).toEqual({ 1: 5, 2: 5 });
  while (keyring.rewrapEntityKeys(database, 3) > 0);
  expect(keyring.describe(database)).toMatchObject({
    min_root_key_version: 3,
    entities_by_root_key_version: { 3: 10 },
  });
  for (const [fpId, key] of keys) expect(entityKey(database, keyring, fpId)).toEqual(key);
});

test('rewrap: stopped halfway, reopened and continued', async () => {
  const place = aPlace();
  const { keys, fingerprints } = await run(place, {}, ({ database, keyring }) => {
    const keys = new Map(PEOPLE.map((fpId) => [fpId, addEntity(database, keyring, fpId)]));
    keyring.rotate(database, NOW);
    expect(keyring.rewrapEntityKeys(database, 4)).toBe(4);
    return { keys, fingerprints: Buffer.from(keyring.instanceKey('fingerprints')) };
  });
  await run(place, {}, ({ database, keyring }) => {
    expect(keyring.rootKeyVersion).toBe(2);
    expect(keyring.describe(database).entities_by_root_key_version).toEqual({ 1: 6, 2: 4 });
    for (const [fpId, key] of keys) expect(entityKey(database, keyring, fpId)).toEqual(key);
    expect([4, 4, 4].map((limit) => keyring.rewrapEntityKeys(database, limit))).toEqual([4, 2, 0]);
  });
  await run(place, {}, ({ database, keyring }) => {
    expect(keyring.describe(database)).toMatchObject({ root_key_version: 2, min_root_key_version: 2 });
    for (const [fpId, key] of keys) expect(entityKey(database, keyring, fpId)).toEqual(key);
    expect(Buffer.from(keyring.instanceKey('fingerprints'))).toEqual(fingerprints);
  });
});

test('rotate: a job that is rolled back leaves no version behind, in the store or in memory', async () => {
  const place = aPlace();
  const keys = await run(place, {}, async ({ database, keyring }) => {
    const early = addEntity(database, keyring, 'fp_id_early');
    const queue = createWriteQueue(database);
    const failing = queue.write(() => {
      keyring.rotate(database, NOW);
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(keyring.rootKeyVersion).toBe(1);
    const middle = addEntity(database, keyring, 'fp_id_middle');
    expect(await queue.write(() => keyring.rotate(database, NOW))).toBe(2);
    return { early, middle, late: addEntity(database, keyring, 'fp_id_late') };
  });
  await run(place, {}, ({ database, keyring }) => {
    expect(keyring.describe(database).entities_by_root_key_version).toEqual({ 1: 2, 2: 1 });
    for (const [name, key] of Object.entries(keys)) {
      expect(entityKey(database, keyring, `fp_id_${name}`)).toEqual(key);
    }
  });
});

test('rewrap: jobs that are rolled back, also the last one, are done again', async () => {
  const { database, keyring, keys } = aStore();
  const queue = createWriteQueue(database);
  const failAfter = (limit: number) =>
    queue.write(() => {
      keyring.rewrapEntityKeys(database, limit);
      throw new Error('changed my mind');
    });
  keyring.rotate(database, NOW);
  await expect(failAfter(4)).rejects.toThrow('changed my mind');
  while ((await queue.write(() => keyring.rewrapEntityKeys(database, 4))) > 0);
  const ofVersion2 = keyring.sealEntityKey('fp_id_x', new Uint8Array(32).fill(9));
  keyring.rotate(database, NOW);
  while (keyring.describe(database).entities_by_root_key_version[2]) keyring.rewrapEntityKeys(database, 10);
  await expect(failAfter(4)).rejects.toThrow('changed my mind');
  expect(keyring.describe(database)).toMatchObject({ min_root_key_version: 2 });
  expect(keyring.openEntityKey('fp_id_x', ofVersion2)).toEqual(new Uint8Array(32).fill(9));
  expect(await queue.write(() => keyring.rewrapEntityKeys(database, 4))).toBe(0);
  expect(keyring.describe(database)).toMatchObject({
    min_root_key_version: 3,
    entities_by_root_key_version: { 3: 10 },
  });
  for (const [fpId, key] of keys) expect(entityKey(database, keyring, fpId)).toEqual(key);
});

test('rewrap: an entity key that does not open names its entity, and the older root key stays', async () => {
  const { database, keyring } = aStore();
  const queue = createWriteQueue(database);
  database.exec(`UPDATE entities SET sealed_key =
    (SELECT sealed_key FROM entities WHERE fp_id = 'fp_id_1') WHERE fp_id = 'fp_id_7'`);
  keyring.rotate(database, NOW);
  const job = () => queue.write(() => keyring.rewrapEntityKeys(database, 100));
  await expect(job()).rejects.toMatchObject({ code: 'vault_damaged' });
  await expect(job()).rejects.toThrow('fp_id_7');
  expect(keyring.describe(database)).toMatchObject({
    min_root_key_version: 1,
    entities_by_root_key_version: { 1: 10 },
  });
});

test("openEntityKey: another entity's key and an unknown root key version do not open", () => {
  const { keyring } = aStore();
  const sealed = keyring.sealEntityKey('fp_id_a', new Uint8Array(32));
  expect(keyring.openEntityKey('fp_id_a', sealed)).toEqual(new Uint8Array(32));
  const damaged = expect.objectContaining({ code: 'vault_damaged' }) as Error;
  expect(() => keyring.openEntityKey('fp_id_b', sealed)).toThrow(damaged);
  expect(() => keyring.openEntityKey('fp_id_a', { ...sealed, root_key_version: 9 })).toThrow(damaged);
});

test('ephemeral: writes root and instance keys, no slots, and differs from run to run', () => {
  const [one, other] = [aStore(), aStore()];
  expect(one.keyring.describe(one.database)).toMatchObject({ root_key_version: 1, slots: [] });
  expect(one.keyring.instanceKey('access log')).toHaveLength(32);
  expect(one.keyring.instanceKey('access log')).not.toEqual(other.keyring.instanceKey('access log'));
  expect(() => one.keyring.instanceKey('unheard of')).toThrow('INSTANCE_KEY_NAMES');
});
