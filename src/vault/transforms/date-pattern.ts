/** An instant in the years 0000 to 9999: whole seconds since 1970-01-01 00:00:00 UTC and the fraction above them. */
interface CalendarMoment {
  readonly epochSeconds: number;
  readonly microsecond: number;
}

/** The parts of a moment that patterns can read or print. Months and days count from 1, weekdays from Sunday, 0. */
interface CalendarParts {
  readonly year: number;
  readonly yearOfCentury: number;
  readonly month: number;
  readonly day: number;
  readonly dayOfYear: number;
  readonly weekday: number;
  readonly hour: number;
  readonly hour12: number;
  /** 0 before noon, 1 from noon. */
  readonly halfOfDay: number;
  readonly minute: number;
  readonly second: number;
  readonly microsecond: number;
  /** East of UTC. */
  readonly offsetMinutes: number;
  readonly epochSeconds: number;
}
type CalendarPart = keyof CalendarParts;

const MINUTE_SECONDS = 60;
const DAY_SECONDS = 86_400;
const YEAR_0000_EPOCH_SECONDS = -62_167_219_200;
const YEAR_10000_EPOCH_SECONDS = 253_402_300_800;
/** Two-digit years up to this one are in 20xx (contract §3.2). */
const LAST_YEAR_OF_20XX = 68;

/** The parts of a moment on a clock `offsetMinutes` east of UTC, in the Gregorian calendar. */
function partsOf({ epochSeconds, microsecond }: CalendarMoment, offsetMinutes: number): CalendarParts {
  const date = new Date((epochSeconds + offsetMinutes * MINUTE_SECONDS) * 1000);
  const year = date.getUTCFullYear();
  const hour = date.getUTCHours();
  return {
    year,
    yearOfCentury: year % 100,
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    dayOfYear: Math.floor((date.getTime() / 1000 - dateSeconds(year, 1, 1)) / DAY_SECONDS) + 1,
    weekday: date.getUTCDay(),
    hour,
    hour12: hour % 12 || 12,
    halfOfDay: hour < 12 ? 0 : 1,
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    microsecond,
    offsetMinutes,
    epochSeconds,
  };
}

/**
 * The moment with the given parts; missing ones are those of 1970-01-01 00:00:00 UTC.
 *
 * Undefined unless the moment has all of the given parts. This one rule refuses 30 February, hour 25, day 366 of a
 * common year, and parts that contradict each other.
 */
function momentOf(given: ReadonlyMap<CalendarPart, number>): CalendarMoment | undefined {
  const offsetMinutes = given.get('offsetMinutes') ?? 0;
  const epochSeconds = given.get('epochSeconds') ?? clockSeconds(given) - offsetMinutes * MINUTE_SECONDS;
  if (epochSeconds < YEAR_0000_EPOCH_SECONDS || epochSeconds >= YEAR_10000_EPOCH_SECONDS) return undefined;
  const moment = { epochSeconds, microsecond: given.get('microsecond') ?? 0 };
  const parts = partsOf(moment, offsetMinutes);
  return [...given].every(([part, value]) => parts[part] === value) ? moment : undefined;
}

/** The seconds since the epoch of the given date and time, taken as UTC. */
function clockSeconds(given: ReadonlyMap<CalendarPart, number>): number {
  const year = given.get('year') ?? yearFromCentury(given.get('yearOfCentury') ?? 70);
  const dayOfYear = given.get('dayOfYear');
  const date =
    dayOfYear === undefined
      ? dateSeconds(year, given.get('month') ?? 1, given.get('day') ?? 1)
      : dateSeconds(year, 1, dayOfYear);
  const hour = given.get('hour') ?? ((given.get('hour12') ?? 12) % 12) + 12 * (given.get('halfOfDay') ?? 0);
  const minutes = hour * 60 + (given.get('minute') ?? 0);
  return date + minutes * MINUTE_SECONDS + (given.get('second') ?? 0);
}

function yearFromCentury(yearOfCentury: number): number {
  return yearOfCentury + (yearOfCentury <= LAST_YEAR_OF_20XX ? 2000 : 1900);
}

/**
 * Midnight UTC of a date; a day past the month's end continues in the next month. `Date.UTC` alone would shift the
 * years 0 to 99.
 */
function dateSeconds(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day) / 1000;
}

/**
 * The strftime patterns of `date_format` (contract §3.2). One table of specifiers both reads and prints; English, UTC.
 *
 * Reading is strict: the whole value must match and be an existing moment (see `momentOf`). As in strptime, numbers may
 * lack leading zeros and names may be in either letter case. Weekday names are read but not checked.
 */

export interface DatePattern {
  /** The moment in `text`; undefined when it doesn't match or doesn't exist. */
  parse(text: string): CalendarMoment | undefined;
  format(moment: CalendarMoment): string;
}

interface Specifier {
  readonly part: CalendarPart;
  /** The number at `at` and the position after it; undefined when there is none. */
  read(text: string, at: number): { value: number; end: number } | undefined;
  print(value: number): string;
}

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
const short = (words: readonly string[]): string[] => words.map((word) => word.slice(0, 3));

const SPECIFIERS: ReadonlyMap<string, Specifier> = new Map([
  ['Y', digits('year', { least: 4, most: 4 })],
  ['y', digits('yearOfCentury', { least: 2, most: 2 })],
  ['m', digits('month', { most: 2 })],
  ['d', digits('day', { most: 2 })],
  ['e', spacePadded('day')],
  ['j', digits('dayOfYear', { most: 3 })],
  ['B', words('month', MONTHS, 1)],
  ['b', words('month', short(MONTHS), 1)],
  ['A', words('weekday', WEEKDAYS, 0)],
  ['a', words('weekday', short(WEEKDAYS), 0)],
  ['H', digits('hour', { most: 2 })],
  ['I', digits('hour12', { most: 2 })],
  ['p', words('halfOfDay', ['AM', 'PM'], 0)],
  ['M', digits('minute', { most: 2 })],
  ['S', digits('second', { most: 2 })],
  ['f', fraction()],
  ['z', offset()],
  ['Z', zone()],
  ['s', epochSeconds()],
]);

/** Specifiers that are short for a pattern. */
const SHORTHANDS: ReadonlyMap<string, string> = new Map([
  ['h', '%b'],
  ['F', '%Y-%m-%d'],
  ['T', '%H:%M:%S'],
  ['D', '%m/%d/%y'],
  ['R', '%H:%M'],
]);

/** Reads a pattern; undefined when it has an unknown specifier or ends in a lone `%`. */
export function readDatePattern(pattern: string): DatePattern | undefined {
  const steps = readSteps(pattern);
  return steps && { parse: (text) => parse(steps, text), format: (moment) => format(steps, moment) };
}

/** A specifier, or literal text. */
type Step = Specifier | string;

function readSteps(pattern: string): Step[] | undefined {
  const steps: Step[] = [];
  let copied = 0;
  for (let at = pattern.indexOf('%'); at !== -1; at = pattern.indexOf('%', copied)) {
    steps.push(pattern.slice(copied, at));
    const read = readSpecifier(pattern.charAt(at + 1));
    if (read === undefined) return undefined;
    steps.push(...read);
    copied = at + 2;
  }
  return [...steps, pattern.slice(copied)];
}

function readSpecifier(letter: string): Step[] | undefined {
  if (letter === '%') return ['%'];
  const shorthand = SHORTHANDS.get(letter);
  if (shorthand !== undefined) return readSteps(shorthand);
  const specifier = SPECIFIERS.get(letter);
  return specifier && [specifier];
}

function format(steps: readonly Step[], moment: CalendarMoment): string {
  const parts = partsOf(moment, 0);
  return steps.map((step) => (typeof step === 'string' ? step : step.print(parts[step.part]))).join('');
}

function parse(steps: readonly Step[], text: string): CalendarMoment | undefined {
  const given = new Map<CalendarPart, number>();
  let at = 0;
  for (const step of steps) {
    if (typeof step === 'string') {
      if (!text.startsWith(step, at)) return undefined;
      at += step.length;
      continue;
    }
    const found = step.read(text, at);
    if (found === undefined) return undefined;
    at = found.end;
    if (step.part === 'weekday') continue;
    if ((given.get(step.part) ?? found.value) !== found.value) return undefined;
    given.set(step.part, found.value);
  }
  return at === text.length ? momentOf(given) : undefined;
}

/** The position after the decimal digits at `at`, at most `most` of them. */
function endOfDigits(text: string, at: number, most: number): number {
  let end = at;
  while (end - at < most && text.charAt(end) >= '0' && text.charAt(end) <= '9') end++;
  return end;
}

function digits(part: CalendarPart, { least = 1, most }: { least?: number; most: number }): Specifier {
  return {
    part,
    read: (text, at) => {
      const end = endOfDigits(text, at, most);
      return end - at < least ? undefined : { value: Number(text.slice(at, end)), end };
    },
    print: (value) => String(value).padStart(most, '0'),
  };
}

/** Two digits; a blank may replace the leading zero, and does so when printed. */
function spacePadded(part: CalendarPart): Specifier {
  const oneDigit = digits(part, { most: 1 });
  const twoDigits = digits(part, { most: 2 });
  return {
    part,
    read: (text, at) => (text[at] === ' ' ? oneDigit.read(text, at + 1) : twoDigits.read(text, at)),
    print: (value) => String(value).padStart(2, ' '),
  };
}

/** One of a list of words; no word of the list is the beginning of another. */
function words(part: CalendarPart, list: readonly string[], first: number): Specifier {
  const lowerCase = list.map((word) => word.toLowerCase());
  return {
    part,
    read: (text, at) => {
      const index = lowerCase.findIndex((word) => text.slice(at, at + word.length).toLowerCase() === word);
      return index === -1 ? undefined : { value: index + first, end: at + (lowerCase[index] ?? '').length };
    },
    print: (value) => list[value - first] ?? '',
  };
}

/** Microseconds: reads one to six digits after the decimal point, prints six. */
function fraction(): Specifier {
  const sixDigits = digits('microsecond', { most: 6 });
  return {
    ...sixDigits,
    read: (text, at) => {
      const end = endOfDigits(text, at, 6);
      return end === at ? undefined : { value: Number(text.slice(at, end).padEnd(6, '0')), end };
    },
  };
}

const OFFSET = /([+-])([01]\d|2[0-3]):?([0-5]\d)/y;

/** `+hhmm`, `+hh:mm` or `Z`. Printed times are UTC. */
function offset(): Specifier {
  return {
    part: 'offsetMinutes',
    read: (text, at) => {
      if (text[at] === 'Z' || text[at] === 'z') return { value: 0, end: at + 1 };
      OFFSET.lastIndex = at;
      const match = OFFSET.exec(text);
      if (match === null) return undefined;
      const minutes = Number(match[2]) * 60 + Number(match[3]);
      return { value: match[1] === '-' ? -minutes : minutes, end: OFFSET.lastIndex };
    },
    print: () => '+0000',
  };
}

/** Names of UTC; names of other zones are ambiguous. */
function zone(): Specifier {
  const names = words('offsetMinutes', ['UTC', 'GMT', 'Z'], 0);
  return {
    part: 'offsetMinutes',
    read: (text, at) => {
      const found = names.read(text, at);
      return found && { value: 0, end: found.end };
    },
    print: () => 'UTC',
  };
}

function epochSeconds(): Specifier {
  return {
    part: 'epochSeconds',
    read: (text, at) => {
      const first = text[at] === '-' ? at + 1 : at;
      const end = endOfDigits(text, first, text.length);
      return end === first ? undefined : { value: Number(text.slice(at, end)), end };
    },
    print: String,
  };
}
