import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { COUNTRY_CODES, US_STATE_CODES } from '../../../src/contract/facts/countries.ts';
import { AN_ITIN, AN_SSN, cleaned, refused, written } from './a-vault.ts';
import { CTRY, DATE, DIG, ENUM, ITIN, LEN, LIST, MAIL, SBX, SSN, ST, TEL, ZIP } from './reasons.ts';
import { words } from '../../support/words.ts';

const DATES = [
  'id.dob',
  'id.visa_expiration_date',
  'document.passport.dob',
  'document.passport.expires_at',
  'document.passport.issued_at',
  'business.formation_date',
];

test.each(DATES)('write %s: a real Gregorian date is kept', (name) => {
  for (const day of ['1988-12-30', '2000-02-29', '2024-02-29', '1900-02-28', '0001-01-01', '9999-12-31']) {
    expect(cleaned(name, ` ${day} `)).toBe(day);
  }
});

test.each(DATES)('write %s: anything else is no date', (name) => {
  const bad = words`
    1988-13-01 1988-00-10 1988-04-31 1988-01-00 1900-02-29 2023-02-29 0000-01-01 88-12-30 1988-1-1 12/30/1988
    1988-12-30T00:00:00Z +1988-12-30 １988-12-30 19881230
  `;
  for (const day of bad) expect(refused({ [name]: day })).toEqual({ [name]: DATE });
});

test.each([
  ['078-05-1120', AN_SSN],
  [' 0 7 8 0 5 1 1 2 0', AN_SSN],
  ['000-00-0000', '000000000'],
  ['666000000', '666000000'],
  ['912701234', '912701234'],
])('write id.ssn9: %j is stored as %s', (value, stored) => {
  expect(cleaned('id.ssn9', value)).toBe(stored);
});

test.each([
  ['12345678', LEN],
  ['1234567890', LEN],
  ['- - -', LEN],
  ['07805112x', DIG],
  ['078.05.1120', LEN],
  ['07805112٣', DIG],
  ['07805\u00a0112', DIG],
])('write id.ssn9: %j is refused', (value, reason) => {
  expect(refused({ 'id.ssn9': value })).toEqual({ 'id.ssn9': reason });
});

test('write id.ssn4: exactly four digits, no separators', () => {
  expect(cleaned('id.ssn4', '0001')).toBe('0001');
  expect(refused({ 'id.ssn4': '123' })).toEqual({ 'id.ssn4': LEN });
  expect(refused({ 'id.ssn4': '1-23-4' })).toEqual({ 'id.ssn4': LEN });
  expect(refused({ 'id.ssn4': '12-4' })).toEqual({ 'id.ssn4': DIG });
});

test.each(['50', '65', '70', '88', '90', '92', '94', '99'])(
  'write id.itin: digits four and five may be %s',
  (group) => {
    expect(cleaned('id.itin', `912-${group}-1234`)).toBe(`912${group}1234`);
    expect(written({ 'id.us_tax_id': `912 ${group} 1234` }).set).toEqual({ 'id.itin': `912${group}1234` });
  },
);

test.each(['49', '66', '69', '89', '93', '00'])(
  'write id.itin: digits four and five may not be %s',
  (group) => {
    expect(refused({ 'id.itin': `912${group}1234` })).toEqual({ 'id.itin': ITIN });
    expect(refused({ 'id.us_tax_id': `912${group}1234` })).toEqual({ 'id.us_tax_id': ITIN });
  },
);

test.each(['id.itin', 'id.us_tax_id', 'business.tin'])('write %s: nine digits', (name) => {
  expect(refused({ [name]: '91270123' })).toEqual({ [name]: LEN });
  expect(refused({ [name]: '9127012345' })).toEqual({ [name]: LEN });
  expect(refused({ [name]: '91270123x' })).toEqual({ [name]: DIG });
});

test('write id.itin: the first digit is 9', () => {
  expect(refused({ 'id.itin': '812701234' })).toEqual({ 'id.itin': ITIN });
});

test.each(['000121234', '666121234', '123001234', '123120000'])(
  'write id.us_tax_id: %s has no structure of an SSN',
  (value) => {
    expect(refused({ 'id.us_tax_id': value })).toEqual({ 'id.us_tax_id': SSN });
  },
);

test('write id.us_tax_id: stores its source, never itself', () => {
  expect(written({ 'id.us_tax_id': '078-05-1120' })).toEqual({ set: { 'id.ssn9': AN_SSN }, remove: [] });
  expect(written({ 'id.us_tax_id': '912-70-1234' })).toEqual({ set: { 'id.itin': AN_ITIN }, remove: [] });
});

test.each(['id', 'business'])(
  'write %s.state: a US state is asked for only when the request sets the country to US',
  (family) => {
    const [state, country] = [`${family}.state`, `${family}.country`];
    expect(written({ [state]: 'tx', [country]: ' us ' }).set).toEqual({ [state]: 'TX', [country]: 'US' });
    expect(refused({ [state]: 'Texas', [country]: 'US' })).toEqual({ [state]: ST });
    expect(written({ [state]: 'Ontario', [country]: 'CA' }).set).toEqual({
      [state]: 'Ontario',
      [country]: 'CA',
    });
    expect(written({ [state]: 'Texas' }, { stored: { [country]: 'US' } }).set).toEqual({ [state]: 'Texas' });
    expect(written({ [state]: 'Texas', [country]: null }, { stored: { [country]: 'US' } }).set).toEqual({
      [state]: 'Texas',
    });
    expect(refused({ [state]: 'Texas', [country]: 'USA' })).toEqual({ [country]: CTRY });
  },
);

test('write id.state: every state, territory and military code counts', () => {
  const others = ['DC', 'PR', 'VI', 'GU', 'AS', 'MP', 'AA', 'AE', 'AP'];
  for (const code of others) {
    expect(cleaned('id.drivers_license_state', code.toLowerCase())).toBe(code);
  }
  expect(US_STATE_CODES.size).toBe(50 + others.length);
});

test.each(['id.drivers_license_state', 'business.formation_state'])('write %s: a US state code', (name) => {
  expect(cleaned(name, ' wy ')).toBe('WY');
  for (const bad of ['Wyoming', 'XX', 'W', 'ıl']) expect(refused({ [name]: bad })).toEqual({ [name]: ST });
});

test.each(['id.zip', 'business.zip', 'card.primary.billing_address.zip'])(
  'write %s: letters, digits, blanks, hyphens',
  (name) => {
    expect(cleaned(name, ' SW1A 1AA ')).toBe('SW1A 1AA');
    expect(cleaned(name, '94117-1234')).toBe('94117-1234');
    for (const bad of ['94117_1', '94.117', 'Ä1', '1\u00a02']) {
      expect(refused({ [name]: bad })).toEqual({ [name]: ZIP });
    }
    expect(cleaned(name, '1'.repeat(1023))).toBe('1'.repeat(1023));
    expect(refused({ [name]: '1'.repeat(1024) })).toEqual({ [name]: LEN });
  },
);

const COUNTRIES = words`
    id.country id.nationality card.primary.billing_address.country document.passport.issuing_country
    document.passport.nationality business.country
  `;

test.each(COUNTRIES)('write %s: a country code, stored in upper case', (name) => {
  expect(cleaned(name, ' de ')).toBe('DE');
  for (const bad of ['USA', 'XX', 'XK', 'U', 'EU', '12', 'U S']) {
    expect(refused({ [name]: bad })).toEqual({ [name]: CTRY });
  }
});

test('write id.country: letters that only upper-case into a code are no code', () => {
  expect(refused({ 'id.country': 'ß' })).toEqual({ 'id.country': CTRY });
  expect(refused({ 'id.country': 'ın' })).toEqual({ 'id.country': CTRY });
});

test('country codes: the 249 assigned ones', () => {
  expect(COUNTRY_CODES.size).toBe(249);
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  for (const code of COUNTRY_CODES) expect(names.of(code)).toBeDefined();
  for (const code of ['AC', 'AN', 'CP', 'DG', 'EA', 'EU', 'EZ', 'IC', 'QO', 'TA', 'UK', 'UN', 'XK', 'ZZ']) {
    expect(COUNTRY_CODES).not.toContain(code);
  }
});

test('write id.citizenships: codes in upper case, order kept, repeats dropped', () => {
  expect(cleaned('id.citizenships', ['us', ' DE', 'US', 'fr'])).toEqual(['US', 'DE', 'FR']);
  for (const bad of ['US', 1, {}, ['US', 1], [null], [['US']]]) {
    expect(refused({ 'id.citizenships': bad })).toEqual({ 'id.citizenships': LIST });
  }
  expect(refused({ 'id.citizenships': [] })).toEqual({ 'id.citizenships': LEN });
  for (const bad of [['XX'], ['US', ''], ['usa']]) {
    expect(refused({ 'id.citizenships': bad })).toEqual({ 'id.citizenships': CTRY });
  }
});

const EMAILS = ['id.email', 'business.beneficial_owners.ceo.id.email'];

test.each(EMAILS)('write %s: an address is kept with its case', (name) => {
  const good = [
    'Jane.Doe@Example.com',
    "!#$%&'*+-/=?^_{}~`@example.com",
    'a@b.co',
    `${'l'.repeat(64)}@example.com`,
    `a@${'d'.repeat(63)}.com`,
    'a@x-1.2y.museum',
  ];
  for (const address of good) expect(cleaned(name, ` ${address} `)).toBe(address);
});

test.each(EMAILS)('write %s: what breaks the rule is no address', (name) => {
  const bad = [
    'jane',
    'jane@',
    '@example.com',
    'jane@example',
    'jane@@example.com',
    'a@b@example.com',
    '.jane@example.com',
    'jane.@example.com',
    'ja..ne@example.com',
    'ja ne@example.com',
    '"jane"@example.com',
    'ja|ne@example.com',
    'jané@example.com',
    `${'l'.repeat(65)}@example.com`,
    `a@${'d'.repeat(64)}.com`,
    'a@-b.com',
    'a@b-.com',
    'a@b..com',
    'a@b.com.',
    'a@b.c',
    'a@b.c1',
    'a@b_c.com',
    'a@127.0.0.1',
  ];
  for (const address of bad) expect(refused({ [name]: address })).toEqual({ [name]: MAIL });
});

test('write id.email: at most 254 characters', () => {
  const domain = `${'d'.repeat(63)}.${'e'.repeat(63)}.${'f'.repeat(57)}.com`;
  expect(`${'l'.repeat(64)}@${domain}`).toHaveLength(254);
  expect(cleaned('id.email', `${'l'.repeat(64)}@${domain}`)).toBeDefined();
  expect(refused({ 'id.email': `${'l'.repeat(64)}@e${domain}` })).toEqual({ 'id.email': LEN });
});

test('write id.email: a hostile address is judged at once', () => {
  expect(refused({ 'id.email': 'a'.repeat(120) + '.'.repeat(130) })).toEqual({ 'id.email': MAIL });
});

const PHONES = ['id.phone_number', 'business.phone_number', 'business.beneficial_owners.ceo.id.phone_number'];

test.each(PHONES)('write %s: E.164 without separators', (name) => {
  expect(cleaned(name, '+1 (415) 555-0132')).toBe('+14155550132');
  expect(cleaned(name, '+44.20.7946.0000')).toBe('+442079460000');
  expect(cleaned(name, '+1234567')).toBe('+1234567');
  expect(cleaned(name, '+123456789012345')).toBe('+123456789012345');
  for (const bad of [
    '4155550132',
    '+0155550132',
    '+123456',
    '+1234567890123456',
    '+1415555O132',
    '++14155550132',
    14155550132,
  ]) {
    expect(refused({ [name]: bad })).toEqual({ [name]: TEL });
  }
});

test.each(PHONES)('write %s: the fixture numbers are refused live', (name) => {
  for (const number of ['+15555550100', '+1 555 555 0111']) {
    expect(refused({ [name]: number }, { isLive: true })).toEqual({ [name]: SBX });
    expect(cleaned(name, number)).toBe(number.replaceAll(' ', ''));
  }
  expect(cleaned(name, '+15555550112', { isLive: true })).toBe('+15555550112');
});

test('write id.us_legal_status, id.visa_kind: one of the words, exactly', () => {
  for (const word of ['citizen', 'permanent_resident', 'visa']) {
    expect(cleaned('id.us_legal_status', word)).toBe(word);
  }
  for (const word of ['e1', 'e2', 'e3', 'f1', 'g4', 'h1b', 'l1', 'o1', 'tn1', 'other']) {
    expect(cleaned('id.visa_kind', word)).toBe(word);
  }
  expect(refused({ 'id.us_legal_status': 'Citizen', 'id.visa_kind': 'h1' })).toEqual({
    'id.us_legal_status': ENUM,
    'id.visa_kind': ENUM,
  });
});

const TIME_ZONE_COUNTRIES = '/usr/share/zoneinfo/iso3166.tab';

test.skipIf(!existsSync(TIME_ZONE_COUNTRIES))('country codes: those of the time-zone database', () => {
  const listing = readFileSync(TIME_ZONE_COUNTRIES, 'utf8');
  const codes = listing.split('\n').flatMap((line) => /^[A-Z]{2}(?=\t)/.exec(line) ?? []);
  expect([...COUNTRY_CODES].sort()).toEqual(codes.sort());
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

test.each(['a@münchen.de', 'a@xn--mnchen-3ya.de', 'a@почта.рф', 'a@xn--80a1acny.xn--p1ai', 'A@例え.テスト'])(
  'write id.email: %s has an internationalised domain',
  (address) => expect(cleaned('id.email', address)).toBe(address),
);

test.each([
  'a@mün chen.de',
  ...'a@münchen a@münchen.de/x a@-ü.de a@ü..de a@xn--.de- ü@example.com'.split(' '),
])('write id.email: %s is no address', (address) =>
  expect(refused({ 'id.email': address })).toEqual({ 'id.email': MAIL }),
);
