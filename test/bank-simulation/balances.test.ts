import { describe, expect, test } from 'vitest';
import { startOfDay } from '../../src/kernel/time/civil-date.ts';
import { postedBalance, type Books } from '../../src/bank-simulation/account-ledger.ts';
import { createBankSimulation } from '../../src/bank-simulation/index.ts';
import type { Portfolio } from '../../src/bank-simulation/simulation.ts';
import {
  accountOf,
  ANCHOR,
  forEachPersona,
  forAnySource,
  bankEntries,
  endOf,
  entriesOf,
  live,
  postedBefore,
  runningBalances,
  type Life,
} from './a-simulation.ts';

const YEAR_DAYS = 366;

function booksOf({ state }: Life): Books {
  return (state as unknown as { books: Books }).books;
}

describe('balances add up', () => {
  test('bank_links: the opening balance plus all transactions is the balance of the simulation', () => {
    forEachPersona((persona, source) => {
      const life = live(persona, source);
      const books = booksOf(life);
      for (const { key, opening } of life.world.accounts) {
        expect(books.balances[key]).toBe(runningBalances(life, key).at(-1) ?? opening);
        expect(postedBalance(books, key)).toBe(postedBefore(life, key, startOfDay(source.anchor)));
      }
    });
  });

  test('bank_links: after a year, account balances are above zero and debts between zero and their limit', () => {
    forEachPersona((persona, source) => {
      if (persona === 'overdrawn') return;
      const life = live(persona, { ...source, daysAfter: YEAR_DAYS });
      for (const { key, account_type, limit } of life.world.accounts) {
        const balances = runningBalances(life, key);
        const least = account_type === 'depository.checking' ? 1n : 0n;
        expect(balances.every((balance) => balance >= least)).toBe(true);
        if (limit !== null) expect(balances.every((balance) => balance <= limit)).toBe(true);
      }
    });
  });

  test('bank_links: overdrawn is below zero at any linking, posted or not, and pays fees for it', () => {
    forAnySource(20, (source) => {
      const life = live('overdrawn', source);
      const posted = postedBefore(life, 'checking', startOfDay(source.anchor));
      expect(posted).toBeLessThan(0n);
      expect(runningBalances(life, 'checking').at(-1)).toBeLessThan(0n);
      expect(entriesOf(life, 'overdraft-fee').length).toBeGreaterThan(5);
    });
  });

  test('bank_links: a closed account ends at zero, with no transactions afterwards', () => {
    forAnySource(8, (source) => {
      const life = live('closed', { ...source, daysAfter: 70 });
      expect(runningBalances(life, 'old_savings').at(-1)).toBe(0n);
      const own = bankEntries(life).filter(({ account }) => account === 'old_savings');
      expect(own.length).toBeGreaterThan(10);
      expect(own.every(({ at, posts_at }) => at < endOf(source.anchor - 40) && posts_at === null)).toBe(true);
    });
  });

  test("bank_links: holdings of the day before plus the day's trades are the final holdings", () => {
    const heldIn = ({ holdings }: Portfolio) =>
      new Map(holdings.map(({ security, quantity, cost_basis }) => [security, { quantity, cost_basis }]));
    let traded = 0;
    for (const persona of ['investor', 'retiree']) {
      const world = createBankSimulation(persona, { seed: 'a seed', anchor: ANCHOR });
      for (let state = world.begin(); state.through < ANCHOR - 1;) {
        const next = world.next(state);
        expect(heldIn(world.portfolio(state, next.entries))).toEqual(heldIn(world.portfolio(next.state)));
        traded += next.entries.filter(({ type }) => type === 'buy' || type === 'sell').length;
        state = next.state;
      }
    }
    expect(traded).toBeGreaterThan(15);
  });
});

describe('numbers', () => {
  /**
   * Returns the checksum of a routing number. The digits, weighted 3, 7, 1 and so on, must add up to a multiple of ten.
   */
  const checksum = (routing: string): number =>
    Array.from(routing, (digit, place) => Number(digit) * ([3, 7, 1][place % 3] ?? 0)).reduce(
      (sum, each) => sum + each,
      0,
    ) % 10;

  test('bank_links: the checksum of the test is the one of published routing numbers', () => {
    // This example stands in the encyclopaedias: 3*(1+0+0) + 7*(1+0+2) + 1*(1+0+5) = 30.
    expect(checksum('111000025')).toBe(0);
    expect(checksum('111000026')).not.toBe(0);
  });

  test('bank_links: routing numbers are well-formed and of no bank, masks the last four of account numbers', () => {
    forEachPersona((persona, source) => {
      const { accounts } = createBankSimulation(persona, source);
      const numbers = accounts.flatMap((account) => account.numbers ?? []);
      expect(new Set(numbers.map(({ routing }) => routing)).size).toBeLessThanOrEqual(1);
      for (const { account_type, mask, numbers: own } of accounts) {
        expect(own !== null).toBe(account_type.startsWith('depository.'));
        if (mask !== null) expect(mask).toMatch(/^\d{4}$/);
        if (own === null) continue;
        expect(own.routing).toMatch(/^9\d{8}$/);
        expect(checksum(own.routing)).toBe(0);
        expect(own.account).toMatch(/^[1-9]\d{7,11}$/);
        expect(mask).toBe(own.account.slice(-4));
      }
    });
  });

  test('bank_links: the numbers of a link don’t depend on its day', () => {
    const one = createBankSimulation('joint', { seed: 's', anchor: ANCHOR });
    expect(createBankSimulation('joint', { seed: 's', anchor: ANCHOR + 100 }).accounts).toEqual(one.accounts);
    const [household, personal] = ['household', 'personal'].map((key) => accountOf({ world: one }, key));
    expect(household?.numbers).not.toEqual(personal?.numbers);
  });
});
