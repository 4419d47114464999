/** Durations as people write them: `90s`, `-1.5h`, `P1DT2H`, `P1M` (contract §11, PUT clock). */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../numbers/units.ts';

const UNIT_MS = { ms: 1, s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS } as const;
const WEEK_MS = 7 * DAY_MS;

const SIMPLE = /^([+-]?\d{1,15}(?:\.\d{1,15})?)(ms|s|m|h|d)$/;
/** Only the last part may have a fraction, which a second expression checks. Years and months are whole. */
const ISO =
  /^([+-])?P(?=[\dT])(?:(\d{1,6})Y)?(?:(\d{1,7})M)?(?:(\d[\d.,]{0,20})W)?(?:(\d[\d.,]{0,20})D)?(?:T(?=\d)(?:(\d[\d.,]{0,20})H)?(?:(\d[\d.,]{0,20})M)?(?:(\d[\d.,]{0,20})S)?)?$/;
const FRACTION_IN_LAST_PLACE = /^[^.,]*(?:[.,]\d{1,15}[WDHMS])?$/;

/**
 * Milliseconds from `from` (epoch ms) to the end of the duration; negative with a minus sign. Years and months are
 * those of the UTC calendar; a day that the month doesn't have becomes its last day. Undefined when the text is neither
 * a number with ms, s, m, h or d nor an ISO 8601 duration, or when the result is beyond the range of dates.
 */
export function parseDuration(text: string, from: number): number | undefined {
  const simple = SIMPLE.exec(text);
  if (simple) {
    const [, amount, unit] = simple;
    return whole(Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS]);
  }
  const iso = ISO.exec(text);
  if (!iso || !FRACTION_IN_LAST_PLACE.test(text)) return undefined;
  const [, sign, ...amounts] = iso;
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = amounts.map(
    (amount: string | undefined) => Number((amount ?? '0').replace(',', '.')),
  );
  const direction = sign === '-' ? -1 : 1;
  const rest = weeks * WEEK_MS + days * DAY_MS + hours * HOUR_MS + minutes * MINUTE_MS + seconds * SECOND_MS;
  return whole(monthsLater(from, direction * (years * 12 + months)) - from + direction * rest);
}

function monthsLater(from: number, months: number): number {
  if (months === 0) return from;
  const date = new Date(from);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const lastDay = new Date(date);
  lastDay.setUTCMonth(date.getUTCMonth() + 1, 0);
  return date.setUTCDate(Math.min(day, lastDay.getUTCDate()));
}

function whole(ms: number): number | undefined {
  const rounded = Math.round(ms);
  // Turns minus zero into zero.
  return Number.isSafeInteger(rounded) ? rounded + 0 : undefined;
}

const UNITS = [
  ['d', DAY_MS],
  ['h', HOUR_MS],
  ['m', MINUTE_MS],
  ['s', SECOND_MS],
  ['ms', 1],
] as const;

/** `1d 2h`, `90s` as `1m 30s`, `0s`; without a sign. */
export function durationText(ms: number): string {
  let rest = Math.abs(ms);
  const parts = UNITS.flatMap(([unit, length]) => {
    const count = Math.floor(rest / length);
    rest -= count * length;
    return count === 0 ? [] : [`${count}${unit}`];
  });
  return parts.length === 0 ? '0s' : parts.join(' ');
}
