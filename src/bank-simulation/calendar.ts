/** Decides on which days an event happens: paydays, days of the month, business days. Holidays are ignored. */
import { dateText, parseDate, type Day } from '../kernel/civil-date.ts';
import type { Calendar } from '../fixtures/bank-personas/index.ts';

/** A day with its position in its week and month. */
export interface CalendarDay {
  readonly day: Day;
  /** 0 is Sunday. */
  readonly weekday: number;
  readonly dayOfMonth: number;
  readonly daysInMonth: number;
}

const SATURDAY = 6;
const LONGEST_MONTH = 31;
/** 1970-01-01 was a Thursday. */
const WEEKDAY_OF_DAY_ZERO = 4;
const MID_MONTH = 15;

export function calendarDay(day: Day): CalendarDay {
  const text = dateText(day);
  const dayOfMonth = Number(text.slice(-2));
  let daysInMonth = LONGEST_MONTH;
  while (parseDate(`${text.slice(0, -2)}${daysInMonth}`) === undefined) daysInMonth -= 1;
  return { day, weekday: weekdayOf(day), dayOfMonth, daysInMonth };
}

/** Whether an event with this calendar happens on that day. `anchor` is the reference day of its plan. */
export function isOn(calendar: Calendar, today: CalendarDay, anchor: Day): boolean {
  switch (calendar.on) {
    case 'paydays':
      return isBusinessDayBefore(today, MID_MONTH) || isBusinessDayBefore(today, today.daysInMonth);
    case 'month_day': {
      const day = Math.min(calendar.day, today.daysInMonth);
      return calendar.business_day === 'before' ? isBusinessDayBefore(today, day) : today.dayOfMonth === day;
    }
    case 'last_day':
      return today.dayOfMonth === today.daysInMonth;
    case 'weekday':
      return today.weekday === calendar.weekday && weekOf(today.day) % calendar.every === 0;
    case 'business_days':
      return isBusinessDay(today.weekday);
    case 'every': {
      const since = today.day - anchor - calendar.from;
      return since >= 0 && since % calendar.days === 0;
    }
    case 'once':
      return today.day === anchor + calendar.day;
  }
}

/** Whether today is this day of the month, or the Friday before it when that day is on a weekend. */
function isBusinessDayBefore(today: CalendarDay, dayOfMonth: number): boolean {
  const weekday = weekdayOf(today.day + dayOfMonth - today.dayOfMonth);
  const back = weekday === SATURDAY ? 1 : weekday === 0 ? 2 : 0;
  return today.dayOfMonth === dayOfMonth - back;
}

function isBusinessDay(weekday: number): boolean {
  return weekday !== 0 && weekday !== SATURDAY;
}

function weekdayOf(day: Day): number {
  return (((day + WEEKDAY_OF_DAY_ZERO) % 7) + 7) % 7;
}

/** Weeks begin on Sundays. */
function weekOf(day: Day): number {
  return Math.floor((day + WEEKDAY_OF_DAY_ZERO) / 7);
}
