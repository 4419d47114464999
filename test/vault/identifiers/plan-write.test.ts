import { expect, test } from 'vitest';
import { ServiceError } from '../../../src/kernel/errors.ts';
import { VISA, refused, written } from './a-vault.ts';
import { CTRY, DIG, DRV, FAM, LEN, MAIL } from './reasons.ts';
import { words } from '../../support/words.ts';

test('write: every offending identifier has its entry, in the order sent, and the message names them', () => {
  const changes = { 'id.email': 'x', 'id.city': 'Rome', 'id.country': 'Italia', 'card.a.cvc': '12x' };
  const run = (): unknown => written(changes);
  expect(run).toThrow(ServiceError);
  expect(run).toThrow(/^Vault data is not valid: id\.email, id\.country, card\.a\.cvc$/);
  expect(Object.entries(refused(changes))).toEqual([
    ['id.email', MAIL],
    ['id.country', CTRY],
    ['card.a.cvc', DIG],
  ]);
});

test('write: the message names the first 20, the context all', () => {
  const names = Array.from({ length: 25 }, (_, i) => `card.c${i}.cvc`);
  const changes = Object.fromEntries(names.map((name) => [name, '1']));
  const message = `Vault data is not valid: ${names.slice(0, 20).join(', ')}`;
  expect(() => written(changes)).toThrow(expect.objectContaining({ code: 'T120', message }) as Error);
  expect(refused(changes)).toEqual(Object.fromEntries(names.map((name) => [name, LEN])));
});

test.each([
  ['user', ['business.name', 'business.beneficial_owners.a.id.email', 'business.tin']],
  [
    'business',
    words`
      id.first_name id.ssn9 id.us_tax_id investor_profile.occupation card.a.number card.a.issuer bank.a.name
      document.passport.front.image document.passport.dob document.finra_compliance_letter
    `,
  ],
] as const)('write to a %s vault: known identifiers of other families are refused', (kind, names) => {
  const changes = Object.fromEntries(names.map((name) => [name, 'x']));
  expect(refused(changes, { kind })).toEqual(Object.fromEntries(names.map((name) => [name, FAM])));
  expect(written(Object.fromEntries(names.map((name) => [name, null])), { kind, isCreate: true })).toEqual({
    set: {},
    remove: [],
  });
});

test('write null: what is stored goes, what is absent is left alone', () => {
  expect(
    written(
      { 'id.city': null, 'id.zip': null, 'custom.a': null },
      { stored: { 'id.city': 'Rome', 'custom.a': 0 } },
    ),
  ).toEqual({ set: {}, remove: ['id.city', 'custom.a'] });
});

test('create null: ignored for every identifier', () => {
  const changes = {
    'id.city': null,
    'custom.a': null,
    'card.a.issuer': null,
    'document.visa.front.image': null,
  };
  expect(written(changes, { isCreate: true })).toEqual({ set: {}, remove: [] });
});

test('write null: a file goes, under its own name and under an alias', () => {
  const stored = { 'document.ssn_card.front.image': 'x' };
  const gone = { set: {}, remove: ['document.ssn_card.front.image'] };
  expect(written({ 'document.ssn_card.front.image': null }, { stored })).toEqual(gone);
  expect(written({ 'document.ssn_card.image': null }, { stored })).toEqual(gone);
  expect(
    written(
      {
        'document.ssn_card.front.mime_type': null,
        'document.ssn_card.image': null,
        'document.ssn_card.front.image': null,
      },
      { stored },
    ),
  ).toEqual(gone);
});

test('write null: a derived identifier is refused while it would stay', () => {
  const stored = { 'card.a.number': VISA, 'document.visa.front.image': 'x' };
  expect(refused({ 'card.a.issuer': null }, { stored })).toEqual({ 'card.a.issuer': DRV });
  expect(refused({ 'document.visa.front.mime_type': null }, { stored })).toEqual({
    'document.visa.front.mime_type': DRV,
  });
  expect(refused({ 'card.b.issuer': null, 'card.b.number': VISA }, { stored })).toEqual({
    'card.b.issuer': DRV,
  });
  expect(written({ 'card.a.issuer': null, 'card.a.number': null }, { stored }).remove).toEqual([
    'card.a.number',
  ]);
  expect(written({ 'card.b.issuer': null, 'bank.b.fingerprint': null }, { stored })).toEqual({
    set: {},
    remove: [],
  });
});

test('write null: a bank fingerprint goes with either of its sources', () => {
  const stored = { 'bank.a.ach_routing_number': '021000021', 'bank.a.ach_account_number': '1234' };
  expect(refused({ 'bank.a.fingerprint': null }, { stored })).toEqual({ 'bank.a.fingerprint': DRV });
  expect(
    written({ 'bank.a.fingerprint': null, 'bank.a.ach_account_number': null }, { stored }).remove,
  ).toEqual(['bank.a.ach_account_number']);
});

test('write: tax and derived identifiers are judged last, yet named where they were sent', () => {
  const changes = { 'card.a.issuer': null, 'id.ssn9': '1', 'id.email': 'x' };
  const context = refused(changes, { stored: { 'card.a.number': VISA } });
  expect(Object.entries(context)).toEqual([
    ['card.a.issuer', DRV],
    ['id.ssn9', LEN],
    ['id.email', MAIL],
  ]);
});
