import { describe, expect, test } from 'vitest';
import { inputTraits, readValue, shownAs } from '../../src/form/inputs.ts';
import { words } from '../support/words.ts';

describe('inputTraits', () => {
  test.each([
    ['id.first_name', 'text'],
    ['id.dob', 'date'],
    ['id.visa_expiration_date', 'date'],
    ['document.passport.expires_at', 'date'],
    ['business.formation_date', 'date'],
    ['id.email', 'email'],
    ['id.phone_number', 'tel'],
    ['business.phone_number', 'tel'],
    ['business.beneficial_owners.first.id.email', 'email'],
    ['business.beneficial_owners.first.ownership_stake', 'number'],
    ['business.kyced_beneficial_owners', 'json'],
    ['id.citizenships', 'list'],
    ['investor_profile.funding_sources', 'list'],
    ['document.passport.front.image', 'file'],
    ['document.ssn_card.image', 'file'],
    ['document.custom.lease', 'file'],
    ['document.finra_compliance_letter', 'file'],
    ['document.passport.document_number', 'text'],
    ['custom.dob', 'text'],
    ['custom.ownership_stake', 'text'],
  ])('inputTraits: %s is typed as %s', (identifier, type) => {
    expect(inputTraits(identifier).type).toBe(type);
  });

  test.each(words`
    id.ssn9 id.ssn4 id.itin business.tin card.main.number card.main.cvc
    bank.main.ach_routing_number bank.main.ach_account_number
  `)('inputTraits: %s has a keyboard of digits and is never filled in', (identifier) => {
    expect(inputTraits(identifier)).toMatchObject({ inputMode: 'numeric', autocomplete: 'off' });
  });

  test('inputTraits: what is about the person may be filled in', () => {
    expect(inputTraits('id.dob').autocomplete).toBe('bday');
    expect(inputTraits('id.email').autocomplete).toBe('email');
    expect(inputTraits('business.beneficial_owners.first.id.email').autocomplete).toBe('off');
  });

  test('inputTraits: files are offered by the content types that the service takes', () => {
    expect(inputTraits('document.visa.back.image').accept).toBe('image/*,application/pdf');
    expect(inputTraits('document.finra_compliance_letter').accept).toBe('application/pdf');
    expect(inputTraits('document.custom.lease').accept).toBeUndefined();
  });

  test('inputTraits: a given type overrules the own one, its hint included', () => {
    expect(inputTraits('custom.plan', 'json')).toMatchObject({ type: 'json', hint: 'JSON' });
    expect(inputTraits('custom.scan', 'file')).not.toHaveProperty('accept');
    expect(inputTraits('id.phone_number', 'text')).not.toHaveProperty('hint');
  });
});

describe('readValue', () => {
  test.each([
    ['text', ' as typed ', ' as typed '],
    ['date', '1990-02-30', '1990-02-30'],
    ['list', 'US, de ,,FR', ['US', 'de', 'FR']],
    ['number', '12.5', 12.5],
    ['number', 'a quarter', 'a quarter'],
    ['number', ' ', ' '],
    ['json', '{"tier":"gold"}', { tier: 'gold' }],
    ['json', 'false', false],
    ['json', '{tier}', undefined],
  ])('readValue: %s reads %j as %j', (type, text, value) => {
    expect(readValue(type, text)).toEqual(value);
  });
});

const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64');
const SVG = base64('<svg xmlns="http://www.w3.org/2000/svg"/>');
const picture = (type: string, content: string) => ({
  kind: 'picture',
  url: `data:${type};base64,${base64(content)}`,
});

test.each([
  ['absent data is nothing', 'id.first_name', null, { kind: 'nothing' }],
  ['text is text', 'id.first_name', '<b>Ada</b>', { kind: 'text', text: '<b>Ada</b>' }],
  ['other values are their JSON', 'custom.plan', { seats: 2 }, { kind: 'text', text: '{"seats":2}' }],
  ['other values are their JSON', 'custom.flag', false, { kind: 'text', text: 'false' }],
  ['a file is its picture', 'document.visa.front.image', '\x89PNG\r\n\x1a\n\0', 'image/png'],
  ['a file is its picture', 'document.visa.front.image', '\xff\xd8\xff\xe0\0', 'image/jpeg'],
  ['a file is its picture', 'document.visa.front.image', 'GIF89a', 'image/gif'],
  ['a file is its picture', 'document.visa.front.image', 'RIFF----WEBP', 'image/webp'],
  [
    'a file that is no picture is a file, markup too',
    'document.custom.lease',
    SVG,
    { kind: 'file', base64: SVG },
  ],
  [
    'what begins as a picture is text where no file belongs',
    'custom.note',
    '/9j/',
    { kind: 'text', text: '/9j/' },
  ],
])('shownAs: %s: %s, %j', (_, identifier, value, shown) => {
  if (typeof shown === 'string' && typeof value === 'string')
    expect(shownAs(identifier, base64(value))).toEqual(picture(shown, value));
  else expect(shownAs(identifier, value)).toEqual(shown);
});
