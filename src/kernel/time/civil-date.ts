/** UTC calendar days, as whole numbers since 1970-01-01 and as `YYYY-MM-DD`. */
import { DAY_MS } from '../numbers/units.ts';

/** Days since 1970-01-01. */
export type Day = number;

const FORM = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** The day on which a moment (epoch milliseconds) falls. */
export function dayOf(at: number): Day {
  return Math.floor(at / DAY_MS);
}

/** The first millisecond of the day, since the Unix epoch. */
export function startOfDay(day: Day): number {
  return day * DAY_MS;
}

export function dateText(day: Day): string {
  return new Date(startOfDay(day)).toISOString().slice(0, 10);
}

/** Undefined for a date that does not exist, such as 2025-02-30. */
export function parseDate(text: string): Day | undefined {
  if (!FORM.test(text)) return undefined;
  const at = Date.parse(`${text}T00:00:00Z`);
  // `new Date` reads 30 February as 2 March.
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text) ? dayOf(at) : undefined;
}

/**
 * Epoch milliseconds of an ISO 8601 time with its zone; a date alone means its midnight in UTC. Undefined for any other
 * text, and for a date that does not exist.
 */
export function parseInstant(text: string): number | undefined {
  const [, date] = INSTANT.exec(text) ?? [];
  if (date === undefined || parseDate(date) === undefined) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}
