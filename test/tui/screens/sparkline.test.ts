import { expect, test } from 'vitest';
import { sparkline } from '../../../src/nouns/bank-links/screen/ledger.ts';

const big = (...numbers: number[]) => numbers.map(BigInt);

test('sparkline: nothing is no bars, and no width neither', () => {
  expect(sparkline([], 20)).toBe('');
  expect(sparkline(big(1, 2), 0)).toBe('');
  expect(sparkline(big(1, 2), -3)).toBe('');
});

test('sparkline: one number, and numbers that are all the same, stand in the middle', () => {
  expect(sparkline(big(7), 20)).toBe('▄');
  expect(sparkline(big(-5, -5, -5), 20)).toBe('▄▄▄');
});

test('sparkline: the lowest is at the bottom, the highest at the top, what is between at the nearest bar', () => {
  expect(sparkline(big(0, 1, 2, 3, 4, 5, 6, 7), 20)).toBe('▁▂▃▄▅▆▇█');
  expect(sparkline(big(0, 49, 50, 100), 20)).toBe('▁▄▅█');
});

test('sparkline: negative numbers are lower than zero', () => {
  expect(sparkline(big(-10, 0, 10), 20)).toBe('▁▅█');
  expect(sparkline(big(-1, -8), 20)).toBe('█▁');
});

test('sparkline: more numbers than cells show the last of each share, the newest always', () => {
  expect(sparkline(big(9, 0, 9, 7), 2)).toBe('▁█');
  const many = Array.from({ length: 90 }, (_, at) => BigInt(at));
  expect(sparkline(many, 20)).toHaveLength(20);
  expect(sparkline(many, 20).at(-1)).toBe('█');
});

test('sparkline: numbers that no float holds stay distinct', () => {
  const huge = 10n ** 30n;
  expect(sparkline([huge, huge + 1n], 20)).toBe('▁█');
});
