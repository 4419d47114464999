import { expect, test } from 'vitest';
import {
  fingerprintParts,
  fingerprintSlotsTouchedBy,
  readingOf,
  searchKeys,
} from '../../../src/vault/identifiers/index.ts';

/** Returns the fingerprints of a vault that holds these values: from kind/slot to parts. */
function fingerprintsOf(stored: Record<string, string>): Record<string, string[]> {
  const derive = { fingerprint: (): string => 'not needed here' };
  const read = (identifier: string): string | undefined => {
    const reading = readingOf(identifier, (name) => Object.hasOwn(stored, name));
    const values = reading?.sources.map((name) => stored[name] ?? '') ?? [];
    const value = reading?.compute ? reading.compute(values, derive) : values[0];
    return value as string | undefined;
  };
  const found = fingerprintSlotsTouchedBy(Object.keys(stored)).flatMap((slot) => {
    const parts = fingerprintParts(slot, read);
    return parts === undefined ? [] : [[`${slot.kind}/${slot.slot}`, parts] as const];
  });
  return Object.fromEntries(found);
}

test('fingerprint: single identifiers', () => {
  expect(
    fingerprintsOf({
      'id.itin': '912701234',
      'id.email': 'Jane.Doe@Example.com',
      'id.phone_number': '+14155550132',
      'id.drivers_license_number': 'D 12-345',
      'id.city': 'Rome',
      'custom.a': 'x',
    }),
  ).toEqual({
    'itin/': ['912701234'],
    'email/': ['jane.doe@example.com'],
    'phone_number/': ['+14155550132'],
    'drivers_license_number/': ['D 12-345'],
    'identity_document_number/id': ['D12345', ''],
  });
});

test('fingerprint: combinations of name, birth date and the last four of the SSN', () => {
  const person = { 'id.first_name': 'Ｊane', 'id.last_name': "O'Hara\u00a0  LEE", 'id.dob': '1988-12-30' };
  const name = ['jane', "o'hara lee"];
  expect(fingerprintsOf(person)).toEqual({ 'name_dobname/': [...name, '1988-12-30'] });
  expect(fingerprintsOf({ ...person, 'id.ssn4': '1120' })).toEqual({
    'name_dobname/': [...name, '1988-12-30'],
    'name_ssn4/': [...name, '1120'],
    'dob_ssn4/': ['1988-12-30', '1120'],
  });
  expect(fingerprintsOf({ ...person, 'id.ssn9': '078051120' })).toEqual({
    'ssn9/': ['078051120'],
    'name_dobname/': [...name, '1988-12-30'],
    'name_ssn4/': [...name, '1120'],
    'dob_ssn4/': ['1988-12-30', '1120'],
  });
  expect(fingerprintsOf({ 'id.first_name': 'Jane', 'id.dob': '1988-12-30' })).toEqual({});
});

test('fingerprint: each card and each account of an entity has its own', () => {
  expect(
    fingerprintsOf({
      'card.one.number': '4111111111111111',
      'card.one.cvc': '123',
      'card.two.number': '378282246310005',
      'card.two.cvc': '1234',
      'card.three.number': '4222222222222',
      'card.one.name': 'Jane',
      'bank.a.ach_routing_number': '021000021',
      'bank.a.ach_account_number': '1234',
      'bank.b.ach_account_number': '1234',
    }),
  ).toEqual({
    'card_number_cvc/one': ['4111111111111111', '123'],
    'card_number_cvc/two': ['378282246310005', '1234'],
    'bank_routing_account/a': ['021000021', '1234'],
  });
});

test('fingerprint: identity documents by number, kind and country', () => {
  expect(
    fingerprintsOf({
      'document.passport.document_number': 'x-12 34y',
      'document.passport.issuing_country': 'DE',
      'document.visa.document_number': 'x1234y',
      'document.permit.issuing_country': 'DE',
      'document.id_card.document_number': '- -',
      'id.drivers_license_number': 'd123',
      'id.drivers_license_state': 'TX',
    }),
  ).toEqual({
    'identity_document_number/passport': ['X1234Y', 'passport', 'DE'],
    'identity_document_number/visa': ['X1234Y', 'visa', ''],
    'identity_document_number/id': ['D123', 'TX'],
    'drivers_license_number/': ['d123'],
  });
});

test('fingerprint: a selfie by its file alone, whatever the kind of document', () => {
  const hash = 'c0ffee'.repeat(10);
  expect(
    fingerprintsOf({
      'document.passport.selfie.image': hash,
      'document.visa.selfie.image': hash,
      'document.permit.front.image': hash,
      'document.permit.back.image': hash,
      'document.custom.selfie': hash,
    }),
  ).toEqual({ 'selfie/passport': [hash], 'selfie/visa': [hash] });
});

test.each([
  ...['id_card', 'drivers_license', 'passport', 'passport_card', 'permit', 'visa', 'residence_document'],
  ...['voter_identification', 'ssn_card', 'proof_of_address'],
])('touched slots: the selfie image of %s, and no other of its images', (kind) => {
  const images = ['front', 'back', 'selfie'].map((side) => `document.${kind}.${side}.image`);
  expect(fingerprintSlotsTouchedBy(images)).toEqual([
    { kind: 'selfie', slot: kind, needs: [`document.${kind}.selfie.image`] },
  ]);
});

test('touched slots: each once, only those the change decides over', () => {
  const slots = (names: string[]): string[] =>
    fingerprintSlotsTouchedBy(names)
      .map(({ kind, slot }) => `${kind}/${slot}`)
      .sort();
  expect(slots(['id.first_name', 'id.last_name'])).toEqual(['name_dobname/', 'name_ssn4/']);
  expect(slots(['id.ssn9', 'id.ssn4'])).toEqual(['dob_ssn4/', 'name_ssn4/', 'ssn9/']);
  expect(slots(['id.ssn4'])).toEqual(['dob_ssn4/', 'name_ssn4/']);
  expect(slots(['id.drivers_license_state'])).toEqual(['identity_document_number/id']);
  expect(slots(['card.a.cvc', 'card.a.number', 'card.b.cvc'])).toEqual([
    'card_number_cvc/a',
    'card_number_cvc/b',
  ]);
  expect(
    slots(['id.city', 'custom.a', 'card.a.name', 'card.x', 'document.visa.front.image', 'business.tin']),
  ).toEqual([]);
});

test('slot: says what it needs, derived identifiers included', () => {
  expect(fingerprintSlotsTouchedBy(['card.a.cvc'])).toEqual([
    { kind: 'card_number_cvc', slot: 'a', needs: ['card.a.number', 'card.a.cvc'] },
  ]);
  expect(fingerprintSlotsTouchedBy(['id.ssn4']).find(({ kind }) => kind === 'dob_ssn4')?.needs).toEqual([
    'id.dob',
    'id.ssn4',
  ]);
});

test.each([
  [
    '078-05-1120',
    [
      { kind: 'ssn9', parts: ['078051120'] },
      { kind: 'drivers_license_number', parts: ['078-05-1120'] },
    ],
  ],
  [
    ' 912-70-1234 ',
    [
      { kind: 'ssn9', parts: ['912701234'] },
      { kind: 'itin', parts: ['912701234'] },
      { kind: 'drivers_license_number', parts: ['912-70-1234'] },
    ],
  ],
  [
    'Jane@Example.com',
    [
      { kind: 'email', parts: ['jane@example.com'] },
      { kind: 'drivers_license_number', parts: ['Jane@Example.com'] },
    ],
  ],
  [
    '+1 (415) 555-0132',
    [
      { kind: 'phone_number', parts: ['+14155550132'] },
      { kind: 'drivers_license_number', parts: ['+1 (415) 555-0132'] },
    ],
  ],
  ['  ', []],
  ['a\u0000b', []],
  ['x'.repeat(5000), []],
])('search %j: looked up as everything it could be', (text, keys) => {
  expect(searchKeys(text)).toEqual(keys);
});
