import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decimal } from '../../src/kernel/numbers/decimal.ts';
import { calendarDay, isOn } from '../../src/bank-simulation/calendar.ts';
import { chanceOf, seedOf } from '../../src/bank-simulation/chance.ts';
import { dayNamed } from './a-simulation.ts';

const draws = (seed: string, day: number, count = 20): number[] => {
  const chance = chanceOf(seedOf(seed), day);
  return Array.from({ length: count }, () => chance.below(1_000_000));
};

describe('chance', () => {
  test('bank_links: the same seed and day draw the same, others differ', () => {
    expect(draws('a', 1)).toEqual(draws('a', 1));
    const others = [draws('a', 2), draws('b', 1), draws('', 1), draws('aa', 1), draws('a\0', 1)];
    expect(new Set([draws('a', 1), ...others].map(String)).size).toBe(6);
  });

  test('bank_links: every number of a range is drawn, and none outside it', () => {
    const seen = new Set<number>();
    for (let day = 0; day < 400; day++) seen.add(chanceOf(seedOf('range'), day).between(-2, 5));
    expect([...seen].sort((a, b) => a - b)).toEqual([-2, -1, 0, 1, 2, 3, 4, 5]);
  });

  test('bank_links: neighbouring days are no more alike than others', () => {
    // 1,000 days with a 30% chance each give about 300 hits; the standard deviation is 14.5, and the test allows four
    // of them.
    const hits = Array.from({ length: 1000 }, (_, day) => chanceOf(seedOf('days'), day).is(30));
    const count = hits.filter(Boolean).length;
    expect(Math.abs(count - 300)).toBeLessThan(58);
    const runs = hits.filter((hit, day) => hit && hits[day + 1]).length;
    expect(Math.abs(runs - 90)).toBeLessThan(45);
  });

  test('bank_links: amounts are whole cents within their range', () => {
    const range = fc.tuple(fc.integer({ min: 1, max: 10_000_000 }), fc.integer({ min: 0, max: 10_000_000 }));
    fc.assert(
      fc.property(range, fc.string(), ([least, span], seed) => {
        const bounds = { least: BigInt(least) * 100n, most: BigInt(least + span) * 100n };
        const amount = chanceOf(seedOf(seed), 3).amount(bounds);
        expect(amount % 100n).toBe(0n);
        expect(amount >= bounds.least && amount <= bounds.most).toBe(true);
      }),
    );
    const fixed = { least: decimal('4.50'), most: decimal('4.50') };
    expect(chanceOf(seedOf('x'), 1).amount(fixed)).toBe(45_000n);
  });

  test('bank_links: patterns are filled digit by digit', () => {
    for (let day = 0; day < 100; day++) {
      const filled = chanceOf(seedOf('pattern'), day).fill('SHOP ## 0# ############');
      expect(filled).toMatch(/^SHOP \d\d 0\d \d{12}$/);
    }
    expect(chanceOf(seedOf('pattern'), 1).fill('none')).toBe('none');
  });
});

describe('calendar', () => {
  const on = (date: string) => calendarDay(dayNamed(date));
  const anchor = dayNamed('2026-11-22');

  test.each([
    ['2024-02-29', 4, 29, 29],
    ['2026-11-22', 0, 22, 30],
    ['2100-02-28', 0, 28, 28],
    ['1970-01-01', 4, 1, 31],
    ['1969-12-31', 3, 31, 31],
  ])('bank_links: %s is known by its week and month', (date, weekday, dayOfMonth, daysInMonth) => {
    expect(on(date)).toMatchObject({ weekday, dayOfMonth, daysInMonth });
  });

  test.each([
    [{ on: 'month_day', day: 31 }, '2026-02-28', true],
    [{ on: 'month_day', day: 31 }, '2026-03-30', false],
    [{ on: 'month_day', day: 24, business_day: 'before' }, '2026-10-23', true],
    [{ on: 'month_day', day: 24, business_day: 'before' }, '2026-10-24', false],
    [{ on: 'month_day', day: 1, business_day: 'before' }, '2026-11-01', false],
    [{ on: 'last_day' }, '2028-02-29', true],
    [{ on: 'last_day' }, '2028-02-28', false],
    [{ on: 'business_days' }, '2026-11-20', true],
    [{ on: 'business_days' }, '2026-11-21', false],
    [{ on: 'weekday', weekday: 5, every: 1 }, '2026-11-20', true],
    [{ on: 'weekday', weekday: 5, every: 1 }, '2026-11-19', false],
    [{ on: 'every', days: 30, from: -165 }, '2026-11-07', true],
    [{ on: 'every', days: 30, from: -165 }, '2026-05-11', false],
    [{ on: 'once', day: -40 }, '2026-10-13', true],
    [{ on: 'once', day: -40 }, '2026-10-14', false],
    [{ on: 'paydays' }, '2026-08-14', true],
    [{ on: 'paydays' }, '2026-08-15', false],
    [{ on: 'paydays' }, '2026-10-30', true],
  ] as const)('bank_links: whether %o is on %s: %s', (calendar, date, expected) => {
    expect(isOn(calendar, on(date), anchor)).toBe(expected);
  });
});
