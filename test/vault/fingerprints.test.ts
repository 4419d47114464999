import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { createFingerprinter } from '../../src/vault/fingerprints.ts';
import { aStore, fingerprintRows, type Data } from './a-store.ts';

const ROOT = Uint8Array.from({ length: 32 }, (_, index) => index);
const SANDBOX = { tenant: 'default', environment: 'sandbox' };

const SSN = '078051120';
const PERSON: Data = {
  'id.first_name': 'Jane',
  'id.last_name': 'Doe',
  'id.dob': '1990-01-31',
  'id.ssn9': SSN,
  'id.email': 'jane@example.com',
  'id.phone_number': '+14155550123',
};

/** Returns the digests of one entity. */
function digestsOf(store: ReturnType<typeof aStore>, fpId: string): string[] {
  const { id } = store.entity(fpId);
  return fingerprintRows(store.database)
    .filter(({ entity }) => entity === id)
    .map(({ digest }) => digest);
}

/** Counts the digests that two entities share. */
function sharedBy(store: ReturnType<typeof aStore>, one: string, other: string): number {
  const others = new Set(digestsOf(store, other));
  return digestsOf(store, one).filter((digest) => others.has(digest)).length;
}

/** Returns the row ids of the entities that a search for the text finds. */
function found(store: ReturnType<typeof aStore>, text: string, space = SANDBOX): number[] {
  return store.vault.search(store.database, space, text).found;
}

test('fingerprint: is the HMAC of kind 00 part 1F part, under a key of the space', () => {
  const fingerprint = createFingerprinter(ROOT)(SANDBOX);
  // The space's key: HKDF-Expand of the root with the length-prefixed context of docs/architecture.md#vault.
  const key = createHmac('sha256', ROOT).update('5:space7:default7:sandbox\x01').digest();
  const expected = createHmac('sha256', key).update('name_dobname\0jane\x1fdoe\x1f1990-01-31').digest();
  expect(fingerprint('name_dobname', ['jane', 'doe', '1990-01-31'])).toEqual(expected);
});

test('fingerprint: equal in one space, different in another, by kind and by part', () => {
  const of = createFingerprinter(ROOT);
  const base = of(SANDBOX)('ssn9', [SSN]).toString('hex');
  expect(of({ ...SANDBOX })('ssn9', [SSN]).toString('hex')).toBe(base);
  const others = [
    of({ tenant: 'default', environment: 'live' })('ssn9', [SSN]),
    of({ tenant: 'acme', environment: 'sandbox' })('ssn9', [SSN]),
    of(SANDBOX)('itin', [SSN]),
    of(SANDBOX)('ssn9', ['078051121']),
    of(SANDBOX)('ssn9', [SSN, '']),
    createFingerprinter(Uint8Array.from(ROOT, (byte) => byte ^ 1))(SANDBOX)('ssn9', [SSN]),
  ].map((digest) => digest.toString('hex'));
  expect(new Set([base, ...others]).size).toBe(others.length + 1);
});

test('create: two people with the same data share every digest in one space, none across', () => {
  const store = aStore();
  const [jane, twin] = [store.create(PERSON), store.create(PERSON)];
  expect(digestsOf(store, jane).length).toBeGreaterThanOrEqual(6);
  expect(sharedBy(store, jane, twin)).toBe(digestsOf(store, jane).length);
  for (const space of [{ environment: 'live' as const }, { tenant: 'acme' }]) {
    expect(sharedBy(store, jane, store.create(PERSON, space))).toBe(0);
  }
});

test('index: holds the first 16 bytes of the fingerprint and nothing of the value', () => {
  const store = aStore();
  store.create(PERSON);
  for (const { digest } of fingerprintRows(store.database)) expect(digest).toMatch(/^[0-9a-f]{32}$/);
});

test('write: a change takes the old digest back and adds the new', () => {
  const store = aStore();
  const [jane, twin] = [store.create(PERSON), store.create(PERSON)];
  const before = digestsOf(store, jane).length;
  store.write(jane, { 'id.email': 'other@example.com' });
  expect(digestsOf(store, jane)).toHaveLength(before);
  expect(sharedBy(store, jane, twin)).toBe(before - 1);
  expect(found(store, 'jane@example.com')).toEqual([store.entity(twin).id]);
  store.write(jane, { 'id.email': 'jane@example.com' });
  expect(sharedBy(store, jane, twin)).toBe(before);
});

test('write: a deletion takes back every digest that the value was part of, and only these', () => {
  const store = aStore();
  const jane = store.create(PERSON);
  const other = store.create({ 'id.email': 'jane@example.com' });
  store.write(jane, { 'id.ssn9': null });
  // The digests of the e-mail, the phone number, and the name with the date of birth stay.
  expect(digestsOf(store, jane)).toHaveLength(3);
  expect(found(store, SSN)).toEqual([]);
  store.write(jane, { 'id.first_name': null, 'id.phone_number': null });
  expect(digestsOf(store, jane)).toHaveLength(1);
  expect(sharedBy(store, jane, other)).toBe(1);
});

test('write: an unrelated change leaves the digests as they are', () => {
  const store = aStore();
  const jane = store.create(PERSON);
  const before = fingerprintRows(store.database);
  store.write(jane, { 'id.city': 'Springfield', 'custom.note': 'x' });
  expect(fingerprintRows(store.database)).toEqual(before);
});

test('write: two cards with the same number are one digest, which stays until both are gone', () => {
  const store = aStore();
  const card = { number: '4111111111111111', cvc: '123' };
  const data = (alias: string, value: Record<string, string | null>) =>
    Object.fromEntries(Object.entries(value).map(([field, each]) => [`card.${alias}.${field}`, each]));
  const jane = store.create({ ...data('one', card), ...data('two', card) });
  expect(digestsOf(store, jane)).toHaveLength(1);
  store.write(jane, data('one', { number: null }));
  expect(digestsOf(store, jane)).toHaveLength(1);
  store.write(jane, data('two', { cvc: null }));
  expect(digestsOf(store, jane)).toHaveLength(0);
});

test('remove: takes the digests back, with purge and without', () => {
  for (const purge of [false, true]) {
    const store = aStore();
    const jane = store.create(PERSON);
    store.vault.remove(store.database, store.entity(jane), { fields: 'all', purge });
    expect(fingerprintRows(store.database)).toEqual([]);
  }
});

test('forget: takes back the digests of one entity and leaves those of another', () => {
  const store = aStore();
  const [jane, twin] = [store.create(PERSON), store.create(PERSON)];
  const before = digestsOf(store, twin);
  store.vault.forget(store.database, store.entity(jane));
  expect(digestsOf(store, jane)).toEqual([]);
  expect(digestsOf(store, twin)).toEqual(before);
});
