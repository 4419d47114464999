/** The scales of a plot: round values beside it, and round times in UTC below it. */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../kernel/numbers/units.ts';

export interface PlotPoint {
  /** ISO 8601. */
  readonly at: string;
  readonly value: number;
}

export interface Scale {
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly number[];
}

const TIME_STEPS = [
  ...[1, 5, 15, 30].map((count) => count * SECOND_MS),
  ...[1, 5, 15, 30].map((count) => count * MINUTE_MS),
  ...[1, 3, 6, 12].map((count) => count * HOUR_MS),
  ...[1, 2, 7, 14, 28, 91, 182, 365].map((count) => count * DAY_MS),
];

/** Returns a scale that contains 0 and all values, with at most `most` + 1 steps of 1, 2 or 5 times a power of ten. */
export function valueScale(values: readonly number[], most = 4): Scale {
  const low = values.reduce((least, value) => Math.min(least, value), 0);
  const high = values.reduce((greatest, value) => Math.max(greatest, value), 0);
  // A difference that nobody can see is none.
  if (high - low < 1e-9) return { from: 0, to: 1, ticks: [0, 1] };
  const raw = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= raw * (1 - 1e-9)) ?? raw;
  const [first, last] = [
    Math.floor(low / step),
    Math.max(Math.ceil(high / step), 1 + Math.floor(low / step)),
  ];
  // Multiples, because sums of steps such as 0.1 drift.
  const ticks = Array.from({ length: last - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  );
  return { from: ticks[0] ?? 0, to: ticks.at(-1) ?? 1, ticks };
}

/** Returns a scale over the times, in milliseconds, with at most `most` ticks at round times. */
export function timeScale(times: readonly number[], most = 5): Scale & { readonly step: number } {
  const from = times.reduce((least, time) => Math.min(least, time), Infinity);
  const to = times.reduce((greatest, time) => Math.max(greatest, time), -Infinity);
  if (from > to) return { from: 0, to: 1, ticks: [], step: DAY_MS };
  const span = to - from;
  const year = TIME_STEPS.at(-1) ?? DAY_MS;
  const step =
    TIME_STEPS.find((each) => span / each <= most - 1) ?? Math.ceil(span / year / (most - 1)) * year;
  const ticks: number[] = [];
  for (let tick = Math.ceil(from / step) * step; tick <= to; tick += step) ticks.push(tick);
  return { from, to, ticks: ticks.length === 0 ? [from] : ticks, step };
}

/** Returns the text of a tick: seconds, minutes, days or months, as the steps are. */
export function timeText(time: number, step: number): string {
  const iso = new Date(time).toISOString();
  if (step < MINUTE_MS) return iso.slice(11, 19);
  if (step < DAY_MS) return iso.slice(11, 16);
  const format: Intl.DateTimeFormatOptions =
    step < 91 * DAY_MS ? { day: 'numeric', month: 'short' } : { month: 'short', year: 'numeric' };
  return new Date(time).toLocaleString('en-GB', { ...format, timeZone: 'UTC' });
}

/** Returns the place of `value` between two ends; in the middle if the scale has no length. */
export function placeOn(scale: Scale, value: number, [start, end]: readonly [number, number]): number {
  if (scale.to === scale.from) return (start + end) / 2;
  return start + ((value - scale.from) / (scale.to - scale.from)) * (end - start);
}

/** Returns each time of the series once, ascending, with the value of each series there. */
export function tableOf(
  series: readonly { readonly points: readonly PlotPoint[] }[],
): { at: string; time: number; values: (number | undefined)[] }[] {
  const rows = new Map<number, { at: string; time: number; values: (number | undefined)[] }>();
  for (const [index, { points }] of series.entries()) {
    for (const { at, value } of points) {
      const time = Date.parse(at);
      if (Number.isNaN(time)) continue;
      const row = rows.get(time) ?? { at, time, values: series.map(() => undefined) };
      row.values[index] = value;
      rows.set(time, row);
    }
  }
  return [...rows.values()].sort((a, b) => a.time - b.time);
}
