import { expect, test } from 'vitest';
import { identifierCatalogue, identifiersBeginningWith } from '../../../src/vault/identifiers/catalogue.ts';
import { DOCUMENT_KINDS, maskValue } from '../../../src/vault/identifiers/index.ts';
import { findIdentifier, fixedIdentifiers } from '../../../src/vault/identifiers/registry.ts';
import { Refusal } from '../../../src/vault/identifiers/rule.ts';

const SITUATION = { isLive: false, skipLuhn: false, isInUnitedStates: true };
const entries = identifierCatalogue();
const concrete = (identifier: string) =>
  identifier.replace('<kind>', 'passport').replace('<alias>', 'main').replace('<name>', 'tags');
const names = (prefix: string) => identifiersBeginningWith(prefix).map(({ identifier }) => identifier);

test('identifierCatalogue: has every identifier once', () => {
  const listed = entries.flatMap(({ identifier }) =>
    DOCUMENT_KINDS.map((kind) => identifier.replace('<kind>', kind)),
  );
  const fixed = listed.filter((name) => !name.includes('<'));

  expect([...new Set(fixed)].sort()).toEqual([...fixedIdentifiers()].sort());
  expect(new Set(entries.map(({ identifier }) => identifier)).size).toBe(entries.length);
  for (const open of ['card.<alias>.cvc', 'bank.<alias>.name', 'custom.<name>', 'document.custom.<name>']) {
    expect(listed).toContain(open);
  }
});

test.each(entries.map((entry) => [entry.identifier, entry] as const))(
  'identifierCatalogue: the example of %s is accepted by its rule, and masked as it would be',
  (name, { example, storage, derived, masked, derived_from: sources }) => {
    const known = findIdentifier(concrete(name));

    expect(known).toBeDefined();
    for (const source of sources) expect(findIdentifier(concrete(source))).toBeDefined();
    if (storage === 'file') expect(masked).toMatch(/^<(image\/png|application\/pdf) 1234 bytes>$/);
    else if (derived) expect(masked).toBe(maskValue(concrete(name), example));
    else {
      const cleaned = known?.rule.clean(example, SITUATION);
      expect(cleaned).not.toBeInstanceOf(Refusal);
      expect(masked).toBe(maskValue(concrete(name), cleaned as string));
    }
  },
);

test('identifierCatalogue: says which are searchable, as contract §1 does', () => {
  expect(entries.filter(({ searchable }) => searchable).map(({ identifier }) => identifier)).toEqual(
    'id.ssn9 id.itin id.us_tax_id id.email id.phone_number id.drivers_license_number'.split(' '),
  );
});

test('identifierCatalogue: says which are derived, and what others are read from', () => {
  const derived = entries.filter((entry) => entry.derived).map(({ identifier }) => identifier);
  const sourcesOf = (name: string) => entries.find(({ identifier }) => identifier === name)?.derived_from;

  expect(derived).toEqual([
    ...['front', 'back', 'selfie'].map((side) => `document.<kind>.${side}.mime_type`),
    ...['number_last4', 'issuer', 'fingerprint', 'expiration_month', 'expiration_year'].map(
      (field) => `card.<alias>.${field}`,
    ),
    'bank.<alias>.fingerprint',
  ]);
  expect(sourcesOf('id.ssn4')).toEqual(['id.ssn9']);
  expect(sourcesOf('id.us_tax_id')).toEqual(['id.ssn9', 'id.itin']);
  expect(sourcesOf('document.ssn_card.image')).toEqual(['document.ssn_card.front.image']);
});

test('identifierCatalogue: rules come from the code that judges', () => {
  const ruleOf = (name: string) => entries.find(({ identifier }) => identifier === name)?.rule;

  expect(ruleOf('bank.<alias>.account_type')).toBe('one of checking, savings');
  expect(ruleOf('card.<alias>.cvc')).toBe('3 to 4 digits');
  expect(ruleOf('id.drivers_license_number')).toBe('text of 1 to 199 bytes');
  expect(entries.filter(({ rule }) => rule === 'any value')).toEqual([]);
});

test('identifiersBeginningWith: at any character; words of the caller stand in their places', () => {
  expect(names('id.ss')).toEqual(['id.ssn9', 'id.ssn4']);
  expect(names('card.main.n')).toEqual(['card.main.number', 'card.main.name', 'card.main.number_last4']);
  expect(names('custom.a.b')).toEqual(['custom.a.b']);
  expect(names('custom.')).toEqual(['custom.<name>']);
  expect(names('document.passport.b')).toEqual([
    'document.passport.back.image',
    'document.passport.back.mime_type',
  ]);
  expect(names('')).toHaveLength(entries.length);
  expect(names('business.beneficial_owners.x.id.e')).toEqual(['business.beneficial_owners.x.id.email']);
});

test('identifiersBeginningWith: a kind that is only begun stays open', () => {
  expect(names('document.passp')).toContain('document.<kind>.front.image');
});

test.each(['nope', 'id.nope', 'card.a b.number', 'card.$(x).n', 'document.napkin.', 'x'.repeat(10_000)])(
  'identifiersBeginningWith: %s begins none',
  (prefix) => {
    expect(names(prefix)).toEqual([]);
  },
);

test('identifiersBeginningWith: sources carry the same words', () => {
  expect(identifiersBeginningWith('card.main.issuer')[0]?.derived_from).toEqual(['card.main.number']);
});
