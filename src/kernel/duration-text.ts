import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './units.ts';

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
