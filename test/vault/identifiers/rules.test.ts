/** The rules of identifiers (contract §1): what each keeps as sent, cleans, and refuses for which reason. */
import { expect, test } from 'vitest';
import type { JsonValue } from '../../../src/kernel/text/json.ts';
import { words } from '../../support/words.ts';
import { AN_ITIN, AN_SSN, ROUTING, cleaned, refused } from './a-vault.ts';
import * as reasons from './reasons.ts';

const { CTRL, CTRY, DATE, DIG, DRV, ENUM, EXP, ITIN, LEN, LIST, MAIL, OBJ, SSN, ST, STK } = reasons;
const { STR, SYM, TEL, URL, ZIP } = reasons;
type Names = string | readonly string[];

const DATES = words`
  id.dob id.visa_expiration_date document.passport.dob document.passport.expires_at document.passport.issued_at
  business.formation_date
`;
const COUNTRIES = words`
  id.country id.nationality card.primary.billing_address.country document.passport.issuing_country
  document.passport.nationality business.country
`;
const ZIPS = ['id.zip', 'business.zip', 'card.primary.billing_address.zip'];
const EMAILS = ['id.email', 'business.beneficial_owners.ceo.id.email'];
const PHONES = ['id.phone_number', 'business.phone_number', 'business.beneficial_owners.ceo.id.phone_number'];
const US_STATES = ['id.drivers_license_state', 'business.formation_state'];
const ROUTING_NUMBER = 'bank.salary.ach_routing_number';
const ACCOUNT_NUMBER = 'bank.salary.ach_account_number';
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
/** One identifier of every kind of text rule. All kinds apply the common rules first. */
const EVERY_TEXT_RULE = words`
  id.first_name id.dob id.ssn9 id.ssn4 id.itin id.us_tax_id id.state id.zip id.country id.email id.phone_number
  id.us_legal_status id.drivers_license_state investor_profile.net_worth document.visa.issued_at
  card.primary.number card.primary.cvc card.primary.expiration bank.salary.ach_routing_number
  bank.salary.ach_account_number bank.salary.account_type business.tin business.website business.phone_number
  business.corporation_type
`;
const DERIVED = words`
  card.primary.number_last4 card.primary.issuer card.primary.expiration_month card.primary.expiration_year
  card.primary.fingerprint bank.salary.fingerprint
`;
/** The words that an identifier may be, and for some one that is none. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  'id.us_legal_status': words`citizen permanent_resident visa`,
  'id.visa_kind': words`e1 e2 e3 f1 g4 h1b l1 o1 tn1 other`,
  'bank.salary.account_type': words`checking savings`,
  'business.corporation_type': words`
    c_corporation s_corporation b_corporation llc llp partnership sole_proprietorship non_profit unknown trust agent
  `,
  'investor_profile.employment_status': words`employed unemployed student retired`,
  'investor_profile.annual_income': words`
    le25k gt25k_le50k gt50k_le100k gt100k_le200k gt200k_le300k gt300k_le500k gt500k_le1200k
  `,
  'investor_profile.net_worth': words`
    le50k gt50k_le100k gt100k_le200k gt200k_le500k gt500k_le1m gt1m_le5m gt5m
  `,
  'investor_profile.risk_tolerance': words`conservative moderate aggressive`,
};
/** The words that a list may hold, in any order. */
const LISTS: Readonly<Record<string, string[]>> = {
  'investor_profile.investment_goals': words`
    growth income preserve_capital speculation diversification other
  `,
  'investor_profile.declarations': words`
    affiliated_with_us_broker senior_executive senior_political_figure family_of_political_figure
  `,
  'investor_profile.funding_sources': words`
    employment_income investments inheritance business_income savings family
  `,
};
const SYMBOLS = 'investor_profile.senior_executive_symbols';
const FAMILY = 'investor_profile.family_member_names';
const OWNER_LISTS = ['business.beneficial_owners', 'business.kyced_beneficial_owners'];
const OWNER = { first_name: 'Ada', last_name: 'Lovelace', ownership_stake: 50 };
const owner = (more: Record<string, JsonValue>) => ({ ...OWNER, ...more });
const BAD_STAKES: JsonValue[] = [0, -1, 100.01, '50', true, [], Infinity];

const KEPT: readonly (readonly [Names, ...JsonValue[]])[] = [
  ['id.city', 'San  Juan', 'a\u0085b'],
  [LONG_TEXT, 'Ada Lovelace', 'x'.repeat(1023), '😀'.repeat(255)],
  [SHORT_TEXT, 'Ada Lovelace', 'x'.repeat(199), '😀'.repeat(49)],
  [DATES, '1988-12-30', '2000-02-29', '2024-02-29', '1900-02-28', '0001-01-01', '9999-12-31'],
  ['id.ssn9', '666000000', AN_ITIN],
  ['id.ssn4', '0001'],
  [ZIPS, 'SW1A 1AA', '94117-1234', '1'.repeat(1023)],
  [EMAILS, "!#$%&'*+-/=?^_{}~`@example.com", `${'l'.repeat(64)}@example.com`, `a@${'d'.repeat(63)}.com`],
  [EMAILS, ...words`Jane.Doe@Example.com a@b.co a@x-1.2y.museum a@münchen.de a@xn--mnchen-3ya.de`],
  [EMAILS, ...words`a@почта.рф a@xn--80a1acny.xn--p1ai A@例え.テスト`],
  [PHONES, '+1234567', '+123456789012345'],
  ['card.primary.number', '0'.repeat(12), '0'.repeat(19)],
  ['card.primary.cvc', '012', '0123'],
  ['card.primary.expiration', '12/2030'],
  [ROUTING_NUMBER, ROUTING],
  [ACCOUNT_NUMBER, '1234', '1'.repeat(17)],
  ['business.website', 'https://example.com', 'HTTP://Example.com/path?q=1#f', 'http://localhost:3000'],
  ['business.website', ...words`https://münchen.de/a example.com www.example.co.uk münchen.de`],
  [OWNER_LISTS, [], [owner({ ownership_stake: 100 })]],
  ['business.beneficial_owners.ceo-1.ownership_stake', 33.3],
  ['investor_profile.declarations', []],
  ...Object.entries(WORDS).map(([name, list]) => [name, ...list] as const),
  ...Object.entries(LISTS).map(([name, list]) => [name, list, list.toReversed()] as const),
];

test.each(KEPT.flatMap(([names, ...values]) => [names].flat().map((name) => [name, values] as const)))(
  'write %s: kept, without white space around it (%#)',
  (name, values) => {
    for (const value of values) {
      expect(cleaned(name, value)).toEqual(value);
      if (typeof value === 'string') expect(cleaned(name, ` ${value} `)).toBe(value);
    }
  },
);

test.each<[Names, sent: JsonValue, stored: JsonValue]>([
  ['id.city', ' \t San  Juan \n', 'San  Juan'],
  // Trimming comes before the length and control checks.
  ['id.city', `${' '.repeat(2000)}Rome\r\n`, 'Rome'],
  ['id.city', 2 ** 53 - 1, '9007199254740991'],
  ['id.zip', -5, '-5'],
  ['id.ssn9', '078-05-1120', AN_SSN],
  ['id.ssn9', ' 0 7 8 0 5 1 1 2 0', AN_SSN],
  ['id.ssn9', '000-00-0000', '000000000'],
  ['id.ssn4', 1234, '1234'],
  ...words`50 65 70 88 90 92 94 99`.map((group): [string, string, string] => [
    'id.itin',
    `912-${group}-1234`,
    `912${group}1234`,
  ]),
  ['business.tin', '12-345 6789', '123456789'],
  ['business.tin', 123456789, '123456789'],
  [US_STATES, ' wy ', 'WY'],
  [COUNTRIES, ' de ', 'DE'],
  ['id.citizenships', ['us', ' DE', 'US', 'fr'], ['US', 'DE', 'FR']],
  [PHONES, '+1 (415) 555-0132', '+14155550132'],
  [PHONES, '+44.20.7946.0000', '+442079460000'],
  ['card.primary.cvc', 123, '123'],
  ['card.primary.expiration', '1/30', '01/2030'],
  ['card.primary.expiration', '01-30', '01/2030'],
  ['card.primary.expiration', '9-1999', '09/1999'],
  ['card.primary.expiration', '12/99', '12/2099'],
  [ACCOUNT_NUMBER, '12-34 56', '123456'],
  ['investor_profile.funding_sources', 'savings', ['savings']],
  [SYMBOLS, ['ABC', ' goog ', 'AaaAa'], ['ABC', 'goog', 'AaaAa']],
  [FAMILY, [' Ada ', 'Charles'], ['Ada', 'Charles']],
  [
    OWNER_LISTS,
    [OWNER, owner({ first_name: ' Bob ', shoe_size: 42 })],
    [OWNER, owner({ first_name: 'Bob' })],
  ],
  [OWNER_LISTS, [owner({ ownership_stake: 0.5 })], [owner({ ownership_stake: 0.5 })]],
  ['business.kyced_beneficial_owners', [owner({ email: null })], [OWNER]],
  ['business.kyced_beneficial_owners', [owner({ email: 'a@b.co' })], [owner({ email: 'a@b.co' })]],
  [
    'business.kyced_beneficial_owners',
    [owner({ phone_number: '+1 (415) 555-0132' })],
    [owner({ phone_number: '+14155550132' })],
  ],
  ['business.beneficial_owners', [owner({ email: 'nonsense' })], [OWNER]],
])('write %j: %j is stored as %j', (names, sent, stored) => {
  for (const name of [names].flat()) expect(cleaned(name, sent), name).toEqual(stored);
});

type Refused = readonly [Names, reason: string, ...JsonValue[]];
const REFUSED: readonly Refused[] = [
  [EVERY_TEXT_RULE, STR, true, false, 1.5, 2 ** 53, 2 ** 60, -(2 ** 53), Infinity, [], ['a'], {}, { a: 1 }],
  // Before all else but the type.
  [EVERY_TEXT_RULE, CTRL, '12\u000134'],
  [EVERY_TEXT_RULE, LEN, '', ' \t\u3000 '],
  ['id.city', CTRL, 'a\u0000b', 'a\nb', 'a\u001fb', 'a\u007fb'],
  [LONG_TEXT, LEN, 'x'.repeat(1024), '😀'.repeat(256)],
  [SHORT_TEXT, LEN, 'x'.repeat(200), '😀'.repeat(50)],
  [
    DATES,
    DATE,
    ...words`1988-13-01 1988-00-10 1988-04-31 1988-01-00 1900-02-29 2023-02-29 0000-01-01 88-12-30`,
  ],
  [DATES, DATE, ...words`1988-1-1 12/30/1988 1988-12-30T00:00:00Z +1988-12-30 １988-12-30 19881230`],
  ['id.ssn9', LEN, '12345678', '1234567890', '- - -', '078.05.1120'],
  ['id.ssn9', DIG, '07805112x', '07805112٣', '07805\u00a0112'],
  ['id.ssn4', LEN, '123', '1-23-4'],
  ['id.ssn4', DIG, '12-4'],
  [['id.itin', 'id.us_tax_id', 'business.tin'], LEN, '91270123', '9127012345'],
  [['id.itin', 'id.us_tax_id', 'business.tin'], DIG, '91270123x'],
  [['id.itin', 'id.us_tax_id'], ITIN, ...words`49 66 69 89 93 00`.map((group) => `912${group}1234`)],
  ['id.itin', ITIN, '812701234'],
  ['id.us_tax_id', SSN, '000121234', '666121234', '123001234', '123120000'],
  [US_STATES, ST, 'Wyoming', 'XX', 'W', 'ıl'],
  [ZIPS, ZIP, '94117_1', '94.117', 'Ä1', '1\u00a02'],
  [ZIPS, LEN, '1'.repeat(1024)],
  [COUNTRIES, CTRY, 'USA', 'XX', 'XK', 'U', 'EU', '12', 'U S', 'ß', 'ın'],
  ['id.citizenships', LIST, 'US', 1, {}, ['US', 1], [null], [['US']]],
  ['id.citizenships', LEN, []],
  ['id.citizenships', CTRY, ['XX'], ['US', ''], ['usa']],
  [
    EMAILS,
    MAIL,
    'ja ne@example.com',
    'a@mün chen.de',
    `${'l'.repeat(65)}@example.com`,
    `a@${'d'.repeat(64)}.com`,
    ...words`
      jane jane@ @example.com jane@example jane@@example.com a@b@example.com a@-b.com a@b-.com .jane@example.com
      jane.@example.com ja..ne@example.com "jane"@example.com a@b..com ja|ne@example.com jané@example.com
      a@b.com. a@b.c a@b.c1 a@b_c.com a@127.0.0.1 a@münchen a@münchen.de/x a@-ü.de a@ü..de a@xn--.de-
      ü@example.com
    `,
  ],
  // A hostile one is judged at once.
  [EMAILS, MAIL, 'a'.repeat(120) + '.'.repeat(130)],
  [PHONES, TEL, '4155550132', '+0155550132', '+123456', '+1234567890123456', '+1415555O132', '++14155550132'],
  [PHONES, TEL, 14155550132],
  ['card.primary.number', LEN, '0'.repeat(11), '0'.repeat(20)],
  ['card.primary.number', DIG, '4111x11111111111'],
  ['card.primary.cvc', LEN, '12', '12345'],
  ['card.primary.cvc', DIG, '12a'],
  [
    'card.primary.expiration',
    EXP,
    ...words`0/30 13/30 00/30 1230 1/3 1/203 1/20300 2030-01 01/2030/1 a/30 001/30`,
  ],
  ['card.primary.expiration', EXP, '1 / 30'],
  [DERIVED, DRV, '1'],
  [ROUTING_NUMBER, LEN, '02100002', '0210-00021'],
  [ROUTING_NUMBER, DIG, '0210-0002'],
  [ACCOUNT_NUMBER, LEN, '1-2-3', '1'.repeat(18)],
  [ACCOUNT_NUMBER, DIG, 'DE12345'],
  ['id.visa_kind', ENUM, 'h1'],
  ...Object.entries(WORDS).map(
    ([name, list]) => [name, ENUM, ...list.flatMap((word) => [`${word}x`, word.toUpperCase()])] as const,
  ),
  ...Object.entries(LISTS).flatMap(([name, list]): Refused[] => [
    [name, LIST, 1, true, {}, [1], [null], [list]],
    [name, ENUM, ['nonsense'], [''], [...list, 'nonsense']],
  ]),
  [['investor_profile.investment_goals', 'investor_profile.funding_sources', SYMBOLS, FAMILY], LEN, []],
  ['investor_profile.funding_sources', ENUM, 'lottery'],
  ['investor_profile.investment_goals', LIST, 'growth'],
  [SYMBOLS, SYM, ['AB'], ['ABCDEF'], ['AB1'], ['ABC', ''], ['ÄBC']],
  [FAMILY, LEN, ['Ada', ' '], ['x'.repeat(1024)]],
  [FAMILY, CTRL, ['a\u0001b']],
  [FAMILY, LIST, ['Ada', 7]],
  [
    'business.website',
    URL,
    'http://exa mple.com',
    'exa mple.com',
    ...words`
      javascript:alert(1) mailto:a@example.com example localhost ftp://example.com https:// https:example.com
      //example.com example..com .example.com example.com. -a.com a-.com user@example.com a.b:port
    `,
  ],
  [OWNER_LISTS, OBJ, 'Ada', 7, OWNER, ['Ada'], [null], [[OWNER]], [{}], [{ ownership_stake: 0 }]],
  [OWNER_LISTS, OBJ, [owner({ first_name: 7 })], [owner({ last_name: ' ' })], [owner({ last_name: null })]],
  [OWNER_LISTS, OBJ, [owner({ ownership_stake: 0 }), 'Ada']],
  [OWNER_LISTS, OBJ, [owner({ ownership_stake: 0 }), owner({ first_name: '' })]],
  [OWNER_LISTS, STK, ...[null, ...BAD_STAKES].map((ownership_stake) => [OWNER, owner({ ownership_stake })])],
  [OWNER_LISTS, STK, [{ first_name: 'Ada', last_name: 'Lovelace' }]],
  ['business.kyced_beneficial_owners', MAIL, [owner({ email: 'ada' })], [owner({ email: 5 })]],
  ['business.kyced_beneficial_owners', TEL, [owner({ phone_number: '555' })]],
  ['business.beneficial_owners.ceo-1.ownership_stake', STK, ...BAD_STAKES],
];

test.each(
  REFUSED.flatMap(([names, reason, ...values]) =>
    [names].flat().map((name) => [name, reason, values] as const),
  ),
)('write %s: refused, with the reason (%#)', (name, reason, values) => {
  for (const value of values) {
    expect(refused({ [name]: value }), JSON.stringify(value)).toEqual({ [name]: reason });
  }
});

test('write card.number: length and digits are judged without its checksum, too', () => {
  for (const [number, reason] of [
    ['0'.repeat(20), LEN],
    ['4111x11111111111', DIG],
  ] as const) {
    const context = refused({ 'card.primary.number': number }, { skipLuhn: true });
    expect(context).toEqual({ 'card.primary.number': reason });
  }
});

test('write id.email: at most 254 characters', () => {
  const domain = `${'d'.repeat(63)}.${'e'.repeat(63)}.${'f'.repeat(57)}.com`;
  expect(`${'l'.repeat(64)}@${domain}`).toHaveLength(254);
  expect(cleaned('id.email', `${'l'.repeat(64)}@${domain}`)).toBeDefined();
  expect(refused({ 'id.email': `${'l'.repeat(64)}@e${domain}` })).toEqual({ 'id.email': LEN });
});
