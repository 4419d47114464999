/** An instant in the years 0000 to 9999: whole seconds since 1970-01-01 00:00:00 UTC and the fraction above them. */
export interface CalendarMoment {
  readonly epochSeconds: number;
  readonly microsecond: number;
}

/** The parts of a moment that patterns can read or print. Months and days count from 1, weekdays from Sunday, 0. */
export interface CalendarParts {
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
export type CalendarPart = keyof CalendarParts;

const MINUTE_SECONDS = 60;
const DAY_SECONDS = 86_400;
const YEAR_0000_EPOCH_SECONDS = -62_167_219_200;
const YEAR_10000_EPOCH_SECONDS = 253_402_300_800;
/** Two-digit years up to this one are in 20xx (contract §3.2). */
const LAST_YEAR_OF_20XX = 68;

/** The parts of a moment on a clock `offsetMinutes` east of UTC, in the Gregorian calendar. */
export function partsOf({ epochSeconds, microsecond }: CalendarMoment, offsetMinutes: number): CalendarParts {
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
export function momentOf(given: ReadonlyMap<CalendarPart, number>): CalendarMoment | undefined {
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
