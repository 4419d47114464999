import fc from 'fast-check';
import { expect, it } from 'vitest';
import { applyTransformsAtOnce, parseChain } from '../../../src/vault/transforms/index.ts';
import { failureOf, parseRefusal } from './refusal.ts';
import { words } from '../../support/words.ts';

const convert = (value: string, from: string, to: string): unknown =>
  applyTransformsAtOnce(parseChain(`date_format('${from}','${to}')`), value);

const EVERY_SPECIFIER = '%Y %y %m %d %e %j %B %b %h %A %a %H %I %M %S %p %f %F %T %D %R %z %Z %s %%';

it('date_format: the example of the contract', () => {
  expect(convert('1988-12-30', '%Y-%m-%d', '%A in %B of %y')).toBe('Friday in December of 88');
});

it.each([
  // 1000000000 is 2001-09-09 01:46:40 UTC, a Sunday, day 252 of its year.
  [
    '1000000000',
    '%s',
    EVERY_SPECIFIER,
    '2001 01 09 09  9 252 September Sep Sep Sunday Sun 01 01 46 40 AM 000000 2001-09-09 01:46:40 09/09/01 01:46 +0000 UTC 1000000000 %',
  ],
  // One second before the epoch: 1969-12-31 23:59:59, a Wednesday, day 365.
  [
    '-1',
    '%s',
    EVERY_SPECIFIER,
    '1969 69 12 31 31 365 December Dec Dec Wednesday Wed 23 11 59 59 PM 000000 1969-12-31 23:59:59 12/31/69 23:59 +0000 UTC -1 %',
  ],
  ['%', '%%', '%F %T.%f', '1970-01-01 00:00:00.000000'],
  ['17:05', '%H:%M', '%F %T', '1970-01-01 17:05:00'],
  ['88', '%y', '%F', '1988-01-01'],
  ['68', '%y', '%Y', '2068'],
  ['69', '%y', '%Y', '1969'],
  ['00', '%y', '%Y', '2000'],
  ['99', '%y', '%Y', '1999'],
  ['0045-03-01', '%F', '%Y-%m-%d %j', '0045-03-01 060'],
  ['9999-12-31', '%F', '%D', '12/31/99'],
  ['2000-02-29', '%F', '%j', '060'],
  ['2024 366', '%Y %j', '%F', '2024-12-31'],
  ['2023 060', '%Y %j', '%F', '2023-03-01'],
  ['1/5/1988', '%m/%d/%Y', '%F', '1988-01-05'],
  ['19880105', '%Y%m%d', '%e|%d', ' 5|05'],
  [' 5 5 05', '%e %e %e', '%d', '05'],
  ['15 15', '%e %d', '%d', '15'],
  ['12 AM', '%I %p', '%H', '00'],
  ['12 PM', '%I %p', '%H', '12'],
  ['01 pm', '%I %p', '%H', '13'],
  ['11', '%I', '%H %I %p', '11 11 AM'],
  ['12', '%I', '%H %I %p', '00 12 AM'],
  ['PM', '%p', '%H', '12'],
  ['17 PM', '%H %p', '%I %p', '05 PM'],
  ['DECEMBER 30 1988', '%B %d %Y', '%b %h', 'Dec Dec'],
  ['may may May', '%B %b %h', '%m', '05'],
  ['Monday Fri 1988-12-30', '%A %a %F', '%A %a', 'Friday Fri'],
  ['12:00:00.5', '%T.%f', '%f', '500000'],
  ['12:00:00.000001', '%T.%f', '%f', '000001'],
  ['-1.25', '%s.%f', '%T.%f', '23:59:59.250000'],
  ['2020-01-01T00:30+0130', '%FT%R%z', '%F %R', '2019-12-31 23:00'],
  ['2020-01-01T00:30-01:30', '%FT%R%z', '%F %R%z', '2020-01-01 02:00+0000'],
  ['2020-01-01T00:30Z', '%FT%R%z', '%F %R%Z', '2020-01-01 00:30UTC'],
  ['2020-01-01 00:30 utc', '%F %R %Z', '%R', '00:30'],
  ['2020-01-01 00:30 GMT', '%F %R %Z', '%R', '00:30'],
  ['100%', '%j%%', '%F', '1970-04-10'],
  ['1988-12-30 88', '%F %y', '%F', '1988-12-30'],
  ['1888-12-30 88', '%F %y', '%F', '1888-12-30'],
  ['1988-12-30 365', '%F %j', '%F', '1988-12-30'],
  ['0 1970', '%s %Y', '%F', '1970-01-01'],
  ['3600 +0100 02', '%s %z %H', '%H', '01'],
  ['\0🦊1988', '\0🦊%Y', '🦊%Y\0', '🦊1988\0'],
  ['1988', '%Y', '$&%%', '$&%'],
])('date_format: %j by %j to %j', (value, from, to, expected) => {
  expect(convert(value, from, to)).toBe(expected);
});

it.each([
  ['an empty value', '', '%Y'],
  ['another form', '30.12.1988', '%Y-%m-%d'],
  ['text behind the date', '1988-12-30 ', '%Y-%m-%d'],
  ['text before the date', ' 1988-12-30', '%Y-%m-%d'],
  ['a missing part', '1988-12', '%Y-%m-%d'],
  ['29 February of a common year', '2023-02-29', '%F'],
  ['29 February of 1900', '1900-02-29', '%F'],
  ['29 February without a year, which is 1970', '02-29', '%m-%d'],
  ['30 February', '2024-02-30', '%F'],
  ['31 April', '2024-04-31', '%F'],
  ['month 13', '2024-13-01', '%F'],
  ['month 0', '2024-00-01', '%F'],
  ['day 0', '2024-01-00', '%F'],
  ['day 32', '2024-01-32', '%F'],
  ['day 366 of a common year', '2023 366', '%Y %j'],
  ['day 0 of a year', '2023 0', '%Y %j'],
  ['hour 24', '24:00', '%H:%M'],
  ['minute 60', '12:60', '%H:%M'],
  ['second 60', '23:59:60', '%T'],
  ['hour 0 of 12', '00 AM', '%I %p'],
  ['hour 13 of 12', '13 PM', '%I %p'],
  ['a year of two digits by %Y', '88', '%Y'],
  ['a year of three digits', '988-01-01', '%F'],
  ['a year of five digits', '10000-01-01', '%F'],
  ['one digit by %y', '8', '%y'],
  ['a sign', '+988', '%Y'],
  ['blanks before a number', ' 5', '%d'],
  ['two blanks by %e', '  5', '%e'],
  ['a blank and two digits by %e', ' 15', '%e'],
  ['Arabic digits', '١٩٨٨', '%Y'],
  ['a month that is not English', 'Dezember', '%B'],
  ['a short month by %B', 'Dec', '%B'],
  ['a full month by %b', 'December', '%b'],
  ['a word that is no weekday', 'Foo', '%a'],
  ['a fraction of seven digits', '0.1234567', '%s.%f'],
  ['a zone without a single meaning', '12:00 EST', '%R %Z'],
  ['an offset of 24 hours', '12:00 +2400', '%R %z'],
  ['an offset of 60 minutes', '12:00 +0060', '%R %z'],
  ['text before an offset', '12:00 x+0100', '%R %z'],
  ['an offset of hours only', '12:00 +01', '%R %z'],
  ['a moment after the year 9999', '253402300800', '%s'],
  ['a moment before the year 0', '-62167219201', '%s'],
  ['an offset that leaves the years', '0000-01-01 +0001', '%F %z'],
  ['a huge number of seconds', '9'.repeat(400), '%s'],
  ['a minus without digits', '-', '%s'],
  ['two years that differ', '1988 1989', '%Y %Y'],
  ['years that contradict', '1988 89', '%Y %y'],
  ['a day of the year that contradicts', '1988-12-30 001', '%F %j'],
  ['hours that contradict', '13 02 PM', '%H %I %p'],
  ['a half of the day that contradicts', '13 AM', '%H %p'],
  ['seconds since the epoch that contradict', '0 1971', '%s %Y'],
  ['zones that contradict', '+0100 UTC', '%z %Z'],
])('date_format: fails on %s', (_case, value, from) => {
  expect(failureOf(() => convert(value, from, '%F'))).toEqual({
    code: 'transform_failed',
    message: 'transform date_format failed',
    transform: 'date_format',
  });
});

it.each([
  '% ',
  ...words`
      %Q %L %U %x %c %n %-d %_d %0d %Ey %G %q %é a% %%% % %toString %1 %E %C %k %l %P %u %w %V %X %r %t %+
    `,
])('date_format: refuses the unknown specifier of %j, in either pattern', (pattern) => {
  const message = (which: string): string => `Transform date_format: ${which} has an unknown specifier`;
  expect(parseRefusal(`date_format('${pattern}','%Y')`).message).toBe(message('from'));
  expect(parseRefusal(`date_format('%Y','${pattern}')`).message).toBe(message('to'));
});

const FIRST = Date.UTC(100, 0, 1) / 1000;
const LAST = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000;
const seconds = fc.integer({ min: FIRST, max: LAST });

it('date_format: prints what Intl and ISO 8601 say', () => {
  const long = new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', weekday: 'long', month: 'long' });
  const clock = new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', hour: 'numeric', hour12: true });
  const part = (format: Intl.DateTimeFormat, date: Date, type: string): string =>
    format.formatToParts(date).find((candidate) => candidate.type === type)?.value ?? '';
  fc.assert(
    fc.property(seconds, (at) => {
      const date = new Date(at * 1000);
      expect(convert(String(at), '%s', '%A|%B|%I|%p|%FT%T')).toBe(
        [
          part(long, date, 'weekday'),
          part(long, date, 'month'),
          part(clock, date, 'hour').padStart(2, '0'),
          part(clock, date, 'dayPeriod'),
          date.toISOString().slice(0, 19),
        ].join('|'),
      );
    }),
  );
});

it('date_format: reads back what it prints', () => {
  const patterns = [
    EVERY_SPECIFIER,
    '%F %T',
    '%Y%j%H%M%S',
    '%A %e %B %Y %I:%M:%S %p',
    '%a, %d %b %Y %T %z',
    '%T %y %D %Y',
    '%Z%s',
  ];
  fc.assert(
    fc.property(seconds, fc.constantFrom(...patterns), (at, pattern) => {
      expect(convert(String(convert(String(at), '%s', pattern)), pattern, '%s')).toBe(String(at));
    }),
  );
});

it('date_format: gives a text or transform_failed for any value', () => {
  const dateLike = fc.stringMatching(/^[0-9 :+A-Z-]{0,20}$/);
  const patterns = fc
    .array(fc.constantFrom(...EVERY_SPECIFIER.split(' '), '-', ' ', ':'), { maxLength: 6 })
    .map((list) => ['%Y', ...list].join(''));
  fc.assert(
    fc.property(fc.oneof(dateLike, fc.string({ unit: 'binary' })), patterns, (value, pattern) => {
      try {
        expect(convert(value, pattern, '%F')).toMatch(/^\d{4}-\d\d-\d\d$/);
      } catch (error) {
        expect(error).toMatchObject({ code: 'transform_failed' });
      }
    }),
    { numRuns: 2_000 },
  );
});
