/** The digests of the blind index. Which data share one, and for how long, is in test/nouns/duplicates/. */
import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { createFingerprinter } from '../../src/vault/fingerprints.ts';
import { aStore, fingerprintRows, type Data } from './a-store.ts';

const ROOT = Uint8Array.from({ length: 32 }, (_, index) => index);
const SANDBOX = { tenant: 'default', environment: 'sandbox' };

const PERSON: Data = {
  'id.first_name': 'Jane',
  'id.last_name': 'Doe',
  'id.dob': '1990-01-31',
  'id.ssn9': '078051120',
  'id.email': 'jane@example.com',
  'id.phone_number': '+14155550123',
};

test('fingerprint: is the HMAC of kind 00 part 1F part, under a key of the space', () => {
  const fingerprint = createFingerprinter(ROOT)(SANDBOX);
  // The space's key: HKDF-Expand of the root with the length-prefixed context of docs/architecture.md#vault.
  const key = createHmac('sha256', ROOT).update('5:space7:default7:sandbox\x01').digest();
  const expected = createHmac('sha256', key).update('name_dobname\0jane\x1fdoe\x1f1990-01-31').digest();
  expect(fingerprint('name_dobname', ['jane', 'doe', '1990-01-31'])).toEqual(expected);
});

test('fingerprint: is another in every space, whichever was asked first', () => {
  const of = createFingerprinter(ROOT);
  const digests = ['default', 'acme'].flatMap((tenant) =>
    ['sandbox', 'live'].map((environment) =>
      of({ tenant, environment })('ssn9', ['078051120']).toString('hex'),
    ),
  );
  expect(new Set(digests).size).toBe(4);
});

test('index: holds the first 16 bytes of the fingerprint and nothing of the value', () => {
  const store = aStore();
  store.create(PERSON);
  for (const { digest } of fingerprintRows(store.database)) expect(digest).toMatch(/^[0-9a-f]{32}$/);
});

test('write: an unrelated change leaves the digests as they are', () => {
  const store = aStore();
  const jane = store.create(PERSON);
  const before = fingerprintRows(store.database);
  store.write(jane, { 'id.city': 'Springfield', 'custom.note': 'x' });
  expect(fingerprintRows(store.database)).toEqual(before);
});

test('forget: takes back the digests of one entity and leaves those of another', () => {
  const store = aStore();
  const [jane, twin] = [store.create(PERSON), store.create(PERSON)];
  const ofTwin = fingerprintRows(store.database).filter(({ entity }) => entity === store.entity(twin).id);
  store.vault.forget(store.database, store.entity(jane));
  expect(fingerprintRows(store.database)).toEqual(ofTwin);
  expect(ofTwin).not.toEqual([]);
});

test('write: two cards with the same number are one digest, which stays until both are gone', () => {
  const store = aStore();
  const cards = ['one', 'two'].flatMap((alias) => [
    [`card.${alias}.number`, '4111111111111111'],
    [`card.${alias}.cvc`, '123'],
  ]);
  const jane = store.create(Object.fromEntries(cards) as Data);
  const digests = [fingerprintRows(store.database).length];
  for (const identifier of ['card.one.number', 'card.two.cvc']) {
    store.write(jane, { [identifier]: null });
    digests.push(fingerprintRows(store.database).length);
  }
  expect(digests).toEqual([1, 1, 0]);
});
