import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decimal, decimalText, parseDecimal, share, times } from '../../../src/kernel/numbers/decimal.ts';
import { words } from '../../support/words.ts';

/** A range far beyond the amounts of money that occur. */
const anyDecimal = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n });

test.each([
  ['0', 0n],
  ['-0', 0n],
  ['1', 10_000n],
  ['-1', -10_000n],
  ['0.1', 1_000n],
  ['0.0001', 1n],
  ['-0.0001', -1n],
  ['12.34', 123_400n],
  ['007.50', 75_000n],
  ['999999999999.9999', 9_999_999_999_999_999n],
  ['-999999999999.9999', -9_999_999_999_999_999n],
])('parseDecimal: %s is %s ten-thousandths', (text, value) => {
  expect(parseDecimal(text)).toBe(value);
});

const NO_DECIMALS = ['', ...words`- . +1 1. .5 1.23456 1,5`, ' 1', '1 ', '1\n', ...words`1e3 0x1 --1 1- NaN`];

test.each([...NO_DECIMALS, '1234567890123', '-1234567890123', '1_000', '٣', '1.٣'])(
  'parseDecimal: %j is none',
  (text) => {
    expect(parseDecimal(text)).toBeUndefined();
  },
);

test.each(NO_DECIMALS)('decimal: %j throws, without the text', (text) => {
  expect(() => decimal(text)).toThrow(/^Not a decimal of up to four places$/);
});

test('decimal: takes more digits than may be sent, since sums have more', () => {
  expect(decimal('1234567890123456789.0001')).toBe(12_345_678_901_234_567_890_001n);
});

test.each([
  [0n, '0.00'],
  [1n, '0.0001'],
  [-1n, '-0.0001'],
  [100n, '0.01'],
  [1_230n, '0.123'],
  [-5_000n, '-0.50'],
  [10_000n, '1.00'],
  [123_400n, '12.34'],
  [123_456n, '12.3456'],
  [-12_000_000n, '-1200.00'],
  [9_999_999_999_999_999n, '999999999999.9999'],
  // A quantity.
  [0n, '0', 0],
  [10_000n, '1', 0],
  [100_000n, '10', 0],
  [15_000n, '1.5', 0],
  [-1n, '-0.0001', 0],
])('decimalText: %s ten-thousandths are %s', (value, text, places?: number) => {
  expect(decimalText(value, places)).toBe(text);
});

test('decimalText: what is written is read again, with two places or more', () => {
  fc.assert(
    fc.property(anyDecimal, (value) => {
      expect(decimalText(value)).toMatch(/^-?\d+\.\d{2,4}$/);
      expect(decimal(decimalText(value))).toBe(value);
      expect(decimal(decimalText(value, 0))).toBe(value);
    }),
  );
});

test.each([
  ['1.5', '0.01', '0.02'],
  ['0.5', '0.01', '0.01'],
  ['0.4999', '0.01', '0.00'],
  ['-0.0001', '1', '0.00'],
])('times: %s by %s is %s', (one, other, product) => {
  expect(decimalText(times(decimal(one), decimal(other)))).toBe(product);
  expect(decimalText(times(decimal(other), decimal(one)))).toBe(product);
});

test.each([
  ['0.01', 1n, 2n, '0.01'],
  ['0.03', 1n, 2n, '0.02'],
  ['0.01', 49n, 100n, '0.00'],
  ['19.99', 825n, 10_000n, '1.65'],
  ['5', 3n, 1n, '15.00'],
])('share: of %s, %s parts in %s are %s', (value, numerator, denominator, part) => {
  expect(decimalText(share(decimal(value), numerator, denominator))).toBe(part);
});

test('times, share: within half a hundredth of the exact value, and as far from zero on both sides', () => {
  const HALF = 50n;
  fc.assert(
    fc.property(anyDecimal, anyDecimal, fc.bigInt({ min: 1n, max: 10_000n }), (one, other, parts) => {
      const product = times(one, other);
      // Both sides are in hundred-millionths.
      const off = product * 10_000n - one * other;
      expect(off <= HALF * 10_000n && off >= -HALF * 10_000n).toBe(true);
      expect(product % 100n).toBe(0n);
      expect(times(-one, other)).toBe(-product);
      const part = share(one, 1n, parts);
      const missing = part * parts - one;
      expect(2n * (missing < 0n ? -missing : missing) <= 2n * HALF * parts).toBe(true);
      expect(share(-one, 1n, parts)).toBe(-part);
    }),
  );
});
