/** The values that `by` of PUT /_kyclone/clock accepts (contract §11). */
import { expect, test } from 'vitest';
import { parseDuration } from '../../../src/kernel/time/duration.ts';
import { words } from '../../support/words.ts';

const NOON = Date.UTC(2026, 0, 31, 12);
const DAY = 86_400_000;

test.each([
  ['0s', 0],
  ['250ms', 250],
  ['90s', 90_000],
  ['5m', 300_000],
  ['2h', 7_200_000],
  ['1d', DAY],
  ['1.5h', 5_400_000],
  ['0.0004s', 0],
  ['-30m', -1_800_000],
  ['+30m', 1_800_000],
  ['PT1S', 1_000],
  ['PT0.5S', 500],
  ['PT0,5S', 500],
  ['PT1.5H', 5_400_000],
  ['P1DT2H3M4S', DAY + 7_384_000],
  ['P2W', 14 * DAY],
  ['P0.5D', DAY / 2],
  ['-P1D', -DAY],
  ['+P1D', DAY],
  ['-PT90M', -5_400_000],
])('parseDuration: %s is %i ms', (text, ms) => {
  expect(parseDuration(text, NOON)).toBe(ms);
});

test.each([
  ['P1M', '2026-01-31T12:00:00Z', '2026-02-28T12:00:00Z'],
  ['P1M', '2026-02-28T12:00:00Z', '2026-03-28T12:00:00Z'],
  ['-P1M', '2026-03-31T12:00:00Z', '2026-02-28T12:00:00Z'],
  ['P1Y', '2024-02-29T12:00:00Z', '2025-02-28T12:00:00Z'],
  ['-P4Y', '2024-02-29T12:00:00Z', '2020-02-29T12:00:00Z'],
  ['P13M', '2026-12-15T23:59:59Z', '2028-01-15T23:59:59Z'],
  ['P1Y2M10DT2H', '2026-01-01T00:00:00Z', '2027-03-11T02:00:00Z'],
  ['P1M1D', '2026-01-31T12:00:00Z', '2026-03-01T12:00:00Z'],
])('parseDuration: %s from %s leads to %s', (text, from, to) => {
  expect(parseDuration(text, Date.parse(from))).toBe(Date.parse(to) - Date.parse(from));
});

test.each([
  '',
  ' 1h',
  '1h ',
  '1 h',
  'P1D ',
  ...words`
    1H 1w 1y 90 h .5h 1.h 1e3s --1h 1h30m P PT P1 P1H PT1D P1DT p1d P-1D P1D1Y P1.5M P1.5Y P1.5DT1H PT1.5.5S
    Infinity NaN
  `,
  // Beyond all dates.
  '999999999999999d',
  'P999999Y',
  `P${'9'.repeat(300)}D`,
])('parseDuration: %j is none', (text) => {
  expect(parseDuration(text, NOON)).toBeUndefined();
});
