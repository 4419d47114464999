import { expect, test } from 'vitest';
import type { JsonValue } from '../../../src/kernel/text/json.ts';
import { presentIdentifiers, readingOf } from '../../../src/vault/identifiers/index.ts';
import { AMEX, AN_ITIN, AN_SSN, ROUTING } from './a-vault.ts';
import type { Data } from './a-vault.ts';
import { words } from '../../support/words.ts';

function valueOf(identifier: string, stored: Data): JsonValue | undefined {
  const reading = readingOf(identifier, (name) => Object.hasOwn(stored, name));
  if (reading === undefined) return undefined;
  const values = reading.sources.map((name) => stored[name] ?? null);
  const derive = { fingerprint: (kind: string, parts: readonly string[]) => [kind, ...parts].join('|') };
  return reading.compute ? reading.compute(values, derive) : values[0];
}

test.each<[string, Data, JsonValue | undefined]>([
  ['id.city', { 'id.city': 'Rome' }, 'Rome'],
  ['id.city', {}, undefined],
  ['custom.a', { 'custom.a': [1] }, [1]],
  ['id.ssn9', { 'id.ssn9': AN_SSN }, AN_SSN],
  ['id.ssn4', { 'id.ssn9': AN_SSN }, '1120'],
  ['id.ssn4', { 'id.ssn4': '1234' }, '1234'],
  ['id.ssn4', { 'id.ssn4': '1234', 'id.ssn9': AN_SSN }, '1120'],
  ['id.ssn4', { 'id.itin': AN_ITIN }, undefined],
  ['id.us_tax_id', { 'id.ssn9': AN_SSN }, AN_SSN],
  ['id.us_tax_id', { 'id.itin': AN_ITIN }, AN_ITIN],
  ['id.us_tax_id', { 'id.ssn4': '1234' }, undefined],
  ['card.a.number_last4', { 'card.a.number': AMEX }, '0005'],
  ['card.a.issuer', { 'card.a.number': AMEX }, 'amex'],
  ['card.a.issuer', { 'card.b.number': AMEX }, undefined],
  ['card.a.fingerprint', { 'card.a.number': AMEX }, `card_number|${AMEX}`],
  ['card.a.expiration_month', { 'card.a.expiration': '09/2031' }, '09'],
  ['card.a.expiration_year', { 'card.a.expiration': '09/2031' }, '2031'],
  ['card.a.expiration_year', { 'card.a.number': AMEX }, undefined],
  ['bank.a.fingerprint', { 'bank.a.ach_routing_number': ROUTING }, undefined],
  [
    'bank.a.fingerprint',
    { 'bank.a.ach_account_number': '1234', 'bank.a.ach_routing_number': ROUTING },
    `bank_routing_account|${ROUTING}|1234`,
  ],
  ['document.ssn_card.image', { 'document.ssn_card.front.image': 'aGk=' }, 'aGk='],
  ['document.ssn_card.image', { 'document.ssn_card.back.image': 'aGk=' }, undefined],
  ['id.nope', { 'id.nope': 'x' }, undefined],
])('read %s from %j: %j', (identifier, stored, value) => {
  expect(valueOf(identifier, stored)).toEqual(value);
});

test('read document.mime_type: the content type of the image beside it', () => {
  expect(readingOf('document.visa.back.mime_type', (name) => name === 'document.visa.back.image')).toEqual({
    sources: ['document.visa.back.image'],
    contentTypeOf: true,
  });
  expect(
    readingOf('document.visa.back.mime_type', (name) => name === 'document.visa.front.image'),
  ).toBeUndefined();
});

test('presence: derived identifiers are listed, sorted by name, aliases are not', () => {
  const stored = words`
    id.ssn9 document.ssn_card.front.image card.a.number card.a.cvc bank.a.ach_routing_number custom.z
  `;
  expect(presentIdentifiers(stored)).toEqual(
    words`
    bank.a.ach_routing_number card.a.cvc card.a.fingerprint card.a.issuer card.a.number card.a.number_last4
    custom.z document.ssn_card.front.image document.ssn_card.front.mime_type id.ssn4 id.ssn9 id.us_tax_id
  `,
  );
  expect(presentIdentifiers(['bank.a.ach_account_number', 'bank.a.ach_routing_number'])).toContain(
    'bank.a.fingerprint',
  );
  expect(presentIdentifiers(['id.ssn4'])).toEqual(['id.ssn4']);
  expect(presentIdentifiers(new Set(['id.itin']))).toEqual(['id.itin', 'id.us_tax_id']);
});
