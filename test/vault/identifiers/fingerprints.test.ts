import { expect, test } from 'vitest';
import {
  fingerprintParts,
  fingerprintSlotsTouchedBy,
  readingOf,
  searchKeys,
} from '../../../src/vault/identifiers/index.ts';
import { words } from '../../support/words.ts';

/** Returns the fingerprints of a vault that holds these values: from kind/slot to parts. */
function fingerprintsOf(stored: Record<string, string>): Record<string, string[]> {
  const derive = { fingerprint: (): string => 'not needed here' };
  const read = (identifier: string): string | undefined => {
    const reading = readingOf(identifier, (name) => Object.hasOwn(stored, name));
    const values = reading?.sources.map((name) => stored[name] ?? '') ?? [];
    return (reading?.compute ? reading.compute(values, derive) : values[0]) as string | undefined;
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

test.each(
  words`
    id_card drivers_license passport passport_card permit visa residence_document voter_identification
    ssn_card proof_of_address
  `,
)('touched slots: the selfie image of %s, and no other of its images', (kind) => {
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
