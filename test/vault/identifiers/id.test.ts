/** Rules of identifiers that depend on other values, on the environment, or on lists from elsewhere. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { COUNTRY_CODES, US_STATE_CODES } from '../../../src/contract/facts/countries.ts';
import type { JsonValue } from '../../../src/kernel/text/json.ts';
import { AN_ITIN, AN_SSN, cleaned, refused, written } from './a-vault.ts';
import { CTRY, SBX, ST } from './reasons.ts';

test('write id.us_tax_id: stores its source, never itself', () => {
  expect(written({ 'id.us_tax_id': '078-05-1120' })).toEqual({ set: { 'id.ssn9': AN_SSN }, remove: [] });
  expect(written({ 'id.us_tax_id': '912-70-1234' })).toEqual({ set: { 'id.itin': AN_ITIN }, remove: [] });
  for (const group of ['50', '65', '70', '88', '90', '92', '94', '99']) {
    expect(written({ 'id.us_tax_id': `912 ${group} 1234` }).set).toEqual({ 'id.itin': `912${group}1234` });
  }
});

test.each(['id', 'business'])(
  'write %s.state: a US state is asked for only when the request sets the country to US',
  (family) => {
    const [state, country] = [`${family}.state`, `${family}.country`];
    const inTheUs = { stored: { [country]: 'US' } };
    expect(written({ [state]: 'tx', [country]: ' us ' }).set).toEqual({ [state]: 'TX', [country]: 'US' });
    expect(refused({ [state]: 'Texas', [country]: 'US' })).toEqual({ [state]: ST });
    const abroad = { [state]: 'Ontario', [country]: 'CA' };
    expect(written(abroad).set).toEqual(abroad);
    expect(written({ [state]: 'Texas' }, inTheUs).set).toEqual({ [state]: 'Texas' });
    expect(written({ [state]: 'Texas', [country]: null }, inTheUs).set).toEqual({ [state]: 'Texas' });
    expect(refused({ [state]: 'Texas', [country]: 'USA' })).toEqual({ [country]: CTRY });
  },
);

test('write id.state: every state, territory and military code counts', () => {
  const others = ['DC', 'PR', 'VI', 'GU', 'AS', 'MP', 'AA', 'AE', 'AP'];
  for (const code of others) expect(cleaned('id.drivers_license_state', code.toLowerCase())).toBe(code);
  expect(US_STATE_CODES.size).toBe(50 + others.length);
});

test('country codes: the 249 assigned ones', () => {
  expect(COUNTRY_CODES.size).toBe(249);
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  for (const code of COUNTRY_CODES) expect(names.of(code)).toBeDefined();
  for (const code of ['AC', 'AN', 'CP', 'DG', 'EA', 'EU', 'EZ', 'IC', 'QO', 'TA', 'UK', 'UN', 'XK', 'ZZ']) {
    expect(COUNTRY_CODES).not.toContain(code);
  }
});

const TIME_ZONE_COUNTRIES = '/usr/share/zoneinfo/iso3166.tab';

test.skipIf(!existsSync(TIME_ZONE_COUNTRIES))('country codes: those of the time-zone database', () => {
  const listing = readFileSync(TIME_ZONE_COUNTRIES, 'utf8');
  const codes = listing.split('\n').flatMap((line) => /^[A-Z]{2}(?=\t)/.exec(line) ?? []);
  expect([...COUNTRY_CODES].sort()).toEqual(codes.sort());
});

const inOwner = (phone_number: string) => [
  { first_name: 'A', last_name: 'L', ownership_stake: 1, phone_number },
];

test.each<[name: string, valueOf: (number: string) => JsonValue]>([
  ['id.phone_number', (number) => number],
  ['business.phone_number', (number) => number],
  ['business.beneficial_owners.ceo.id.phone_number', (number) => number],
  ['business.kyced_beneficial_owners', inOwner],
])('write %s: the fixture numbers are refused live', (name, valueOf) => {
  for (const number of ['+15555550100', '+1 555 555 0111']) {
    expect(refused({ [name]: valueOf(number) }, { isLive: true })).toEqual({ [name]: SBX });
    expect(cleaned(name, valueOf(number))).toEqual(valueOf(number.replaceAll(' ', '')));
  }
  expect(cleaned(name, valueOf('+15555550112'), { isLive: true })).toEqual(valueOf('+15555550112'));
});

test.each([
  ['id.phone_number', '+49 30 123456\u202c', 'U+202C at character 14'],
  ['id.phone_number', '+49 30/123456', 'a slash at character 7'],
  ['id.phone_number', '0049 30 123456', 'no + at the beginning'],
  ['id.phone_number', '+1234', 'too few or too many digits'],
  ['id.phone_number', '+1 555 0100 ext 9', 'a letter at character 13'],
  ['id.dob', '31.12.1988', 'a dot at character 3'],
  ['id.dob', '1988 -12-31', 'a blank before the hyphen'],
  ['id.dob', '88-12-31', 'grouped otherwise'],
  ['id.dob', '1988-02-30', 'no such day'],
  ['card.a.expiration', '01 /30', 'MM/YY, MM/YYYY, MM-YY or MM-YYYY; found a blank before the slash'],
  ['card.a.expiration', '01/ 30', 'a blank behind the slash'],
  ['card.a.expiration', '0130', 'the digits grouped otherwise'],
  ['card.a.expiration', '13/30', 'a month that is none'],
  ['card.a.expiration', '01\u201330', 'U+2013 at character 3'],
])('write %s: the reason names what is found in %j', (name, value, found) => {
  expect(refused({ [name]: value })[name]).toContain(found);
});
