import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dateText, dayOf, parseDate, parseInstant, startOfDay } from '../../../src/kernel/time/civil-date.ts';
import { DAY_MS } from '../../../src/kernel/numbers/units.ts';
import { words } from '../../support/words.ts';

/** From 0001-01-01 to 9999-12-31. */
const anyDay = fc.integer({ min: -719_162, max: 2_932_896 });

test.each([
  ['1970-01-01', 0],
  ['1970-01-02', 1],
  ['1969-12-31', -1],
  // Thirty years of 365 days, and seven leap days.
  ['2000-01-01', 10_957],
  ['2000-02-29', 11_016],
  ['2000-03-01', 11_017],
  ['2026-03-01', 20_513],
  ['0001-01-01', -719_162],
  ['9999-12-31', 2_932_896],
])('parseDate, dateText: %s is day %i', (text, day) => {
  expect(parseDate(text)).toBe(day);
  expect(dateText(day)).toBe(text);
});

const NO_DAYS = words`2025-02-30 2025-02-29 1900-02-29 2100-02-29 2025-04-31 2025-13-01 2025-00-01`;
const NO_FORM = ['', ...words`2025-1-01 2025-01-1 20250101 2025/01/01 01-01-2025 +2025-01-01 -2025-01-01`];
const WITH_MORE = [
  '2025-01-01T00:00:00Z',
  '2025-01-01 ',
  ' 2025-01-01',
  '2025-01-01\n',
  '12025-01-01',
  '２０２５-01-01',
];

test.each([...NO_DAYS, '2025-01-00', '2025-01-32', ...NO_FORM, ...WITH_MORE])(
  'parseDate: %j is no day',
  (text) => {
    expect(parseDate(text)).toBeUndefined();
  },
);

test.each<[string, number | undefined]>([
  ['2026-01-31T12:00:00.5+02:00', Date.UTC(2026, 0, 31, 10, 0, 0, 500)],
  ['2026-01-31T12:00Z', Date.UTC(2026, 0, 31, 12)],
  ['2026-01-31', Date.UTC(2026, 0, 31)],
  ...NO_DAYS.map((day) => [`${day}T12:00:00Z`, undefined] as [string, undefined]),
  ...words`2026-01-31T12:00:00 2026-01-31T12Z 2026-01-31T25:00:00Z 2026-01-31T12:00:00+25:00 2026-01-31Z`.map(
    (text): [string, undefined] => [text, undefined],
  ),
])('parseInstant: %j is %j', (text, expected) => {
  expect(parseInstant(text)).toBe(expected);
});

test('dateText: is read as the day that it was', () => {
  fc.assert(
    fc.property(anyDay, (day) => {
      expect(parseDate(dateText(day))).toBe(day);
    }),
  );
});

test('dayOf: is the day of its first and its last millisecond, and of all between, before 1970 too', () => {
  fc.assert(
    fc.property(anyDay, fc.integer({ min: 0, max: DAY_MS - 1 }), (day, passed) => {
      expect([dayOf(startOfDay(day)), dayOf(startOfDay(day) + passed)]).toEqual([day, day]);
      expect([dayOf(startOfDay(day) - 1), dayOf(startOfDay(day + 1) - 1)]).toEqual([day - 1, day]);
    }),
  );
});

test('startOfDay: is midnight, UTC', () => {
  expect(startOfDay(20_513)).toBe(Date.UTC(2026, 2, 1));
});
