import { expect, test } from 'vitest';
import type { JsonValue } from '../../../src/kernel/json.ts';
import { cleaned, refused } from './a-vault.ts';
import { ENUM, LEN, MAIL, OBJ, SBX, STK, TEL, URL } from './reasons.ts';
import { words } from '../../support/words.ts';

test('write business.tin: nine digits without hyphens and blanks', () => {
  expect(cleaned('business.tin', '12-345 6789')).toBe('123456789');
  expect(cleaned('business.tin', 123456789)).toBe('123456789');
});

test.each(words`
  https://example.com HTTP://Example.com/path?q=1#f http://localhost:3000 https://münchen.de/a example.com
  www.example.co.uk münchen.de
`)('write business.website: %s is kept as sent', (value) => {
  expect(cleaned('business.website', ` ${value} `)).toBe(value);
});

test.each([
  'http://exa mple.com',
  'exa mple.com',
  ...words`
    example localhost ftp://example.com javascript:alert(1) mailto:a@example.com https:// https:example.com
    //example.com example..com .example.com example.com. -a.com a-.com user@example.com a.b:port
  `,
])('write business.website: %s is no web address', (value) => {
  expect(refused({ 'business.website': value })).toEqual({ 'business.website': URL });
});

test.each(
  words`
  c_corporation s_corporation b_corporation llc llp partnership sole_proprietorship non_profit unknown trust
  agent
`,
)('write business.corporation_type: %s', (word) => {
  expect(cleaned('business.corporation_type', word)).toBe(word);
  expect(refused({ 'business.corporation_type': `${word}x` })).toEqual({ 'business.corporation_type': ENUM });
});

const OWNER = { first_name: 'Ada', last_name: 'Lovelace', ownership_stake: 50 };
const OWNER_LISTS = ['business.beneficial_owners', 'business.kyced_beneficial_owners'];

test.each(OWNER_LISTS)('write %s: owners with names and stake, cleaned', (name) => {
  const sent = [OWNER, { ...OWNER, first_name: ' Bob ', ownership_stake: 0.5, shoe_size: 42 }];
  expect(cleaned(name, sent)).toEqual([OWNER, { ...OWNER, first_name: 'Bob', ownership_stake: 0.5 }]);
  expect(cleaned(name, [{ ...OWNER, ownership_stake: 100 }])).toBeDefined();
  expect(cleaned(name, [])).toEqual([]);
});

test.each(OWNER_LISTS)('write %s: what is no list of owners', (name) => {
  const bad: JsonValue[] = [
    'Ada',
    7,
    OWNER,
    ['Ada'],
    [null],
    [[OWNER]],
    [{}],
    [{ ...OWNER, first_name: 7 }],
    [{ ...OWNER, last_name: ' ' }],
    [{ ...OWNER, last_name: null }],
    [{ ownership_stake: 0 }],
    [{ ...OWNER, ownership_stake: 0 }, 'Ada'],
    [
      { ...OWNER, ownership_stake: 0 },
      { ...OWNER, first_name: '' },
    ],
  ];
  for (const value of bad) expect(refused({ [name]: value })).toEqual({ [name]: OBJ });
});

const BAD_STAKES: JsonValue[] = [0, -1, 100.01, '50', null, true, [], Infinity];

test.each(OWNER_LISTS)('write %s: the stake is a number above 0, at most 100', (name) => {
  for (const ownership_stake of BAD_STAKES) {
    expect(refused({ [name]: [OWNER, { ...OWNER, ownership_stake }] })).toEqual({ [name]: STK });
  }
  expect(refused({ [name]: [{ first_name: 'Ada', last_name: 'Lovelace' }] })).toEqual({ [name]: STK });
});

test('write business.kyced_beneficial_owners: e-mail and phone may be given', () => {
  const name = 'business.kyced_beneficial_owners';
  const reachable = { ...OWNER, email: 'ada@example.com', phone_number: '+1 (415) 555-0132' };
  expect(cleaned(name, [reachable])).toEqual([{ ...reachable, phone_number: '+14155550132' }]);
  expect(cleaned(name, [{ ...OWNER, email: null }])).toEqual([OWNER]);
  expect(refused({ [name]: [{ ...OWNER, email: 'ada' }] })).toEqual({ [name]: MAIL });
  expect(refused({ [name]: [{ ...OWNER, email: 5 }] })).toEqual({ [name]: MAIL });
  expect(refused({ [name]: [{ ...OWNER, phone_number: '555' }] })).toEqual({ [name]: TEL });
  const fixture = [{ ...OWNER, phone_number: '+15555550100' }];
  expect(refused({ [name]: fixture }, { isLive: true })).toEqual({ [name]: SBX });
  expect(cleaned(name, fixture)).toEqual(fixture);
});

test('write business.beneficial_owners: e-mail and phone are not kept', () => {
  expect(cleaned('business.beneficial_owners', [{ ...OWNER, email: 'nonsense' }])).toEqual([OWNER]);
});

test('write business.beneficial_owners.<alias>: single fields of an owner', () => {
  const owner = 'business.beneficial_owners.ceo-1';
  expect(cleaned(`${owner}.ownership_stake`, 33.3)).toBe(33.3);
  for (const stake of BAD_STAKES.filter((value) => value !== null)) {
    expect(refused({ [`${owner}.ownership_stake`]: stake })).toEqual({ [`${owner}.ownership_stake`]: STK });
  }
  expect(refused({ [`${owner}.id.first_name`]: '' })).toEqual({ [`${owner}.id.first_name`]: LEN });
});
