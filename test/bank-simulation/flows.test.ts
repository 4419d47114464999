import { describe, expect, test } from 'vitest';
import type { TransferFlow } from '../../src/fixtures/bank-personas/index.ts';
import { dateText, dayOf, type Day } from '../../src/kernel/time/civil-date.ts';
import { decimal, share } from '../../src/kernel/numbers/decimal.ts';
import {
  accountOf,
  forAnySource,
  bankEntries,
  effectOf,
  endOf,
  entriesOf,
  live,
  planOf,
  postedBefore,
  SMALL_PERSONAS,
  type Life,
} from './a-simulation.ts';
import { words } from '../support/words.ts';

const AFTER = 90;
const RUNS = 5;

const datesOf = (life: Life, flow: string): string[] =>
  entriesOf(life, flow).map(({ at }) => dateText(dayOf(at)));

/** Returns the months that a simulation covers, as `[year, month]`. Months count from 0. */
function monthsOf(first: Day, last: Day): [number, number][] {
  const months: [number, number][] = [];
  const from = new Date(first * 86_400_000);
  for (let month = from.getUTCMonth(); ; month++) {
    const start = new Date(Date.UTC(from.getUTCFullYear(), month, 1));
    if (dayOf(start.getTime()) > last) return months;
    months.push([start.getUTCFullYear(), start.getUTCMonth()]);
  }
}

/** Returns the given days of each month that the simulation covers, by the calendar of JavaScript's Date. */
function expectedDates(
  { anchor }: Life,
  historyDays: number,
  dates: (year: number, month: number) => Date[],
): string[] {
  const [first, last] = [anchor - historyDays, anchor + AFTER - 1];
  return monthsOf(first, last)
    .flatMap(([year, month]) => dates(year, month))
    .map((date) => date.toISOString().slice(0, 10))
    .filter((text) => text >= dateText(first) && text <= dateText(last));
}

function businessDay(date: Date): Date {
  while ([0, 6].includes(date.getUTCDay())) date.setUTCDate(date.getUTCDate() - 1);
  return date;
}

const monthly = (life: Life, historyDays: number, day: number) =>
  expectedDates(life, historyDays, (year, month) => [new Date(Date.UTC(year, month, day))]);

/**
 * The 15th and the last day of each month, moved to a business day. Day 0 of the next month is the last day of this
 * one.
 */
const paydays = (life: Life, historyDays: number) =>
  expectedDates(life, historyDays, (year, month) => [
    businessDay(new Date(Date.UTC(year, month, 15))),
    businessDay(new Date(Date.UTC(year, month + 1, 0))),
  ]);

const lastDays = (life: Life, historyDays: number) =>
  expectedDates(life, historyDays, (year, month) => [new Date(Date.UTC(year, month + 1, 0))]);

describe('by the calendar', () => {
  test('bank_links: default is paid twice a month, on the business day before a weekend', () => {
    forAnySource(RUNS, (source) => {
      const life = live('default', { ...source, daysAfter: AFTER });
      expect(datesOf(life, 'salary')).toEqual(paydays(life, 540));
      expect(new Set(entriesOf(life, 'salary').map(({ amount }) => amount)).size).toBe(1);
      for (const { type, account, enrichment, posts_at } of entriesOf(life, 'salary')) {
        expect({ type, account, posts_at }).toEqual({ type: 'credit', account: 'checking', posts_at: null });
        expect(enrichment?.merchant).toBeNull();
      }
      expect(datesOf(life, 'rent')).toEqual(monthly(life, 540, 1));
      expect(datesOf(life, 'interest')).toEqual(lastDays(life, 540));
    });
  });

  test('bank_links: the pension comes on the third, payroll goes on paydays, rent on the first', () => {
    forAnySource(RUNS, (source) => {
      const retiree = live('retiree', { ...source, daysAfter: AFTER });
      expect(datesOf(retiree, 'pension')).toEqual(monthly(retiree, 365, 3));
      const business = live('business', { ...source, daysAfter: AFTER });
      expect(datesOf(business, 'payroll')).toEqual(paydays(business, 180));
      expect(datesOf(business, 'rent')).toEqual(monthly(business, 180, 1));
      const revenue = entriesOf(business, 'revenue').map(({ at }) => new Date(at).getUTCDay());
      expect(revenue.every((weekday) => weekday >= 1 && weekday <= 5)).toBe(true);
      expect(revenue.length).toBeGreaterThan(180);
    });
  });
});

describe('two sides', () => {
  const isTransfer = (flow: { kind: string }): flow is TransferFlow => flow.kind === 'transfer';

  test('bank_links: what is taken from one account is brought to the other, on the same day', () => {
    const seen = new Set<string>();
    for (const persona of SMALL_PERSONAS) {
      const life = live(persona, { seed: 'sides', daysAfter: AFTER });
      const sided = new Set<string>();
      for (const flow of planOf(persona).flows.filter(isTransfer)) {
        const [from, to] = [accountOf(life, flow.from), accountOf(life, flow.to)];
        const taken = entriesOf(life, flow.key).filter(({ type }) => type === 'debit');
        const brought = entriesOf(life, flow.key).filter(({ type }) => type === 'credit');
        const cash = life.entries.filter(
          ({ ledger, account }) => ledger === 'investment' && account === to.key,
        );
        if (taken.length > 0) seen.add(`${persona}:${flow.key}`);
        for (const out of taken) {
          const into = to.account_type.startsWith('investment.')
            ? cash.find(({ at, amount }) => at === out.at && amount === out.amount)
            : brought.find(({ at }) => at === out.at);
          expect(into).toMatchObject({ account: to.key, currency: to.currency });
          expect(out).toMatchObject({ account: from.key, currency: from.currency, posts_at: null });
          expect(out.description).toContain(to.name);
          expect(into?.description).toContain(from.name);
          if (to.mask !== null) expect(out.description).toContain(to.mask);
          if (from.mask !== null) expect(into?.description).toContain(from.mask);
          if (!flow.rate) expect(into?.amount).toBe(out.amount);
          for (const each of flow.rate ? [out] : []) {
            const [least, most] = flow.rate ?? ['0', '0'];
            expect(into?.amount).toBeGreaterThanOrEqual(share(each.amount, decimal(least), decimal('1')));
            expect(into?.amount).toBeLessThanOrEqual(share(each.amount, decimal(most), decimal('1')));
          }
          sided.add(out.key).add(into?.key ?? '');
        }
      }
      const looksLikeOne = bankEntries(life).filter(({ enrichment }) =>
        ['transfer', 'loan_payments'].includes(enrichment?.category?.value ?? ''),
      );
      expect(looksLikeOne.filter(({ key }) => !sided.has(key))).toEqual([]);
    }
    const transfers = words`
      default:card-payment default:saving business:draw business:repayment student:loan-payment
      joint:mortgage-payment joint:share joint:allowance multi_currency:to-euros multi_currency:to-pounds
      multi_currency:to-dollars investor:investing closed:closing retiree:saving gig:taxes-aside
    `;
    expect([...seen]).toEqual(expect.arrayContaining(transfers));
  });

  test.each([
    ['default', 20, 10, 540],
    ['joint', 24, 14, 540],
  ])(
    'bank_links: the card of %s is paid monthly: what its last statement said',
    (persona, closing, due, days) => {
      forAnySource(3, (source) => {
        const life = live(persona, { ...source, daysAfter: AFTER });
        const payments = entriesOf(life, 'card-payment').filter(({ account }) => account === 'card');
        expect(payments.map(({ at }) => dateText(dayOf(at)))).toEqual(monthly(life, days, due));
        for (const { at, amount } of payments) {
          const paid = new Date(at);
          const statement = dayOf(Date.UTC(paid.getUTCFullYear(), paid.getUTCMonth() - 1, closing));
          const owed =
            statement < life.anchor - days
              ? accountOf(life, 'card').opening
              : postedBefore(life, 'card', endOf(statement));
          expect(amount).toBe(owed);
        }
      });
    },
  );

  test('bank_links: interest adds to debts and to savings, a twelfth of the yearly rate', () => {
    const life = live('joint', { daysAfter: AFTER });
    const charges = entriesOf(life, 'mortgage-interest');
    expect(charges.length).toBeGreaterThan(18);
    let owed = accountOf(life, 'mortgage').opening;
    for (const entry of bankEntries(life).filter(({ account }) => account === 'mortgage')) {
      if (charges.includes(entry)) {
        expect(entry.type).toBe('debit');
        // The rate is 4.50 % a year. `owed` counts ten-thousandths and the interest hundredths, so they agree within
        // half a cent.
        const exact = owed * 45n;
        const difference = entry.amount * 12_000n - exact;
        expect(difference <= 600_000n && difference >= -600_000n).toBe(true);
      }
      owed += effectOf(life, entry);
    }
  });
});
