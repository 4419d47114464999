import { expect, test } from 'vitest';
import { createReader, fingerprintedText, sealValue, valueKey } from '../../src/vault/reader.ts';
import type { ValueRow } from '../../src/vault/repository.ts';

const KEY = Uint8Array.from({ length: 32 }, (_, index) => index);
const FP_ID = 'fp_id_jane';

/** Makes a reader over rows of version 1 and counts its lookups. A null stands for a deleted value. */
function aReader(stored: Record<string, string | null>) {
  const counts = { rows: 0, keys: 0 };
  const reader = createReader({
    keyOf(identifier, version) {
      counts.keys += 1;
      return valueKey(KEY, { fp_id: FP_ID, identifier, version });
    },
    findValue(identifier): ValueRow | undefined {
      counts.rows += 1;
      const value = stored[identifier];
      if (value === undefined) return undefined;
      const place = { fp_id: FP_ID, identifier, version: 1 };
      return { version: 1, created_at: 0, sealed: value === null ? null : sealValue(KEY, place, value) };
    },
    fingerprint: (kind, parts) => Buffer.from(`${kind} ${parts.join(' ')}`),
  });
  return { reader, counts };
}

test('read: a value, a deletion and an absence', () => {
  const { reader } = aReader({ 'id.city': 'Ely', 'id.zip': null });
  expect(['id.city', 'id.zip', 'id.state'].map((name) => reader.read(name))).toEqual([
    'Ely',
    undefined,
    undefined,
  ]);
  expect(['id.city', 'id.zip', 'id.state'].map((name) => reader.isStored(name))).toEqual([
    true,
    false,
    false,
  ]);
});

test('read: looks a row up once, and opens it once', () => {
  const { reader, counts } = aReader({ 'id.city': 'Ely' });
  for (let time = 0; time < 3; time++) {
    reader.isStored('id.city');
    reader.read('id.city');
    reader.read('id.state');
  }
  expect(counts).toEqual({ rows: 2, keys: 1 });
});

test('isStored: opens nothing', () => {
  const { reader, counts } = aReader({ 'id.city': 'Ely' });
  expect(reader.isStored('id.city')).toBe(true);
  expect(counts.keys).toBe(0);
});

test('put: what was written reads at once, a deletion too', () => {
  const { reader } = aReader({ 'id.city': 'Ely', 'id.zip': '1' });
  reader.put('id.city', 'Bath');
  reader.put('id.zip', undefined);
  expect(reader.read('id.city')).toBe('Bath');
  expect(reader.isStored('id.zip')).toBe(false);
  expect(reader.read('id.zip')).toBeUndefined();
});

test('resolve: derives from what is stored, also from what was just put', () => {
  const { reader } = aReader({ 'id.ssn9': '078051120' });
  expect(reader.resolve('id.ssn4')).toBe('1120');
  reader.put('id.ssn9', '078051121');
  expect(reader.resolve('id.ssn4')).toBe('1121');
  reader.put('id.ssn9', undefined);
  expect(reader.resolve('id.ssn4')).toBeUndefined();
});

test('resolve: derived fingerprints are made by the space', () => {
  const { reader } = aReader({ 'card.a.number': '4111111111111111' });
  const expected = Buffer.from('card_number 4111111111111111').toString('hex');
  expect(reader.resolve('card.a.fingerprint')).toBe(expected);
});

test('fingerprintedText: gives texts only', () => {
  const { reader } = aReader({ 'id.city': 'Ely' });
  reader.put('custom.n', 5);
  expect(['id.city', 'custom.n', 'id.zip'].map(fingerprintedText(reader))).toEqual([
    'Ely',
    undefined,
    undefined,
  ]);
});
