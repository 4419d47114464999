/**
 * Reads dates as people write and say them, in English, Spanish, German and French. Pure. The packages that read dates
 * either guess at what they can't read, or need the form in advance and give one of two readings.
 */
import { type Day, parseDate } from './civil-date.ts';

/** The names of each month. Three letters of a name are enough, unless other months begin with them, too. */
const MONTHS: readonly string[] = [
  'january enero januar janner jaenner janvier',
  'february febrero februar feber fevrier',
  'march marzo marz maerz mars mrz',
  'april abril avril',
  'may mayo mai',
  'june junio juni juno juin',
  'july julio juli juillet',
  'august agosto aout',
  'september septiembre setiembre septembre',
  'october octubre oktober octobre',
  'november noviembre novembre',
  'december diciembre dezember decembre',
];
const NAMES = MONTHS.map((names) => names.split(' '));
const FEWEST_LETTERS = 3;

/** A card or a document expires within this time. */
export const EXPIRY_DAYS = 40 * 365;

/** Words around a date that add nothing to it; weekdays are cut to `WEEKDAY_LETTERS`. */
const BESIDE = new Set(
  (
    'the of on in dob born birth date day is was year de del el la le al den der am im dem vom geb geboren geburtsdatum ' +
    'ne nee nacido nacida nacio naci fecha nacimiento date naissance ano ans jahr'
  ).split(' '),
);
const WEEKDAYS =
  /^(?:(?:mon|tues?|wednes|thurs?|fri|satur|sun)(?:day)?|wed|thu|sat|(?:lun|mart|miercol|juev|viern)es|sabado|domingo|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|sonnabend|mo|di|mi|do|fr|sa|so|(?:lun|mar|mercre|jeu|vendre|same)di|dimanche)$/;

/** An `o` after a number is an ordinal only before a word: `3o.12.1988` is a slip of the keyboard. */
const TOKEN = /(\d+)(?:(?:st|nd|rd|th|ers?|ro|do|[ae])(?![a-z])|o(?=\s+[a-z]))?|([a-z]+)|([^a-z\d]+)/g;
const BEFORE = /^[\s:,.'(]*$/;
const AFTER = /^[\s\-/\\.,')?!]*$/;
/** The time of a timestamp. */
const TIME = /(?<=\d{4}-\d\d-\d\d)t\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:z|[+-]\d\d:?\d\d)?$/;

const ORDINALS = (
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth ' +
  'sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third twenty-fourth ' +
  'twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first'
).split(' ');
const WORDS = /\b(?:(?:twenty|thirty)[ -])?[a-z]+\b/g;

/** Months and days may also be numbers of one digit. */
type Parts = readonly [year: string, month: string, day: string];
/** Readings of one text, of which all that exist count; of several groups, the first that has one. */
type Readings = readonly (readonly Parts[])[];

/**
 * The dates that a text may mean, as YYYY-MM-DD; empty for a text that is no date, or one that the calendar lacks.
 * `1/2/1990` has two, with the month first, and then with the day first. Between dots the day comes first, unless there
 * is no such day. A year of two digits is the latest one with which the date isn't after `today`.
 */
export function datesOf(text: string, today: Day): string[] {
  const numbers: string[] = [];
  const gaps: string[] = [];
  let month: { readonly name: string; readonly at: number } | undefined;
  let gap = '';
  for (const [, number, word, other = ''] of plain(text).matchAll(TOKEN)) {
    if (number !== undefined) {
      if (numbers.length > 0) gaps.push(gap.replace(/[\s']/g, ''));
      gap = '';
      numbers.push(number);
    } else if (word === undefined) {
      if (!(numbers.length === 0 && month === undefined ? BEFORE : AFTER).test(other)) return [];
      gap += other;
    } else if (BESIDE.has(word) || WEEKDAYS.test(word)) gap += ' ';
    else {
      const name = monthNamed(word);
      if (name === undefined || month !== undefined) return [];
      month = { name, at: numbers.length };
    }
  }
  const readings = month === undefined ? numeric(numbers, gaps) : withMonth(numbers, month);
  const dates = readings.map((group) => [...new Set(group.flatMap((parts) => realDate(parts, today)))]);
  return dates.find((group) => group.length > 0) ?? [];
}

/** Whether a word names a month, or begins as one name does. */
export function isMonth(word: string): boolean {
  return monthNamed(plain(word)) !== undefined;
}

function plain(text: string): string {
  return text
    .replace(/[ºª°]/gu, '')
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{Mn}/gu, '')
    .replace(/[’‘ʼ]/gu, "'")
    .replace(/[‐-―]/gu, '-')
    .replace(TIME, '')
    .replace(WORDS, (words) => {
      const at = ORDINALS.indexOf(words.replace(' ', '-'));
      return at < 0 ? words : String(at + 1);
    });
}

function monthNamed(word: string): string | undefined {
  const isShort = word.length < FEWEST_LETTERS;
  const months = NAMES.flatMap((names, at) =>
    !isShort && names.some((name) => name.startsWith(word)) ? [String(at + 1)] : [],
  );
  return months.length === 1 ? months[0] : undefined;
}

/** `at`: how many numbers stand before the name. */
function withMonth(
  [one = '', other = '', ...more]: readonly string[],
  { name, at }: { readonly name: string; readonly at: number },
): Readings {
  if (more.length > 0 || (at === 2 && !isYear(one))) return [];
  return [[at > 0 && isYear(one) ? [one, name, other] : [other, name, one]]];
}

function numeric(
  [one = '', two = '', three = '', ...more]: readonly string[],
  gaps: readonly string[],
): Readings {
  if (two === '') return ofDigits(one);
  const [separator = '', again] = gaps;
  if (more.length > 0 || separator !== again || separator.length > 1) return [];
  if (isYear(one)) return [[[one, two, three]]];
  const [monthFirst, dayFirst]: readonly [Parts, Parts] = [
    [three, one, two],
    [three, two, one],
  ];
  return separator === '.' ? [[dayFirst], [monthFirst]] : [[monthFirst, dayFirst]];
}

/** Digits without anything between them: `19881230`, `12301988`, `301288`. */
function ofDigits(digits: string): Readings {
  const [first = '', second = '', third = '', fourth = ''] = digits.match(/\d\d/g) ?? [];
  const [start, end] = [first + second, third + fourth];
  if (digits.length === 6) {
    return [
      [
        [third, first, second],
        [third, second, first],
      ],
      [[first, second, third]],
    ];
  }
  if (digits.length !== 8) return [];
  const all: readonly Parts[] = [
    [start, third, fourth],
    [end, first, second],
    [end, second, first],
  ];
  return [all.filter(([year]) => LIKELY_YEAR.test(year))];
}

const LIKELY_YEAR = /^(?:1[89]|2[01])\d\d$/;
const MOST_DAYS = 31;

/** Whether a number can only be the year. */
function isYear(number: string): boolean {
  return number.length === 4 || (number.length === 2 && Number(number) > MOST_DAYS);
}

/** None or one. */
function realDate([year, month, day]: Parts, today: Day): string[] {
  const years = year.length === 4 ? [year] : year.length === 2 ? [`20${year}`, `19${year}`] : [];
  const dates = years.flatMap((each) => {
    const date = `${each}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
    const parsed = parseDate(date);
    return parsed === undefined || (year.length === 2 && parsed > today) ? [] : [date];
  });
  return dates.slice(0, 1);
}
