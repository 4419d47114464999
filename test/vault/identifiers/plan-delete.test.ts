import { expect, test } from 'vitest';
import { deleted, refusedDelete } from './a-vault.ts';
import { DRV, FAM } from './reasons.ts';

test('delete: each asked identifier is answered, stored ones go', () => {
  expect(deleted(['id.city', 'id.zip', 'id.city'], ['id.city', 'custom.a'])).toEqual({
    remove: ['id.city'],
    answer: { 'id.city': true, 'id.zip': false },
  });
});

test('delete all: every present identifier is answered, derived ones included', () => {
  const stored = ['id.ssn9', 'card.a.expiration', 'document.visa.front.image', 'custom.__proto__'];
  const { remove, answer } = deleted('all', stored);
  expect(remove).toEqual(stored);
  expect(Object.entries(answer)).toEqual([
    ['card.a.expiration', true],
    ['card.a.expiration_month', true],
    ['card.a.expiration_year', true],
    ['custom.__proto__', true],
    ['document.visa.front.image', true],
    ['document.visa.front.mime_type', true],
    ['id.ssn4', true],
    ['id.ssn9', true],
    ['id.us_tax_id', true],
  ]);
});

test('delete all: of an empty vault answers nothing', () => {
  expect(deleted('all', [])).toEqual({ remove: [], answer: {} });
});

test('delete: a derived identifier is refused, present or not, unless its source is asked for too', () => {
  expect(refusedDelete(['card.a.issuer'], ['card.a.number'])).toEqual({ 'card.a.issuer': DRV });
  expect(refusedDelete(['card.a.issuer'], [])).toEqual({ 'card.a.issuer': DRV });
  expect(refusedDelete(['card.a.issuer', 'card.b.number'], ['card.b.number'])).toEqual({
    'card.a.issuer': DRV,
  });
  expect(deleted(['card.a.issuer', 'card.a.number'], ['card.a.number'])).toEqual({
    remove: ['card.a.number'],
    answer: { 'card.a.issuer': true, 'card.a.number': true },
  });
  expect(deleted(['card.a.issuer', 'card.a.number'], [])).toEqual({
    remove: [],
    answer: { 'card.a.issuer': false, 'card.a.number': false },
  });
  expect(
    deleted(
      ['bank.a.fingerprint', 'bank.a.ach_routing_number'],
      ['bank.a.ach_routing_number', 'bank.a.ach_account_number'],
    ).answer,
  ).toEqual({ 'bank.a.fingerprint': true, 'bank.a.ach_routing_number': true });
});

test('delete: an alias removes what it stands for and answers under its name', () => {
  expect(deleted(['document.proof_of_address.image'], ['document.proof_of_address.front.image'])).toEqual({
    remove: ['document.proof_of_address.front.image'],
    answer: { 'document.proof_of_address.image': true },
  });
});

test('delete: other families are refused, unknown identifiers are no request', () => {
  expect(refusedDelete(['id.city', 'business.name'], ['business.name'], 'business')).toEqual({
    'id.city': FAM,
  });
  expect(() => deleted(['id.nope'], [])).toThrow(
    expect.objectContaining({ code: 'invalid_request' }) as Error,
  );
});
