import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  placeOn,
  tableOf,
  timeScale,
  timeText,
  valueScale,
} from '../../../src/console/widgets/plot-scale.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/kernel/numbers/units.ts';

test.each([
  [[], [0, 1]],
  [[0], [0, 1]],
  [
    [3, 7],
    [0, 2, 4, 6, 8],
  ],
  [[12], [0, 5, 10, 15]],
  [[0.3], [0, 0.1, 0.2, 0.3]],
  [
    [-30, 90],
    [-50, 0, 50, 100],
  ],
  [[-4], [-4, -3, -2, -1, 0]],
])('valueScale: %j has ticks at %j', (values, ticks) => {
  const scale = valueScale(values);
  expect([scale.ticks[0], scale.ticks.at(-1)]).toEqual([scale.from, scale.to]);
  expect(scale.ticks).toEqual(ticks);
});

test('valueScale: any values are within a few ascending ticks', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: -1e9, max: 1e9, noNaN: true })), (values) => {
      const { from, to, ticks } = valueScale(values);
      const slack = (to - from) * 1e-9;
      expect(ticks.length).toBeGreaterThan(1);
      expect(ticks.length).toBeLessThan(8);
      for (const value of [...values, 0]) {
        expect(value).toBeGreaterThanOrEqual(from - slack);
        expect(value).toBeLessThanOrEqual(to + slack);
      }
      expect([...ticks].sort((a, b) => a - b)).toEqual(ticks);
    }),
  );
});

const START = Date.UTC(2026, 2, 4, 22, 3);

test.each([
  [30 * SECOND_MS, ['22:03:00', '22:03:15', '22:03:30']],
  [25 * MINUTE_MS, ['22:15']],
  [50 * MINUTE_MS, ['22:15', '22:30', '22:45']],
  [10 * HOUR_MS, ['00:00', '03:00', '06:00']],
  [20 * DAY_MS, ['5 Mar', '12 Mar', '19 Mar']],
])('timeScale: %i ms after 4 March, 22:03', (span, texts) => {
  const scale = timeScale([START, START + span]);
  expect(scale.ticks.map((tick) => timeText(tick, scale.step)).slice(0, texts.length)).toEqual(texts);
  expect(scale.ticks.length).toBeLessThanOrEqual(5);
});

test('timeScale: one moment and no moment at all', () => {
  const one = timeScale([START]);
  expect([one.from, one.to, one.ticks]).toEqual([START, START, [START]]);
  expect(placeOn(one, START, [10, 20])).toBe(15);
  expect(timeScale([]).ticks).toEqual([]);
});

test('placeOn: ends and what is between them', () => {
  const scale = valueScale([4]);
  expect([0, 1, 4].map((value) => placeOn(scale, value, [100, 0]))).toEqual([100, 75, 0]);
});

test('tableOf: each time once, ascending; what a series lacks is undefined, and unreadable times are left out', () => {
  const table = tableOf([
    {
      points: [
        { at: '2026-03-04T01:00:00Z', value: 2 },
        { at: 'never', value: 9 },
      ],
    },
    {
      points: [
        { at: '2026-03-04T00:00:00Z', value: 1 },
        { at: '2026-03-04T01:00:00.000Z', value: 3 },
      ],
    },
  ]);
  expect(table.map(({ values }) => values)).toEqual([
    [undefined, 1],
    [2, 3],
  ]);
});
