/** Decides on which days an event happens: paydays, days of the month, business days. Holidays are ignored. */
import { startOfDay, type Day } from '../kernel/time/civil-date.ts';
import { HOUR_MS, MINUTE_MS } from '../kernel/numbers/units.ts';
import type { Calendar } from '../fixtures/bank-personas/index.ts';

/** A day with its position in its week and month. */
export type CalendarDay = ReturnType<typeof calendarDay>;

const SATURDAY = 6;
const MID_MONTH = 15;

export function calendarDay(day: Day) {
  const date = new Date(startOfDay(day));
  /** From 0. */
  const month = date.getUTCMonth();
  return {
    day,
    month,
    /** 0 is Sunday. */
    weekday: date.getUTCDay(),
    dayOfMonth: date.getUTCDate(),
    daysInMonth: new Date(Date.UTC(date.getUTCFullYear(), month + 1, 0)).getUTCDate(),
  };
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
      return isWeekday(today.day);
    case 'every': {
      const since = today.day - anchor - calendar.from;
      return since >= 0 && since % calendar.days === 0;
    }
    case 'once':
      return today.day === anchor + calendar.day;
  }
}

/** Whether today is this day of the month, or the Friday before it when that day is on a weekend. */
function isBusinessDayBefore({ day, dayOfMonth }: CalendarDay, wanted: number): boolean {
  return day === lastWeekday(day + wanted - dayOfMonth);
}

export function isWeekday(day: Day): boolean {
  return lastWeekday(day) === day;
}

/** `day` itself, or the Friday before it. */
export function lastWeekday(day: Day): Day {
  const weekday = weekdayOf(day);
  return day - (weekday === SATURDAY ? 1 : weekday === 0 ? 2 : 0);
}

/** 0 is Sunday. */
export function weekdayOf(day: Day): number {
  return new Date(startOfDay(day)).getUTCDay();
}

/** 1970-01-01 was a Thursday, and weeks begin on Sundays. */
export function weekOf(day: Day): number {
  return Math.floor((day + 4) / 7);
}

export interface Offset {
  /** In the form of ISO 8601. */
  readonly text: string;
  readonly ms: number;
}

/** Reads `+hh:mm` or `-hh:mm`. */
export function parseOffset(text: string): Offset {
  const ms = Number(text.slice(1, 3)) * HOUR_MS + Number(text.slice(4)) * MINUTE_MS;
  return { text, ms: text.startsWith('-') ? -ms : ms };
}

export function localTime(at: number, offset: Offset): string {
  return `${new Date(at + offset.ms).toISOString().slice(0, -'.000Z'.length)}${offset.text}`;
}
