import { expect, test } from 'vitest';
import { ServiceError } from '../../../src/kernel/errors.ts';
import {
  describeIdentifier,
  parseIdentifierReference,
  requireKnownIdentifiers,
} from '../../../src/vault/identifiers/index.ts';
import { words } from '../../support/words.ts';

test.each([
  `custom.${'a'.repeat(200)}`,
  `card.${'a'.repeat(64)}.billing_address.zip`,
  'custom.last login',
  ...words`
    id.us_tax_id custom.a custom.A-b_c.d custom... custom.Straße custom.名前 custom.plan@v2 custom.$a+b#1 custom.__proto__ investor_profile.funding_sources
    document.passport.selfie.image document.passport.curp document.custom.lease.2024
    document.finra_compliance_letter card.primary.number card.constructor.issuer bank.a-b_c.ach_account_id
    business.tin business.beneficial_owners business.beneficial_owners.a.id.email
    business.beneficial_owners.a.ownership_stake
  `,
])('describe %s: known', (name) => {
  expect(describeIdentifier(name)?.name).toBe(name);
});

test.each([
  '',
  ' id.email',
  'id.email ',
  'custom.a\n',
  'custom.a\u2028',
  'custom.\ud800',
  'custom.a ',
  'custom. a',
  'custom.a\u200bb',
  'custom.a\u202eb',
  `custom.${'a'.repeat(201)}`,
  `card.${'a'.repeat(65)}.number`,
  ...words`
    id id. id.shoe_size ID.email id.__proto__ id.constructor custom custom. custom.a:1 custom.* custom.a/b custom.a\\b custom.a,b custom.a=b custom.a:b custom.a|b custom.a%20b custom.{a}
    investor_profile.shoe_size document.custom. document.custom document.passport.image
    document.passport.left.image document.library_card.front.image card.number card..number card.a.b.number
    card.a.shoe_size card.a.billing_address card.a.* card.*.number bank.a.number business.beneficial_owners.a
    business.beneficial_owners.a.id.ssn9 business.beneficial_owners..id.email business.ssn9 __proto__ toString
  `,
])('describe %j: unknown', (name) => {
  expect(describeIdentifier(name)).toBeUndefined();
});

test.each([
  ['id.citizenships', 'id', 'json', false, true, false],
  ['id.us_tax_id', 'id', 'text', false, true, false],
  ['custom.a', 'custom', 'json', false, true, true],
  ['card.a.issuer', 'card', 'text', true, true, false],
  ['bank.a.fingerprint', 'bank', 'text', true, true, false],
  ['investor_profile.occupation', 'investor_profile', 'text', false, true, false],
  ['document.visa.front.image', 'document', 'file', false, true, false],
  ['document.visa.full_name', 'document', 'text', false, true, false],
  ['document.custom.a', 'document', 'file', false, true, true],
  ['document.finra_compliance_letter', 'document', 'file', false, true, false],
  ['business.beneficial_owners', 'business', 'json', false, false, true],
  ['business.name', 'business', 'text', false, false, true],
])(
  'describe %s: family, storage, derivation, vault kinds',
  (name, family, storage, derived, user, business) => {
    const description = describeIdentifier(name);
    expect(description).toMatchObject({ family, storage, derived, canonical: name });
    expect(description?.belongsTo('user')).toBe(user);
    expect(description?.belongsTo('business')).toBe(business);
  },
);

function thrownBy(run: () => unknown): ServiceError {
  try {
    run();
  } catch (error) {
    if (error instanceof ServiceError) return error;
  }
  throw new Error('no ServiceError');
}

test('require known identifiers: the first unknown one is named, without context', () => {
  requireKnownIdentifiers(['id.city', 'custom.a']);
  const error = thrownBy(() => requireKnownIdentifiers(['id.city', 'id.one', 'id.two']));
  expect(error).toMatchObject({ code: 'invalid_request', context: undefined });
  expect(error.message).toContain('id.one');
  expect(error.message).not.toContain('id.two');
});

test('require known identifiers: a huge name is cut in the message', () => {
  expect(thrownBy(() => requireKnownIdentifiers(['x'.repeat(30_000)])).message.length).toBeLessThan(300);
});

test.each([
  ['id.city', 'id.city', undefined],
  ['id.city:0', 'id.city', 0],
  ['document.id_card.front.image:17', 'document.id_card.front.image', 17],
  ['custom.a:007', 'custom.a', 7],
  ['custom.last login:2', 'custom.last login', 2],
  [`id.city:${'9'.repeat(400)}`, 'id.city', Number.MAX_SAFE_INTEGER],
])('reference %s: split', (text, identifier, version) => {
  expect(parseIdentifierReference(text)).toEqual({ text, identifier, version });
});

test.each([
  'id.city: 1',
  '',
  ...words`
    id.city: id.city:-1 id.city:+1 id.city:1.0 id.city:1e3 id.city:1:2 id.city:x id.nope id.nope:1 :1
  `,
])('reference %j: refused by name', (text) => {
  const error = thrownBy(() => parseIdentifierReference(text));
  expect(error).toMatchObject({ code: 'invalid_request', context: undefined });
  expect(error.message).toContain(text);
});
