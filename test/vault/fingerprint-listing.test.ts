/** Blind indexes that are in the row of their entity only, until many are listed in the table together. */
import { removeDebris } from '../../src/storage/debris.ts';
import { expect, test, vi } from 'vitest';
import { listOthersByFingerprint } from '../../src/nouns/duplicates/service.ts';
import { createWriteQueue } from '../../src/storage/writer.ts';
import { createFingerprintListing, listedUpTo, listMore } from '../../src/vault/fingerprints.ts';
import { aStore, fingerprintRows } from './a-store.ts';
import { fakeTimers } from '../support/fake-timers.ts';

const SANDBOX = { tenant: 'default', environment: 'sandbox' };
const UNLISTED = { isListed: false };
const JANE = { 'id.ssn9': '078051120', 'id.email': 'jane@example.com' };

type Store = ReturnType<typeof aStore>;

function found(store: Store, text: string): string[] {
  return store.vault.search(store.database, SANDBOX, text).found.map((row) => nameOf(store, row));
}

function nameOf({ database }: Store, row: number): string {
  return database.prepare('SELECT fp_id FROM entities WHERE id = ?').pluck().get(row) as string;
}

function remove(store: Store, fpId: string): void {
  const entity = store.entity(fpId);
  store.vault.forget(store.database, entity);
  store.database.prepare('DELETE FROM entities WHERE id = ?').run(entity.id);
}

/** The table must hold the rows that it should hold according to the entities, and at least so many. */
function expectListed({ database }: Store, atLeast = 0): void {
  const entities = database.prepare('SELECT id, fingerprints FROM entities').raw().all();
  const wanted = (entities as [number, string][]).flatMap(([entity, text]) => {
    const digests = new Set(Object.values(JSON.parse(text) as Record<string, string>));
    return [...digests].map((digest) => ({ digest, entity }));
  });
  const byKey = (one: { digest: string; entity: number }) => `${one.digest} ${one.entity}`;
  const held = fingerprintRows(database).map(byKey);
  expect(held.length).toBeGreaterThanOrEqual(atLeast);
  expect(held).toEqual(wanted.map(byKey).sort());
}

test('create: is found before it is listed, and once only after it', () => {
  const store = aStore();
  const jane = store.create(JANE, UNLISTED);
  expect(fingerprintRows(store.database)).toEqual([]);
  expect(found(store, '078051120')).toEqual([jane]);

  listMore(store.database, 100);

  expectListed(store, 2);
  expect(found(store, '078051120')).toEqual([jane]);
});

test('listing: no more rows at a time than are asked for, the rest later, and all are found meanwhile', () => {
  const store = aStore();
  const people = [1, 2, 3, 4, 5].map((count) =>
    store.create({ 'id.email': `p${count}@example.com` }, UNLISTED),
  );
  const listedRows = () => new Set(fingerprintRows(store.database).map(({ entity }) => entity)).size;
  const steps = [];
  for (let step = 0; step < 4; step++) {
    const isDone = listMore(store.database, 2);
    steps.push([isDone, listedUpTo(store.database), listedRows()]);
    for (const [index, fpId] of people.entries()) {
      expect(found(store, `p${index + 1}@example.com`)).toEqual([fpId]);
    }
  }
  expect(steps).toEqual([
    [false, 2, 2],
    [false, 4, 4],
    [true, 5, 5],
    [true, 5, 5],
  ]);
});

test('listing: a row whose list is no list is reported as damage', () => {
  const store = aStore();
  const id = store.create(JANE, UNLISTED);
  store.database.prepare("UPDATE entities SET fingerprints = '{' || fingerprints WHERE fp_id = ?").run(id);

  expect(() => listMore(store.database, 100)).toThrow(expect.objectContaining({ code: 'vault_damaged' }));
});

test('create: those that are listed and those that are not are found together', () => {
  const store = aStore();
  const jane = store.create(JANE);
  const twin = store.create(JANE, UNLISTED);
  expect(found(store, 'jane@example.com').sort()).toEqual([jane, twin]);
});

test('write: what an entity does not hold any more is not found, whether it was listed or not', () => {
  const store = aStore();
  const jane = store.create(JANE, UNLISTED);
  store.write(jane, { 'id.email': 'jane.doe@example.com' });
  expect(found(store, 'jane@example.com')).toEqual([]);
  expect(found(store, 'jane.doe@example.com')).toEqual([jane]);

  listMore(store.database, 100);

  expectListed(store);
  expect(found(store, 'jane@example.com')).toEqual([]);
});

test('delete: nothing of an entity is listed after it', () => {
  const store = aStore();
  remove(store, store.create(JANE, UNLISTED));
  expect(found(store, '078051120')).toEqual([]);
  listMore(store.database, 100);
  expect(fingerprintRows(store.database)).toEqual([]);
});

test('create: a row id that was listed before and is given again is listed at once', () => {
  const store = aStore();
  store.create({ 'id.email': 'other@example.com' });
  remove(store, store.create({ 'id.email': 'gone@example.com' }));
  // Its values are gone, so its row id is free.
  removeDebris(store.database);
  const upTo = listedUpTo(store.database);

  const jane = store.create(JANE, UNLISTED);

  expect(store.entity(jane).id).toBe(upTo);
  expect(found(store, '078051120')).toEqual([jane]);
  expectListed(store);
});

test('reset: whoever comes after it is found', () => {
  const store = aStore();
  store.create({ 'id.email': 'other@example.com' });
  store.vault.forgetAll(store.database);
  store.database.exec('DELETE FROM entities');
  const jane = store.create(JANE, UNLISTED);
  expect(fingerprintRows(store.database)).toEqual([]);
  expect(found(store, '078051120')).toEqual([jane]);
});

test('duplicates: newest first, listed or not, within the limit, of the same space only', () => {
  const store = aStore();
  const jane = store.create(JANE);
  const listed = [store.create(JANE), store.create(JANE)];
  store.create(JANE, { environment: 'live', isListed: false });
  store.create({ 'business.name': 'Jane Inc.' }, { kind: 'business', isListed: false });
  const unlisted = store.create(JANE, UNLISTED);
  const { id, fingerprints } = store.entity(jane);
  const space = store.database.prepare('SELECT space FROM entities WHERE id = ?').pluck().get(id) as number;
  const digest = Buffer.from((JSON.parse(fingerprints) as { ssn9: string }).ssn9, 'hex');

  const list = (limit: number) =>
    listOthersByFingerprint(store.database, { id, space }, { digest, limit }).map(({ fp_id }) => fp_id);

  expect(list(10)).toEqual([unlisted, ...listed.toReversed()]);
  expect(list(2)).toEqual([unlisted, listed[1]]);
});

test('listing: waits for a moment without creations', async () => {
  fakeTimers('setTimeout', 'clearTimeout');
  const store = aStore();
  const queue = createWriteQueue(store.database);
  const listing = createFingerprintListing(queue);
  store.create(JANE, UNLISTED);
  listing.created();
  vi.advanceTimersByTime(100);
  listing.created();
  await queue.write(() => undefined);
  expect(fingerprintRows(store.database)).toEqual([]);

  vi.advanceTimersByTime(300);
  await queue.write(() => undefined);

  expectListed(store);
  queue.close();
});

test('listing: begins at once when enough wait, and lists all of them', async () => {
  const store = aStore();
  const queue = createWriteQueue(store.database);
  const listing = createFingerprintListing(queue);
  for (let count = 0; count < 1_030; count++) store.create({ 'id.email': `p${count}@example.com` }, UNLISTED);
  await queue.write(() => {
    for (let count = 0; count < 1_024; count++) listing.created();
  });
  await expect.poll(() => listedUpTo(store.database)).toBe(1_030);
  expectListed(store);
  queue.close();
});

test('listing: what still waits is in the last commit of the queue', () => {
  const store = aStore();
  const queue = createWriteQueue(store.database);
  createFingerprintListing(queue);
  store.create(JANE, UNLISTED);
  queue.close();
  expectListed(store, 2);
});

test('listing: one that fails loses nothing, and a later one lists it', async () => {
  const store = aStore();
  const queue = createWriteQueue(store.database);
  createFingerprintListing(queue);
  const jane = store.create(JANE, UNLISTED);
  store.database.exec(
    "CREATE TRIGGER refusal BEFORE INSERT ON fingerprints BEGIN SELECT RAISE(ABORT, 'no'); END",
  );
  await expect(queue.write((database) => listMore(database, 100))).rejects.toThrow('no');
  expect(found(store, '078051120')).toEqual([jane]);

  store.database.exec('DROP TRIGGER refusal');
  queue.close();

  expectListed(store);
});
