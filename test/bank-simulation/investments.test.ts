import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { INVESTMENT_TRANSACTION_TYPES } from '../../src/nouns/bank-links/facts.ts';
import { BANK_PERSONAS } from '../../src/fixtures/bank-personas/index.ts';
import { dateText, dayOf, startOfDay, type Day } from '../../src/kernel/time/civil-date.ts';
import { decimal, type Decimal } from '../../src/kernel/numbers/decimal.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/kernel/numbers/units.ts';
import {
  createInvestments,
  type InvestmentPlan,
  type InvestmentState,
} from '../../src/bank-simulation/investments.ts';
import { securityOf } from '../../src/bank-simulation/securities.ts';
import type { InvestmentEntry } from '../../src/bank-simulation/simulation.ts';
import { dayNamed } from './a-simulation.ts';
import { words } from '../support/words.ts';

const PLACES = 10_000n;

/** Returns the investment account of a persona, its plan, and the length of its history in days. */
function caseOf(name: string) {
  const persona = BANK_PERSONAS.find((each) => each.name === name);
  const account = persona?.accounts.find(({ investments }) => investments !== undefined);
  if (!persona || !account) throw new Error('no such persona, or no investments');
  const plan = account.investments as unknown as InvestmentPlan;
  return { account, plan, historyDays: persona.history_days };
}

const CASES = { investor: caseOf('investor'), retiree: caseOf('retiree') };
type Name = keyof typeof CASES;

function investmentsOf(name: Name, seed: string, anchor: Day, plan: InvestmentPlan = CASES[name].plan) {
  const { key: account, currency } = CASES[name].account;
  return createInvestments(plan, { seed, account, currency, anchor });
}

/**
 * Returns the deposits of a day as the bank simulation of the investor makes them: 500.00 every thirty days, six of
 * them in the history.
 */
function depositsOn(name: Name, day: Day, anchor: Day) {
  const isDue = name === 'investor' && day >= anchor - 165 && (anchor - day + 15) % 30 === 0;
  const deposit = {
    at: startOfDay(day) + 12 * HOUR_MS,
    amount: decimal('500'),
    description: 'From checking',
  };
  return isDue ? [deposit] : [];
}

/** Runs the history and `daysAfter` days, the first of which is the anchor. */
function live(name: Name, seed: string, anchor: Day, daysAfter = 0, plan?: InvestmentPlan) {
  const investments = investmentsOf(name, seed, anchor, plan);
  let state: InvestmentState = investments.begin();
  const entries: InvestmentEntry[] = [];
  for (let day = anchor - CASES[name].historyDays; day < anchor + daysAfter; day++) {
    const next = investments.next(state, day, depositsOn(name, day, anchor));
    state = next.state;
    entries.push(...next.entries);
  }
  return { investments, state, entries, through: anchor + daysAfter - 1 };
}

const bringsCash = ({ type, amount, fees }: InvestmentEntry): Decimal =>
  (type === 'buy' || type === 'fee' ? -amount : amount) - (fees ?? 0n);

const seeds = fc.string({ minLength: 1, maxLength: 12 });
/** Days from 2020 to 2032. */
const anchors = fc.integer({ min: dayNamed('2020-01-01'), max: dayNamed('2032-12-31') });
const names = fc.constantFrom<Name>('investor', 'retiree');

/** Checks what holds for both, with any seed and at any time. */
const forAny = (numRuns: number, check: (name: Name, seed: string, anchor: Day) => void) =>
  fc.assert(fc.property(names, seeds, anchors, check), { numRuns });

describe('history', () => {
  test('investments: the investor has six securities, six holdings and 24 transactions, of all types', () => {
    fc.assert(
      fc.property(seeds, anchors, (seed, anchor) => {
        const { investments, state, entries, through } = live('investor', seed, anchor);
        const holdings = investments.holdings(state, through);
        expect(investments.securities(through)).toHaveLength(6);
        expect(holdings).toHaveLength(6);
        expect(holdings.every(({ quantity }) => quantity > 0n)).toBe(true);
        const count = (type: InvestmentEntry['type']) => entries.filter((each) => each.type === type).length;
        const counts = Object.fromEntries(INVESTMENT_TRANSACTION_TYPES.map((type) => [type, count(type)]));
        expect(counts).toEqual({ buy: 10, sell: 2, cash: 4, fee: 2, transfer: 6 });
      }),
      { numRuns: 20 },
    );
  });

  test('investments: the investor goes on after the link with one transaction every two to three weeks', () => {
    const anchor = dayNamed('2026-11-22');
    const after = live('investor', 'seed', anchor, 3 * 364).entries.filter(
      ({ at }) => at >= startOfDay(anchor),
    );
    expect((3 * 364) / after.length).toBeGreaterThan(14);
    expect((3 * 364) / after.length).toBeLessThan(21);
    expect(new Set(after.map(({ type }) => type))).toEqual(
      new Set(['buy', 'sell', 'cash', 'fee', 'transfer']),
    );
  });

  test('investments: the retiree lives on monthly dividends, pays four fees a year, and nothing goes elsewhere', () => {
    const { investments, state, entries, through } = live('retiree', 'seed', dayNamed('2026-11-22'));
    expect(investments.holdings(state, through)).toHaveLength(4);
    const dividends = entries.filter(({ description }) =>
      /^Dividend Example Retirement/.test(description ?? ''),
    );
    // The first buy is on 2025-11-27, after the dividend of that November.
    expect(dividends.map(({ at }) => dateText(dayOf(at)).slice(0, 7))).toEqual(
      words`
        2025-12 2026-01 2026-02 2026-03 2026-04 2026-05 2026-06 2026-07 2026-08 2026-09 2026-10 2026-11
      `,
    );
    expect(entries.filter(({ type }) => type === 'fee')).toHaveLength(4);
    expect(entries.filter(({ type }) => type === 'buy').length).toBeGreaterThan(4);
    expect(entries.some(({ type }) => type === 'transfer' || type === 'sell')).toBe(false);
  });

  test('investments: the opening balance of the account is the cash that its plan begins with', () => {
    for (const { account, plan } of Object.values(CASES)) {
      expect(account.opening).toBe(plan.opening_cash);
    }
  });
});

describe('books', () => {
  test('investments: cash is what came in less what went out, and never negative', () => {
    forAny(12, (name, seed, anchor) => {
      const { state, entries } = live(name, seed, anchor, 500);
      let cash = decimal(CASES[name].plan.opening_cash);
      for (const entry of entries) {
        cash += bringsCash(entry);
        expect(cash >= 0n).toBe(true);
      }
      expect(state.cash).toBe(cash);
    });
  });

  test('investments: quantities are what was bought less what was sold, costs the average of what was paid', () => {
    forAny(10, (name, seed, anchor) => {
      const { investments, state, entries, through } = live(name, seed, anchor, 400);
      const holdings = new Map(investments.holdings(state, through).map((each) => [each.security, each]));
      for (const security of CASES[name].plan.securities) {
        let [quantity, cost] = [0n, 0n];
        for (const entry of entries) {
          if (entry.security !== security || entry.quantity === null) continue;
          if (entry.type === 'buy') {
            quantity += entry.quantity;
            cost += entry.amount + (entry.fees ?? 0n);
          } else {
            // The engine rounds halves up to the cent, so the rest of the cost is at most half a cent off.
            const taken = (cost * entry.quantity * 2n + 100n * quantity) / (2n * 100n * quantity);
            quantity -= entry.quantity;
            cost -= taken * 100n;
          }
          expect(quantity >= 0n).toBe(true);
        }
        expect(holdings.get(security)?.quantity).toBe(quantity === 0n ? undefined : quantity);
        expect(holdings.get(security)?.cost_basis).toBe(quantity === 0n ? undefined : cost);
      }
    });
  });

  test('investments: amounts of trades and values of holdings are quantity times price, exact to the cent', () => {
    forAny(10, (name, seed, anchor) => {
      const { investments, state, entries, through } = live(name, seed, anchor, 200);
      const products = [
        ...entries.map(({ quantity, price, amount }) => ({ quantity, price, product: amount })),
        ...investments.holdings(state, through).map(({ quantity, price, value }) => {
          return { quantity, price, product: value };
        }),
      ];
      for (const { quantity, price, product } of products) {
        expect((product ?? 1n) % 100n).toBe(0n);
        if (quantity === null || price === null) continue;
        expect(quantity * price).toBe((product ?? 0n) * PLACES);
      }
      for (const { type, quantity, price, fees, security, amount } of entries) {
        const isTrade = type === 'buy' || type === 'sell';
        expect([quantity !== null, price !== null, security !== null || !isTrade]).toEqual([
          isTrade,
          isTrade,
          true,
        ]);
        expect(amount > 0n && (fees ?? 1n) > 0n).toBe(true);
      }
    });
  });

  test('investments: what there is no cash for is not bought and not charged, and what is not held is not sold', () => {
    const on = { days: [-20, -10], again: 30 };
    const description = 'x';
    const plan: InvestmentPlan = {
      opening_cash: '100.00',
      securities: ['cash_reserve', 'retirement_income'],
      activities: [
        { name: 'fee', type: 'fee', security: null, amount: '100.01', on, description },
        { name: 'sell', type: 'sell', security: 'cash_reserve', percent: 100, on, description },
        {
          name: 'dividend',
          type: 'cash',
          security: 'retirement_income',
          ten_thousandths: 500,
          on,
          description,
        },
        ...[{ name: 'buy', security: 'cash_reserve', fees: '0.50', on: { days: [-18] } }].map((buy) => {
          return { ...buy, type: 'buy' as const, spend: ['150.00', '150.00'] as const, description };
        }),
      ],
    };
    const { entries, state, investments, through } = live('retiree', 'seed', dayNamed('2026-11-20'), 0, plan);
    // 100.00 less 0.50 buys 99 shares at 1.00. Ten days later all of them are sold.
    expect(entries.map(({ type, quantity, amount }) => [type, quantity, amount])).toEqual([
      ['buy', decimal('99'), decimal('99')],
      ['sell', decimal('99'), decimal('99')],
    ]);
    expect(state).toEqual({ cash: decimal('99.50'), positions: {} });
    expect(investments.holdings(state, through)).toEqual([]);
  });
});

describe('days', () => {
  test('investments: trades are made on weekdays while markets are open (UTC)', () => {
    forAny(8, (name, seed, anchor) => {
      for (const { at, price } of live(name, seed, anchor, 60).entries) {
        if (price === null) continue;
        expect([0, 6]).not.toContain(new Date(at).getUTCDay());
        const minute = (at % DAY_MS) / MINUTE_MS;
        expect(minute >= 14.5 * 60 && minute < 21 * 60).toBe(true);
      }
    });
  });

  test('investments: some trades have a datetime with an offset and some have none', () => {
    const trades = live('investor', 'seed', dayNamed('2026-11-22')).entries.filter(
      ({ price }) => price !== null,
    );
    const datetimes = trades.flatMap(({ datetime }) => datetime ?? []);
    expect(datetimes.length).toBeGreaterThan(0);
    expect(datetimes.length).toBeLessThan(trades.length);
    for (const datetime of datetimes) expect(datetime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d-05:00$/);
  });

  test('investments: what falls on a weekend happens on the Friday before', () => {
    const fee = { type: 'fee' as const, security: null, amount: '1.00', description: 'x' };
    const plan: InvestmentPlan = {
      opening_cash: '100.00',
      securities: [],
      activities: [
        { ...fee, name: 'by days', on: { days: [-14, -7], again: 12 } },
        { ...fee, name: 'by months', on: { monthly: 8, every: 2 } },
      ],
    };
    const dates = (anchor: string) =>
      live('investor', 'seed', dayNamed(anchor), 19, plan)
        .entries.filter(({ type }) => type === 'fee')
        .map(({ at }) => dateText(dayOf(at)));
    // 2026-11-22 is a Sunday, so a Friday comes five days later; 2026-08-08 is a Saturday.
    expect(dates('2026-11-22')).toEqual(
      words`2026-06-08 2026-08-07 2026-10-08 2026-11-06 2026-11-13 2026-11-27 2026-12-08 2026-12-09`,
    );
    // 2026-11-25 is a Wednesday. The fifth day after it is a Monday, the 17th a Saturday.
    expect(dates('2026-11-25')).toEqual(
      words`2026-06-08 2026-08-07 2026-10-08 2026-11-11 2026-11-18 2026-11-30 2026-12-08 2026-12-11`,
    );
  });

  test('investments: the days of each plan stay in its history or after the link, and apart, wherever weekends fall', () => {
    const weekend = 2;
    for (const { account, plan, historyDays } of Object.values(CASES)) {
      for (const key of plan.securities) expect(securityOf(key).currency).toBe(account.currency);
      for (const { on, security } of plan.activities) {
        if (security !== null) expect(plan.securities).toContain(security);
        if (!('days' in on)) continue;
        const repeated = on.again === undefined ? [] : [Math.max(...on.days) + on.again];
        const all = [...on.days, ...repeated].sort((one, other) => one - other);
        expect(all.filter((day, at) => day - (all[at - 1] ?? -Infinity) <= weekend)).toEqual([]);
        expect(on.days.filter((day) => day < weekend - historyDays)).toEqual([]);
        expect(all.filter((day) => day >= 0 && day < weekend)).toEqual([]);
        for (const day of repeated) expect(day).toBeGreaterThanOrEqual(weekend);
      }
    }
  });
});
