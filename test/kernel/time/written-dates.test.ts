/** Dates as people write and say them, in four languages. */
import { expect, test } from 'vitest';
import { parseDate } from '../../../src/kernel/time/civil-date.ts';
import { datesOf } from '../../../src/kernel/time/written-dates.ts';
import { words } from '../../support/words.ts';

const TODAY = parseDate('2026-03-15') ?? 0;

const DECEMBER_30 = [
  '1988 12 30',
  '30. 12. 1988',
  '30. 12. 88',
  ' 30.12.1988. ',
  '12 30 1988',
  'Dec 30 88',
  'Dec. 30, 1988',
  'december 30th 1988',
  'DECEMBER THE 30TH, 1988',
  '30th of December 1988',
  '1988 Dec 30',
  "30 Dec '88",
  '30 december, 1988',
  'Friday, December 30, 1988',
  'born on Dec 30 1988',
  'dob: 30.12.1988',
  'born 12/30/1988',
  '30 Dez 1988',
  '30. Dezember 1988',
  'Freitag, den 30. Dezember 1988',
  'geboren am 30.12.1988',
  '30 de diciembre de 1988',
  '30 dic 1988',
  'viernes 30 de dic. de 88',
  'el 30 de diciembre del 1988',
  '30\\12\\1988',
  '1988 30 December',
  'thirtieth of December 1988',
  'December thirtieth, 1988',
  'the 30th of December, 1988!',
  '30 décembre 1988',
  '30 déc. 1988',
  'né le 30 decembre 1988',
  'vendredi 30 décembre 88',
  ...words`
    1988-12-30 1988/12/30 1988.12.30 88-12-30 88/12/30 19881230 881230 30.12.1988 30.12.88 12.30.1988
    30/12/1988 30/12/88 12/30/1988 12/30/88 12-30-1988 12–30–88 12/30/'88 12301988 30121988 123088 301288
    ３０．１２．１９８８ 30-Dec-88 30Dec1988 30/dec/1988 1988-dec-30 30.Dez.88 1988-12-30T00:00:00Z
    1988-12-30T12:30:00.000+02:00 30/12/1988?
  `,
];

/** Two digits are a year in the past. */
const OTHERS: readonly (readonly [text: string, ...dates: string[]])[] = [
  ['1er janvier 1990', '1990-01-01'],
  ['twenty-first of May 1990', '1990-05-21'],
  ['fifth of June 1990', '1990-06-05'],
  ['3o de marzo de 1990', '1990-03-03'],
  ['1º de enero de 1990', '1990-01-01'],
  ['1. Jänner 1990', '1990-01-01'],
  ['3 février 1990', '1990-02-03'],
  ['3. März 1990', '1990-03-03'],
  ['3 Mrz 1990', '1990-03-03'],
  ['3 maerz 1990', '1990-03-03'],
  ['3 mars 1990', '1990-03-03'],
  ['3 abr 1990', '1990-04-03'],
  ['3 Mai 1990', '1990-05-03'],
  ['3 juin 1990', '1990-06-03'],
  ['3 juil. 1990', '1990-07-03'],
  ['3 Juli 1990', '1990-07-03'],
  ['3 août 1990', '1990-08-03'],
  ['3 ago 1990', '1990-08-03'],
  ['Sept 3, 1990', '1990-09-03'],
  ['3 setiembre 1990', '1990-09-03'],
  ['3. Okt. 1990', '1990-10-03'],
  ['3 Nov 1990', '1990-11-03'],
  ['29.02.00', '2000-02-29'],
  ['15.03.26', '2026-03-15'],
  ['16.03.26', '1926-03-16'],
  ['1 Jan 27', '1927-01-01'],
  ['03/04/1988', '1988-03-04', '1988-04-03'],
  ['3-4-88', '1988-03-04', '1988-04-03'],
  ['03 04 1988', '1988-03-04', '1988-04-03'],
  ['03041988', '1988-03-04', '1988-04-03'],
  ['03.04.1988', '1988-04-03'],
  ['3/3/1988', '1988-03-03'],
];

const NO_DATES = [
  '',
  ' ',
  'Feb 30 1988',
  'Dec 1988',
  '30 Dec',
  '30 jui 1988',
  '30 ju 1988',
  '30 Dec May 1988',
  '+1 415 555 2671',
  '30 12',
  '30 12 1988 5',
  '3o 12 1988',
  '30 foo 12 1988',
  '30 Dec 1988 x',
  ...words`
    garbage 31.02.1988 29.02.1989 13/13/1988 32.12.1988 0.12.1988 12/1988 1988 December 30/12-1988 30.12/88
    1988-1988-12 30.12.198 30.12.19888 415-555-2671 3o.12.1988 -30.12.1988 30+12+1988 123456789
  `,
];

test.each([
  ...DECEMBER_30.map((text) => [text, ['1988-12-30']] as const),
  ...OTHERS.map(([text, ...dates]) => [text, dates] as const),
  ...NO_DATES.map((text) => [text, []] as const),
])('datesOf: %j has the readings %j', (text, dates) => {
  expect(datesOf(text, TODAY)).toEqual(dates);
});
