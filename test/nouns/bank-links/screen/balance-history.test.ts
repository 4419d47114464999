import { describe, expect, test } from 'vitest';
import type { BankAccount, BankTransaction } from '../../../../src/nouns/bank-links/endpoints/records.ts';
import { decimalText } from '../../../../src/kernel/numbers/decimal.ts';
import { dateText } from '../../../../src/kernel/time/civil-date.ts';
import {
  balanceLine,
  dailyBalances,
  potOf,
  type Pot,
} from '../../../../src/nouns/bank-links/screen/ledger.ts';
import { aBankAccount, aBankTransaction } from '../../../support/bank-links.ts';

const anAccount = (
  id: string,
  account_type: BankAccount['account_type'],
  current: string,
  currency = 'USD',
) =>
  aBankAccount({
    id,
    account_type,
    balances: { available: null, balance_date: '2026-03-01T12:00:00.000Z', currency, current, limit: null },
  });
const entry = (date: string, amount: string, changes: Partial<BankTransaction> = {}) =>
  aBankTransaction({ account_id: 'checking', date, amount, ...changes });

function pot(...accounts: BankAccount[]): Pot {
  const found = potOf(accounts);
  if (found === undefined) throw new Error('there is nothing in it');
  return found;
}

const daysOf = (of: Pot, ...transactions: BankTransaction[]) =>
  dailyBalances(of, transactions).map(({ day, balance }) => `${dateText(day)} ${decimalText(balance)}`);

describe('potOf', () => {
  test('potOf: deposits of one currency are added up; debts, investments and other currencies are not', () => {
    const found = pot(
      anAccount('broker', 'investment.brokerage', '9000.00'),
      anAccount('checking', 'depository.checking', '100.10'),
      anAccount('savings', 'depository.savings', '0.20'),
      anAccount('euros', 'depository.checking', '7.00', 'EUR'),
      anAccount('card', 'liability.credit_card', '55.00'),
    );
    expect(found).toMatchObject({ kind: 'deposits', currency: 'USD', accountIds: ['checking', 'savings'] });
    expect(decimalText(found.balance)).toBe('100.30');
  });

  test('potOf: without deposits it is what is owed; investments alone are nothing', () => {
    expect(pot(anAccount('card', 'liability.credit_card', '55.00')).kind).toBe('owed');
    expect(potOf([anAccount('broker', 'investment.brokerage', '1.00')])).toBeUndefined();
    expect(potOf([])).toBeUndefined();
    expect(potOf([{ ...anAccount('checking', 'depository.checking', '1.00'), balances: null }])).toBe(
      undefined,
    );
  });
});

describe('dailyBalances', () => {
  const checking = pot(anAccount('checking', 'depository.checking', '0.30'));

  test('dailyBalances: each day ends with what was there before the days after it, exactly', () => {
    expect(
      daysOf(
        checking,
        entry('2026-03-01', '0.10', { type: 'credit' }),
        entry('2026-02-27', '0.20'),
        entry('2026-02-27', '0.70'),
        entry('2026-02-26', '5.00'),
      ),
    ).toEqual(['2026-02-26 1.10', '2026-02-27 0.20', '2026-02-28 0.20', '2026-03-01 0.30']);
  });

  test('dailyBalances: pending transactions, other accounts and other currencies move nothing', () => {
    expect(
      daysOf(
        checking,
        entry('2026-03-01', '5.00', { pending: true }),
        entry('2026-03-01', '6.00', { account_id: 'card' }),
        entry('2026-03-01', '7.00', { currency: 'EUR' }),
        entry('2026-02-28', '1.00'),
      ),
    ).toEqual(['2026-02-28 0.30', '2026-03-01 0.30']);
  });

  test('dailyBalances: what is owed grows with what is spent', () => {
    const card = pot(anAccount('card', 'liability.credit_card', '50.00'));
    const of = { account_id: 'card' };
    expect(
      daysOf(card, entry('2026-03-01', '20.00', of), entry('2026-02-28', '5.00', { ...of, type: 'credit' })),
    ).toEqual(['2026-02-28 30.00', '2026-03-01 50.00']);
  });

  test('dailyBalances: no transactions are no days, and there are ninety at most', () => {
    expect(daysOf(checking)).toEqual([]);
    expect(daysOf(checking, entry('2020-01-01', '1.00'), entry('2026-03-01', '1.00'))).toHaveLength(90);
  });
});

test('balanceLine: shows the bars, and the lowest and the highest with the first day of each', () => {
  const overdrawn = pot(anAccount('checking', 'depository.checking', '-1234.50'));
  const days = dailyBalances(overdrawn, [entry('2026-03-01', '3000.00'), entry('2026-02-27', '1.00')]);
  expect(balanceLine(overdrawn, days)).toBe('USD, 3 days ██▁ low -1,234.50 (03-01) high 1,765.50 (02-27)');
  expect(balanceLine(overdrawn, [])).toBeUndefined();
});
