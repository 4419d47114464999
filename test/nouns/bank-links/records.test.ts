/** Sealed data of a link opens at its own place only; and how a transaction changes a balance (contract §7.3). */
import { expect, test } from 'vitest';
import { decimal, decimalText } from '../../../src/kernel/decimal.ts';
import { bankEffect } from '../../../src/nouns/bank-links/facts.ts';
import {
  createLinkRecords,
  investmentEffect,
  type AccountDetails,
  type BankDetails,
} from '../../../src/nouns/bank-links/service/records.ts';
import { createEntityRecords } from '../../../src/vault/entity-records.ts';

const entity = createEntityRecords(new Uint8Array(32), 'fp_id_one');
const [link, other] = [createLinkRecords(entity, 'link_1'), createLinkRecords(entity, 'link_2')];
const damaged = expect.objectContaining({ code: 'vault_damaged' }) as Error;

test('records: a transaction opens under its id, in its link', () => {
  const details = { type: 'debit', amount: '1.00' } as BankDetails;
  const sealed = link.transaction('txn_1', details);
  expect(link.openBank({ id: 'txn_1', sealed })).toEqual(details);
  expect(() => link.openBank({ id: 'txn_2', sealed })).toThrow(damaged);
  expect(() => other.openBank({ id: 'txn_1', sealed })).toThrow(damaged);
});

test('records: an account opens under its id, in its link', () => {
  const details = { name: 'Checking', current: '1.00' } as AccountDetails;
  const sealed = link.account('acct_1', details);
  expect(link.openAccount({ id: 'acct_1', sealed })).toEqual(details);
  expect(() => link.openAccount({ id: 'acct_2', sealed })).toThrow(damaged);
  expect(() => other.openAccount({ id: 'acct_1', sealed })).toThrow(damaged);
});

test('records: a world opens in its link, with what is beyond floating point', () => {
  const holding = { account: 'one', security: 'fund', quantity: 2n ** 70n + 1n };
  const record = { state: { through: 1 }, portfolio: { holdings: [holding], securities: [] } } as never;
  const sealed = link.world(record);
  expect(link.openWorld(sealed)).toEqual(record);
  expect(() => other.openWorld(sealed)).toThrow(damaged);
});

test.each([
  ['depository.checking', 'credit', '5.00'],
  ['depository.savings', 'debit', '-5.00'],
  ['investment.brokerage', 'credit', '5.00'],
  ['other', 'debit', '-5.00'],
  ['liability.credit_card', 'debit', '5.00'],
  ['liability.mortgage', 'credit', '-5.00'],
] as const)('records: five to a %s as a %s are %s', (accountType, type, effect) => {
  expect(decimalText(bankEffect(accountType, { type, amount: decimal('5.00') }))).toBe(effect);
});

test.each([
  ['buy', '1.50', '-11.50'],
  ['sell', '1.50', '8.50'],
  ['fee', null, '-10.00'],
  ['cash', null, '10.00'],
  ['transfer', '0.01', '9.99'],
] as const)('records: ten of a %s with fees of %s are %s of cash', (type, fees, effect) => {
  expect(investmentEffect({ type, amount: '10.00', fees })).toBe(decimal(effect));
});
