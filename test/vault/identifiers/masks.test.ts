import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonValue } from '../../../src/kernel/json.ts';
import { maskFile, maskValue } from '../../../src/vault/identifiers/index.ts';
import { VISA } from './a-vault.ts';
import { words } from '../../support/words.ts';

const OWNERS = [{ first_name: 'Ada', last_name: 'Lovelace', ownership_stake: 50 }];

test.each<[string, JsonValue, string]>([
  ['id.first_name', 'Jane', 'J***'],
  ['id.middle_name', 'Quinn', 'Q***'],
  ['id.last_name', '😀oe', '😀***'],
  ['id.dob', '1988-12-30', '1988-**-**'],
  ['id.ssn9', '078051120', '***1120'],
  ['id.ssn4', '1120', '******'],
  ['id.itin', '912701234', '***1234'],
  ['id.us_tax_id', '912701234', '***1234'],
  ['id.address_line1', '1 Main St', '1***'],
  ['id.address_line2', 'Apt 2', 'Apt 2'],
  ['id.city', 'Rome', 'Rome'],
  ['id.state', 'TX', 'TX'],
  ['id.zip', '94117', '94117'],
  ['id.country', 'US', 'US'],
  ['id.nationality', 'US', 'US'],
  ['id.citizenships', ['US', 'DE'], '["US","DE"]'],
  ['id.email', 'jane@example.com', 'j***@example.com'],
  ['id.phone_number', '+14155550132', '***0132'],
  ['id.us_legal_status', 'visa', 'visa'],
  ['id.visa_kind', 'h1b', 'h1b'],
  ['id.visa_expiration_date', '2030-01-01', '2030-01-01'],
  ['id.drivers_license_number', 'D1234567', '***4567'],
  ['id.drivers_license_state', 'TX', 'TX'],
  ['custom.a', 'secret', '<string>'],
  ['custom.a', 7, '<number>'],
  ['custom.a', true, '<boolean>'],
  ['custom.a', [1, 2, 3], '<list 3>'],
  ['custom.a', { a: 1, b: 2 }, '<object 2>'],
  ['investor_profile.employment_status', 'student', 'student'],
  ['investor_profile.occupation', 'Nurse', 'Nurse'],
  ['investor_profile.annual_income', 'le25k', '******'],
  ['investor_profile.net_worth', 'gt5m', '******'],
  ['investor_profile.declarations', [], '[]'],
  ['investor_profile.family_member_names', ['Ada', 'Bob'], '["A***","B***"]'],
  ['document.passport.front.mime_type', 'image/png', 'image/png'],
  ['document.passport.full_name', 'Jane Doe', 'J***'],
  ['document.passport.document_number', 'X1234567', '***4567'],
  ['document.passport.expires_at', '2030-01-01', '2030-**-**'],
  ['document.passport.issuing_country', 'US', 'US'],
  ['document.passport.front.image', 'aGk=', '<string>'],
  ['card.a.number', VISA, '***1111'],
  ['card.a.cvc', '123', '******'],
  ['card.a.expiration', '01/2030', '01/2030'],
  ['card.a.name', 'Jane Doe', 'J***'],
  ['card.a.billing_address.zip', '94117', '94117'],
  ['card.a.billing_address.country', 'US', 'US'],
  ['card.a.issuer', 'visa', 'visa'],
  ['bank.a.ach_routing_number', '021000021', '021000021'],
  ['bank.a.ach_account_number', '123456789', '***6789'],
  ['bank.a.account_type', 'savings', 'savings'],
  ['bank.a.name', 'Salary', 'Salary'],
  ['bank.a.ach_account_id', 'acc_1', 'acc_1'],
  ['business.name', 'Acme', 'Acme'],
  ['business.tin', '123456789', '***6789'],
  ['business.website', 'acme.com', 'acme.com'],
  ['business.phone_number', '+14155550132', '***0132'],
  ['business.formation_date', '2020-01-01', '2020-01-01'],
  ['business.beneficial_owner_explanation_message', 'because', '<string>'],
  ['business.beneficial_owners', OWNERS, '<list 1>'],
  ['business.kyced_beneficial_owners', OWNERS, '<list 1>'],
  ['business.beneficial_owners.a.ownership_stake', 33.3, '33.3'],
  ['business.beneficial_owners.a.id.first_name', 'Ada', 'A***'],
  ['business.beneficial_owners.a.id.email', 'ada@example.com', 'a***@example.com'],
  ['business.beneficial_owners.a.id.phone_number', '+14155550132', '***0132'],
  ['no.such_identifier', 'secret', '<string>'],
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
])('mask %s: %j shows as %s', (identifier, value, mask) => {
  expect(maskValue(identifier, value)).toBe(mask);
});

test('mask of a file: type and size', () => {
  expect(maskFile('image/png', 1234)).toBe('<image/png 1234 bytes>');
});

test('mask: any JSON value of any identifier has one', () => {
  const names = fc.constantFrom(...words`id.first_name id.dob id.email id.ssn9 id.citizenships custom.a x`);
  fc.assert(
    fc.property(
      names,
      fc.jsonValue(),
      (name, value) => typeof maskValue(name, value as JsonValue) === 'string',
    ),
  );
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
