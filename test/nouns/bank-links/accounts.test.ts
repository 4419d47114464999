/**
 * Accounts of a link and their balances, how a transaction changes one, and the place at which sealed data of a link
 * opens (contract §7.1, §7.3).
 */
import { describe, expect } from 'vitest';
import { bankEffect, type AccountType } from '../../../src/nouns/bank-links/facts.ts';
import { decimal, decimalText } from '../../../src/kernel/numbers/decimal.ts';
import { accountView } from '../../../src/nouns/bank-links/service/reading.ts';
import {
  createLinkRecords,
  investmentEffect,
  type AccountDetails,
  type BankDetails,
} from '../../../src/nouns/bank-links/service/records.ts';
import { createEntityRecords } from '../../../src/vault/entity-records.ts';
import { bankOf } from '../../support/bank-links.ts';
import { NOON } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';
import { aLink } from './a-bank.ts';

/** Returns the balances of an account of this type: current, available and limit. */
function balancesOf(
  account_type: AccountType,
  {
    current,
    limit = null,
    pending = '0',
    holdings = '0',
  }: Record<string, string | null> & { current: string },
) {
  const details = {
    name: 'An Account',
    nickname: null,
    mask: null,
    closed: false,
    account_type,
    currency: 'EUR',
    limit,
    current,
    balance_at: NOON,
  };
  const { balances } = accountView(
    { seq: 1, id: 'acct_1', key: 'one', details },
    { id: 'link_1', persona: 'default' },
    { pendingDebits: decimal(pending ?? '0'), holdings: decimal(holdings ?? '0') },
  );
  return `${balances?.current} ${balances?.available} ${balances?.limit}`;
}

describe('balances', () => {
  test.each([
    'depository.checking',
    'depository.savings',
    'depository.money_market',
    'depository.cd',
  ] as const)('accounts: of %s all can be used but what pending debits will take', (type) => {
    expect(balancesOf(type, { current: '100.00' })).toBe('100.00 100.00 null');
    expect(balancesOf(type, { current: '100.00', pending: '40.255' })).toBe('100.00 59.745 null');
    expect(balancesOf(type, { current: '10.00', pending: '40.00' })).toBe('10.00 -30.00 null');
    expect(balancesOf(type, { current: '-5.00' })).toBe('-5.00 -5.00 null');
  });

  test.each(['liability.credit_card', 'liability.line_of_credit'] as const)(
    'accounts: the available balance of %s is the limit less debt and pending entries',
    (type) => {
      const card = { current: '250.00', limit: '1000.00' };
      expect(balancesOf(type, card)).toBe('250.00 750.00 1000.00');
      expect(balancesOf(type, { ...card, pending: '800.10' })).toBe('250.00 -50.10 1000.00');
      expect(balancesOf(type, { current: '250.00' })).toBe('250.00 null null');
    },
  );

  test.each(['liability.loan', 'liability.student_loan', 'liability.mortgage', 'other', 'unknown'] as const)(
    'accounts: of %s nothing can be used',
    (type) => {
      expect(balancesOf(type, { current: '250000.00', pending: '1.00' })).toBe('250000.00 null null');
    },
  );

  test.each(['brokerage', 'ira', 'roth', '401k', '529'] as const)(
    'accounts: investment.%s has cash and holdings, and the cash is available',
    (kind) => {
      const balances = balancesOf(`investment.${kind}`, { current: '12.34', holdings: '1000.66' });
      expect(balances).toBe('1013.00 12.34 null');
    },
  );

  test('accounts: amounts beyond floating point are exact', () => {
    const balances = balancesOf('depository.checking', { current: '999999999999.9999', pending: '0.0001' });
    expect(balances).toBe('999999999999.9999 999999999999.9998 null');
  });
});

test('accounts: an imported pending debit is not to be used, and a credit is not yet there', async (service) => {
  const { bank, link } = await aLink(service);
  const balancesNow = async () => (await bank.accounts(link.id))[0]?.balances;
  const before = await balancesNow();
  const account_id = (await bank.accounts(link.id))[0]?.id;
  const row = { account_id, date: '2026-03-01', description: 'One', pending: true };

  await bank.import(link.id, [
    { ...row, amount: '-12.3456' },
    { ...row, amount: '5.00' },
  ]);

  const after = await balancesNow();
  expect(after?.current).toBe(before?.current);
  expect(after?.available).toBe(decimalText(decimal(before?.available ?? '') - 123_456n));
});

test('accounts: one that was changed in the store is damage, not an answer', async (service) => {
  const bank = bankOf(service);
  const fp_id = await service.user();
  const [link, other] = [await bank.link(fp_id), await bank.link(fp_id)];
  service.database
    .prepare(
      `UPDATE bank_accounts SET sealed = (SELECT sealed FROM bank_accounts ORDER BY seq LIMIT 1)
       WHERE seq = (SELECT max(seq) FROM bank_accounts)`,
    )
    .run();

  const reply = await bank.request('GET /bank_links/{link_id}/accounts', other.id);

  expect([reply.status, reply.body]).toEqual([503, expect.objectContaining({ code: 'vault_damaged' })]);
  expect(await bank.accounts(link.id)).not.toEqual([]);
  expect((await bank.request('DELETE /bank_links/{link_id}', other.id)).status).toBe(200);
});

test('accounts: a closed account is marked beside an open one, and its numbers are in the vault too', async (service) => {
  const { bank, fp_id, link } = await aLink(service, { persona: 'closed' });

  const accounts = await bank.accounts(link.id);

  expect(accounts.map(({ closed }) => closed === true).sort()).toEqual([false, true]);
  const { body } = await service.call('GET /users/{fp_id}/vault', { params: { fp_id } });
  for (const { id } of accounts) expect(body).toHaveProperty([`bank.${id}.ach_account_number`]);
});

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
