import { expect, test } from 'vitest';
import type { ServiceError } from '../../../src/kernel/errors.ts';
import { requireKnownIdentifiers } from '../../../src/vault/identifiers/index.ts';

function meantBy(name: string): string | undefined {
  try {
    requireKnownIdentifiers([name]);
  } catch (error) {
    return (error as ServiceError).meant;
  }
  throw new Error(`${name} is an identifier`);
}

test.each([
  ['id.fristname', 'id.first_name'],
  ['first_name', 'id.first_name'],
  ['firstName', 'id.first_name'],
  ['id.firstName', 'id.first_name'],
  ['ID.LAST_NAME', 'id.last_name'],
  ['user.first_name', 'id.first_name'],
  ['id.ssn', 'id.ssn9'],
  ['phone', 'id.phone_number'],
  ['emial', 'id.email'],
  ['id.address_line_1', 'id.address_line1'],
  ['custom', 'custom.<name>'],
  ['card.number', 'card.<alias>.number'],
  ['card.main.nubmer', 'card.<alias>.number'],
  ['document.passport.front', 'document.passport.front.image'],
  ['document.idcard.front.image', 'document.id_card.front.image'],
])('unknown identifier: %s is meant to be %s', (name, meant) => {
  expect(meantBy(name)).toBe(meant);
});

test.each(['', 'x', 'Jane', '219-09-9999', 'jane@example.com', 'toString', '__proto__', 'x'.repeat(60_000)])(
  'unknown identifier: %.20s is near to nothing',
  (name) => {
    expect(meantBy(name)).toBeUndefined();
  },
);

test('unknown identifier: nothing of what was sent is in what was meant', () => {
  for (const name of [
    'card.4242424242424242.nubmer',
    'custom.',
    'bank.219099999.',
    'business.beneficial_owners.Jane.id.emial',
  ]) {
    expect(meantBy(name) ?? '').not.toMatch(/4242|2190|Jane/);
  }
});
