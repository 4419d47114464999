import fc from 'fast-check';
import { expect, test } from 'vitest';
import listed from '../../src/fixtures/bank-personas/securities.json' with { type: 'json' };
import { SECURITY_TYPES } from '../../src/nouns/bank-links/facts.ts';
import { startOfDay, type Day } from '../../src/kernel/time/civil-date.ts';
import { decimal } from '../../src/kernel/numbers/decimal.ts';
import { isWeekday } from '../../src/bank-simulation/calendar.ts';
import { asOf, closePrice, securityOf } from '../../src/bank-simulation/securities.ts';

const keys = listed.map(({ key }) => key);
const securities = fc.constantFrom(...keys).map(securityOf);
/** Days from 1900 to 2200: all that a clock can be set to, and more before. */
const days = fc.integer({ min: -25_567, max: 84_006 });

/** Returns the weekday by JavaScript's own calendar. */
const weekday = (day: Day) => new Date(startOfDay(day)).getUTCDay();
const isClosed = (day: Day) => [0, 6].includes(weekday(day));

/** Checks an ISIN by ISO 6166: letters become two digits, A = 10, and the digits pass the Luhn check. */
function isIsin(text: string): boolean {
  if (!/^[A-Z]{2}[A-Z0-9]{9}\d$/.test(text)) return false;
  const digits = Array.from(text, (each) => parseInt(each, 36)).join('');
  const sum = Array.from(digits)
    .reverse()
    .reduce((total, digit, index) => {
      const weighted = Number(digit) * (index % 2 === 0 ? 1 : 2);
      return total + (weighted > 9 ? weighted - 9 : weighted);
    }, 0);
  return sum % 10 === 0;
}

/** Checks a SEDOL: weights 1 3 1 7 3 9 1 over consonants and digits. */
function isSedol(text: string): boolean {
  if (!/^[0-9B-DF-HJ-NP-TV-Z]{6}\d$/.test(text)) return false;
  const weights = [1, 3, 1, 7, 3, 9, 1];
  return (
    Array.from(text).reduce((sum, each, index) => sum + parseInt(each, 36) * (weights[index] ?? 0), 0) %
      10 ===
    0
  );
}

test('securities: the checkers know published numbers and their neighbours', () => {
  // These examples stand in the descriptions of the standards.
  expect(['US0378331005', 'AU0000XVGZA3', 'GB0002634946'].map(isIsin)).toEqual([true, true, true]);
  expect(['US0378331006', 'AU0000VXGZA4'].map(isIsin)).toEqual([false, false]);
  expect(['0263494', '7108899', 'B0YBKJ7'].map(isSedol)).toEqual([true, true, true]);
  expect(['0263495', '7108898'].map(isSedol)).toEqual([false, false]);
});

test('securities: every ISIN and SEDOL has its check digit and is of a range that is never given out', () => {
  const isins = listed.flatMap(({ isin }) => isin ?? []);
  const sedols = listed.flatMap(({ sedol }) => sedol ?? []);
  for (const isin of isins) {
    expect(isIsin(isin)).toBe(true);
    // CUSIP issuers from 990000 on, and SEDOLs that begin with 9, are reserved for private use.
    expect(isin).toMatch(/^(US990\d{3}|GB009)/);
  }
  for (const sedol of sedols) {
    expect(isSedol(sedol)).toBe(true);
    expect(sedol).toMatch(/^9/);
  }
  for (const known of [isins, sedols]) {
    expect(new Set(known).size).toBe(known.length);
    expect(known.length).toBeGreaterThan(0);
    expect(known.length).toBeLessThan(listed.length);
  }
  const british = listed.find(({ isin }) => isin?.startsWith('GB'));
  expect(british?.isin?.slice(4, 11)).toBe(british?.sedol);
});

test('securities: there is one of every type, each under a key and a name of its own', () => {
  expect(new Set(listed.map(({ type }) => type))).toEqual(new Set(SECURITY_TYPES));
  expect(new Set(keys).size).toBe(listed.length);
  expect(new Set(listed.map(({ name }) => name)).size).toBe(listed.length);
  expect(() => securityOf('lottery')).toThrow('No such security');
});

test('securities: a lot costs whole cents at every price, which moves by steps', () => {
  for (const security of keys.map(securityOf)) {
    expect((security.lot * security.step) % (100n * 10_000n)).toBe(0n);
  }
  fc.assert(
    fc.property(securities, days, (security, day) => {
      expect(closePrice(security, day) % security.step).toBe(0n);
    }),
  );
});

test('securities: prices are positive and stay within what their volatility allows', () => {
  fc.assert(
    fc.property(securities, days, (security, day) => {
      const price = closePrice(security, day);
      // All swings together are 30.2 % of the base, in ten-thousandths. One step is allowed for rounding.
      const most = (security.base * 3_020n * BigInt(security.volatility)) / 1_000_000n + security.step;
      expect(price > 0n).toBe(true);
      expect(price >= security.base - most && price <= security.base + most).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});

test('securities: prices move from weekday to weekday, by a few per mille and never by more than their swings', () => {
  for (const security of keys.map(securityOf)) {
    if (security.volatility === 0) continue;
    const moves: bigint[] = [];
    let before = closePrice(security, 19_999);
    for (let day = 20_000; day < 20_700; day++) {
      const price = closePrice(security, day);
      if (!isClosed(day)) moves.push(price > before ? price - before : before - price);
      before = price;
    }
    const most = (security.base * 180n * BigInt(security.volatility)) / 1_000_000n + security.step;
    expect(moves.every((move) => move <= most)).toBe(true);
    const sum = moves.reduce((total, move) => total + move, 0n);
    // A broad market moves between 2 and 8 per mille of its base on average.
    const average = (sum * 100_000n) / (BigInt(moves.length) * BigInt(security.volatility) * security.base);
    expect(average >= 2n && average <= 8n).toBe(true);
  }
});

test('securities: a weekend repeats the close of its Friday, which is the last day with a close', () => {
  fc.assert(
    fc.property(securities, days, (security, day) => {
      const { close_day, close_price } = asOf(security, day);
      const back = [1, 0, 0, 0, 0, 0, 1];
      const expected = weekday(day) === 0 ? day - 2 : day - (back[weekday(day)] ?? 0);
      expect(close_day).toBe(expected);
      expect(isClosed(expected)).toBe(false);
      expect(close_price).toBe(closePrice(security, expected));
      expect(isWeekday(day)).toBe(!isClosed(day));
    }),
    { numRuns: 500 },
  );
});

test('securities: cash keeps the price of one dollar', () => {
  const cash = securityOf('cash_reserve');
  fc.assert(fc.property(days, (day) => closePrice(cash, day) === decimal('1')));
});
