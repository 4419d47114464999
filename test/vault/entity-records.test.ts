import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createEntityRecords, type RecordPlace } from '../../src/vault/entity-records.ts';
import { derivedKey, open } from '../../src/vault/envelope.ts';

const KEY = Uint8Array.from({ length: 32 }, (_, index) => index);
const OTHER_KEY = Uint8Array.from(KEY, (byte) => byte + 1);
const FP_ID = 'fp_id_one';
const TEXT = '{"amount":"1200.00","description":"Rent"}';
const PLACE: RecordPlace = ['bank transaction', 'link_1', 'txn_1'];

const records = createEntityRecords(KEY, FP_ID);
const damaged = expect.objectContaining({ code: 'vault_damaged' }) as Error;

test('entity records: any text comes back at its place', () => {
  const anyPlace = fc
    .array(fc.string({ maxLength: 30 }), { maxLength: 3 })
    .map((ids) => ['bank transaction', ...ids] as const);
  fc.assert(
    fc.property(anyPlace, fc.string({ unit: 'grapheme', maxLength: 600 }), (place, text) => {
      expect(records.open(place, records.seal(place, text))).toBe(text);
    }),
  );
});

const ELSEWHERE: [what: string, place: RecordPlace][] = [
  ['another row', ['bank transaction', 'link_1', 'txn_2']],
  ['another link', ['bank transaction', 'link_2', 'txn_1']],
  ['another kind', ['bank account', 'link_1', 'txn_1']],
  ['the link itself', ['bank link', 'link_1']],
  ['fewer ids', ['bank transaction', 'link_1']],
  ['more ids', ['bank transaction', 'link_1', 'txn_1', '']],
  ['the ids in another order', ['bank transaction', 'txn_1', 'link_1']],
  ['ids that are the same in one piece', ['bank transaction', 'link_1txn_1']],
  ['ids that are the same with a colon between them', ['bank transaction', 'link_1:txn_1']],
  ['ids that are the same when cut elsewhere', ['bank transaction', 'link_1t', 'xn_1']],
];

test.each(ELSEWHERE)('entity records: a box does not open at the place of %s', (_what, place) => {
  const box = records.seal(PLACE, TEXT);
  expect(() => records.open(place, box)).toThrow(damaged);
  expect(() => records.open(PLACE, records.seal(place, TEXT))).toThrow(damaged);
});

test('entity records: a box does not open for another entity, nor under another key', () => {
  const box = records.seal(PLACE, TEXT);
  expect(() => createEntityRecords(KEY, 'fp_id_two').open(PLACE, box)).toThrow(damaged);
  expect(() => createEntityRecords(OTHER_KEY, FP_ID).open(PLACE, box)).toThrow(damaged);
  expect(createEntityRecords(KEY, FP_ID).open(PLACE, box)).toBe(TEXT);
});

test('entity records: a box opens under no key of a value of the vault', () => {
  const box = records.seal(PLACE, TEXT);
  for (const key of [
    KEY,
    derivedKey(KEY, FP_ID, ...PLACE),
    derivedKey(KEY, ...PLACE),
    derivedKey(KEY, 'record', FP_ID),
  ]) {
    expect(() => open(key, box)).toThrow(damaged);
  }
});
