import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../src/kernel/json.ts';
import { cleaned, refused } from './a-vault.ts';
import { CTRL, LEN, STR } from './reasons.ts';
import { words } from '../../support/words.ts';

const LONG_TEXT = words`
  id.first_name id.middle_name id.last_name id.address_line1 id.address_line2 id.city id.state
  investor_profile.occupation investor_profile.employer investor_profile.brokerage_firm_employer
  investor_profile.political_organization business.name business.dba business.address_line1
  business.address_line2 business.city business.state business.beneficial_owner_explanation_message
  business.beneficial_owners.ceo.id.first_name business.beneficial_owners.ceo.id.last_name
`;
const SHORT_TEXT = words`
  id.drivers_license_number document.passport.full_name document.id_card.first_name document.id_card.last_name
  document.visa.gender document.permit.full_address document.passport_card.address_line1
  document.residence_document.city document.voter_identification.state document.ssn_card.postal_code
  document.proof_of_address.document_number document.drivers_license.issuing_state
  document.drivers_license.us_issuing_state document.id_card.ref_number document.voter_identification.curp
  document.voter_identification.clave_de_elector document.id_card.classified_document_type
  document.id_card.curp_validation_response card.primary.name bank.salary.name bank.salary.ach_account_id
`;

describe.each([
  ['text', LONG_TEXT, 1023],
  ['short text', SHORT_TEXT, 199],
])('%s', (_, names, limit) => {
  test.each(names)('write %s: text up to the limit in bytes is kept', (name) => {
    expect(cleaned(name, 'Ada Lovelace')).toBe('Ada Lovelace');
    expect(cleaned(name, 'x'.repeat(limit))).toBe('x'.repeat(limit));
    expect(refused({ [name]: 'x'.repeat(limit + 1) })).toEqual({ [name]: LEN });
    expect(refused({ [name]: '😀'.repeat(Math.ceil((limit + 1) / 4)) })).toEqual({ [name]: LEN });
    expect(cleaned(name, '😀'.repeat(Math.floor(limit / 4)))).toBe('😀'.repeat(Math.floor(limit / 4)));
  });
});

test('write: outer white space goes, inner stays', () => {
  expect(cleaned('id.city', ' \t San  Juan \n')).toBe('San  Juan');
});

test('write: trimming comes before the length and control checks', () => {
  expect(cleaned('id.city', ' '.repeat(2000) + 'Rome\r\n')).toBe('Rome');
});

test.each(['a\u0000b', 'a\nb', 'a\u001fb', 'a\u007fb'])('write: %j holds a control character', (value) => {
  expect(refused({ 'id.city': value })).toEqual({ 'id.city': CTRL });
});

test('write: U+0080 and up are no control characters here', () => {
  expect(cleaned('id.city', 'a\u0085b')).toBe('a\u0085b');
});

/** One identifier of every kind of text rule. All kinds apply the common rules first. */
const EVERY_TEXT_RULE = words`
  id.first_name id.dob id.ssn9 id.ssn4 id.itin id.us_tax_id id.state id.zip id.country id.email id.phone_number
  id.us_legal_status id.drivers_license_state investor_profile.net_worth document.visa.issued_at
  card.primary.number card.primary.cvc card.primary.expiration bank.salary.ach_routing_number
  bank.salary.ach_account_number bank.salary.account_type business.tin business.website business.phone_number
  business.corporation_type
`;

test.each(EVERY_TEXT_RULE)('write %s: what is no string or exact integer must be a string', (name) => {
  const values: JsonValue[] = [true, false, 1.5, 2 ** 53, -(2 ** 53), Infinity, [], ['a'], {}, { a: 1 }];
  for (const value of values) expect(refused({ [name]: value })).toEqual({ [name]: STR });
});

test.each(EVERY_TEXT_RULE)('write %s: control characters before all else but the type', (name) => {
  expect(refused({ [name]: '12\u000134' })).toEqual({ [name]: CTRL });
});

test.each(EVERY_TEXT_RULE)('write %s: empty after trimming is a wrong length', (name) => {
  expect(refused({ [name]: '' })).toEqual({ [name]: LEN });
  expect(refused({ [name]: ' \t\u3000 ' })).toEqual({ [name]: LEN });
});

test('write: an exact integer becomes its decimal text', () => {
  expect(cleaned('id.ssn4', 1234)).toBe('1234');
  expect(cleaned('id.zip', -5)).toBe('-5');
  expect(cleaned('id.city', 2 ** 53 - 1)).toBe('9007199254740991');
  expect(cleaned('card.primary.cvc', 123)).toBe('123');
});
