import { expect, test } from 'vitest';
import { deleted, refusedDelete } from './a-vault.ts';
import { DRV } from './reasons.ts';

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
