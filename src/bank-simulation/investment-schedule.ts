/**
 * Decides on which weekdays an event of an investment account happens, wherever the weekends fall around the day of the
 * link.
 */
import { dateText, type Day } from '../kernel/civil-date.ts';
import { isWeekday } from './securities.ts';

/** An event on a weekend moves to the Friday before. */
export type Schedule = ByDays | ByMonths;

interface ByDays {
  /**
   * Days from the day of the link: -30 is thirty days before it. Each happens once, within the history if it is
   * negative.
   */
  readonly days: readonly number[];
  /** After the last of `days`, the interval in days at which the event repeats. */
  readonly again?: number;
}

interface ByMonths {
  /** A day of the month, 1 to 28. */
  readonly monthly: number;
  /** In months: 3 is March, June, September, December. */
  readonly every?: number;
}

/** The number of weekend days that may move to a Friday. */
const WEEKEND_DAYS = 2;

/** Whether the event happens on `day`. `anchor` is the day of the link. */
export function isDue(schedule: Schedule, day: Day, anchor: Day): boolean {
  if (!isWeekday(day)) return false;
  for (let nominal = day; nominal === day || !isWeekday(nominal); nominal++) {
    if ('days' in schedule ? isOn(schedule, nominal - anchor) : isOnDate(schedule, nominal)) return true;
  }
  return false;
}

function isOn({ days, again }: ByDays, offset: number): boolean {
  const since = offset - Math.max(...days);
  return days.includes(offset) || (again !== undefined && since > 0 && since % again === 0);
}

function isOnDate({ monthly, every = 1 }: ByMonths, day: Day): boolean {
  const [month, date] = dateText(day).slice('YYYY-'.length).split('-').map(Number) as [number, number];
  return date === monthly && month % every === 0;
}

/**
 * Throws unless, wherever the weekends fall, all days before the link stay within the history, all days after it and
 * all repetitions stay after it, and no two of them move to the same Friday.
 */
export function requireWithin(schedule: Schedule, historyDays: number): void {
  if (!('days' in schedule)) return;
  const { days, again } = schedule;
  const repeated = again === undefined ? [] : [Math.max(...days) + again];
  const offsets = [...days, ...repeated].sort((one, other) => one - other);
  const isApart = offsets.every((offset, index) => offset - (offsets[index - 1] ?? -Infinity) > WEEKEND_DAYS);
  const isWithin = days.every((offset) => offset >= WEEKEND_DAYS - historyDays);
  const isAfter = [...days.filter((offset) => offset >= 0), ...repeated].every(
    (offset) => offset >= WEEKEND_DAYS,
  );
  if (!isApart || !isWithin || !isAfter) {
    throw new Error('A schedule has days that the history does not have, or that could fall together');
  }
}
