import { expect, test } from 'vitest';
import { groupedByDay } from '../../../src/console/widgets/timeline.tsx';

const shown = (entries: readonly { at: string; title: string }[]) =>
  groupedByDay(entries).map(({ heading, entries: ofDay }) => [
    heading,
    ...ofDay.map(({ entry, time }) => `${time} ${entry.title}`),
  ]);

test('groupedByDay: newest first, those of one moment as they came', () => {
  const entries = [
    { at: '2026-03-04T23:30:00Z', title: 'a' },
    { at: '2026-03-05T00:10:00.000Z', title: 'b' },
    { at: '2026-03-05T00:10:00Z', title: 'c' },
    { at: '2026-02-28T12:00:00+02:00', title: 'd' },
  ];
  expect(shown(entries)).toEqual([
    ['Thu 5 March 2026', '00:10:00 b', '00:10:00 c'],
    ['Wed 4 March 2026', '23:30:00 a'],
    ['Sat 28 February 2026', '10:00:00 d'],
  ]);
});

test('groupedByDay: times that cannot be read come last, under their own text', () => {
  const entries = [
    { at: 'soon', title: 'a' },
    { at: '2026-03-04T23:30:00Z', title: 'b' },
  ];
  expect(shown(entries)).toEqual([
    ['Wed 4 March 2026', '23:30:00 b'],
    ['soon', ' a'],
  ]);
});
