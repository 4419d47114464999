import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonValue } from '../../../src/kernel/text/json.ts';
import { maskFile, maskValue } from '../../../src/vault/identifiers/index.ts';
import { words } from '../../support/words.ts';

const OWNERS = [{ first_name: 'Ada', last_name: 'Lovelace', ownership_stake: 50 }];

/** Identifiers that are masked alike, with a value and its mask. */
const MASKED: readonly (readonly [names: string | readonly string[], value: JsonValue, mask: string])[] = [
  [
    words`
      id.first_name id.middle_name id.last_name id.address_line1 document.passport.full_name card.a.name
      business.beneficial_owners.a.id.first_name
    `,
    'Jane Doe',
    'J***',
  ],
  ['id.last_name', '😀oe', '😀***'],
  [['id.dob', 'document.passport.expires_at'], '1988-12-30', '1988-**-**'],
  [
    words`
      id.ssn9 id.itin id.us_tax_id id.phone_number id.drivers_license_number document.passport.document_number
      card.a.number bank.a.ach_account_number business.tin business.phone_number
      business.beneficial_owners.a.id.phone_number
    `,
    '+14155550132',
    '***0132',
  ],
  [words`id.ssn4 card.a.cvc investor_profile.annual_income investor_profile.net_worth`, '1120', '******'],
  [['id.email', 'business.beneficial_owners.a.id.email'], 'jane@example.com', 'j***@example.com'],
  [
    words`
      id.address_line2 id.city id.state id.zip id.country id.nationality id.us_legal_status id.visa_kind
      id.visa_expiration_date id.drivers_license_state investor_profile.employment_status
      investor_profile.occupation document.passport.front.mime_type document.passport.issuing_country
      card.a.expiration card.a.billing_address.zip card.a.billing_address.country card.a.issuer
      bank.a.ach_routing_number bank.a.account_type bank.a.name bank.a.ach_account_id business.name
      business.website business.formation_date
    `,
    'Rome',
    'Rome',
  ],
  ['id.citizenships', ['US', 'DE'], '["US","DE"]'],
  ['investor_profile.declarations', [], '[]'],
  ['investor_profile.family_member_names', ['Ada', 'Bob'], '["A***","B***"]'],
  ['business.beneficial_owners.a.ownership_stake', 33.3, '33.3'],
  [['business.beneficial_owners', 'business.kyced_beneficial_owners'], OWNERS, '<list 1>'],
  [
    words`
      custom.a document.passport.front.image business.beneficial_owner_explanation_message no.such_identifier
    `,
    'secret',
    '<string>',
  ],
  ['custom.a', 7, '<number>'],
  ['custom.a', true, '<boolean>'],
  ['custom.a', [1, 2, 3], '<list 3>'],
  ['custom.a', { a: 1, b: 2 }, '<object 2>'],
  // A malformed value shows no more than a good one would.
  ['id.dob', 'my-secret!', '***'],
  ['id.email', 'not an address', 'n***'],
  ['id.email', 'a@secret@example.com', 'a***'],
  ['id.ssn9', 78051120, '***1120'],
  ['id.ssn9', '1120', '***'],
  ['id.ssn9', ['078051120'], '<list 1>'],
  ['id.first_name', { name: 'Jane' }, '<object 1>'],
  ['id.first_name', '', '***'],
  ['id.first_name', null, '<null>'],
  ['card.a.cvc', { cvc: 123 }, '******'],
];

test.each(
  MASKED.flatMap(([names, value, mask]) => [names].flat().map((name) => [name, value, mask] as const)),
)('mask %s: %j shows as %s', (identifier, value, mask) => {
  expect(maskValue(identifier, value)).toBe(mask);
});

test('mask of a file: type and size', () => {
  expect(maskFile('image/png', 1234)).toBe('<image/png 1234 bytes>');
});

test('mask of the last four: never the whole value, never half a character', () => {
  const unit = fc.constantFrom('a', '1', '-', 'é', '😀');
  fc.assert(
    fc.property(fc.string({ unit, minLength: 1, maxLength: 12 }), (value) => {
      const mask = maskValue('id.ssn9', value);
      expect(mask).not.toBe(`***${value}`);
      expect(mask).toMatch(/^[*a1\-é😀]*$/u);
    }),
  );
});
