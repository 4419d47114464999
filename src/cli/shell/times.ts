/**
 * Durations and times on the command line. Every flag and argument for a duration uses this file, so that `300ms`,
 * `1s`, `5m`, `2h` and `3d` mean the same everywhere. A bare number is refused: only the API uses a fixed unit, in
 * members that end in `_ms`.
 */
import { custom } from '@oclif/core/flags';
import type { Client } from '../../client/client.ts';
import { parseInstant } from '../../kernel/time/civil-date.ts';
import { systemClock, timestamp } from '../../kernel/time/clock.ts';
import { parseDuration, durationText } from '../../kernel/time/duration.ts';
import { parsed, UsageError } from './failure.ts';

export { durationText };

export const DURATION_HELP = 'a number with its unit (300ms, 1s, 5m, 2h, 3d) or an ISO 8601 duration';
const WANTED = 'a length of time with its unit, such as 300ms, 1s, 5m, 2h or 3d';

const BARE_NUMBER = /^[+-]?\d+(?:\.\d+)?$/;
const ZERO = /^[+-]?0$/;

/** A duration in milliseconds; a month counts as long as January. Undefined for a number without a unit, except 0. */
export function readDuration(text: string): number | undefined {
  return ZERO.test(text) ? 0 : parseDuration(text, 0);
}

/** Milliseconds from `min` (default 0) to `max`, in steps of `step`. The daemon checks further limits. */
export const durationFlag = custom<number, { min?: number; max?: number; step?: number }>({
  helpValue: 'DURATION',
  parse: (text, _context, { name, min = 0, max = Infinity, step = 1 }) => {
    const ms = readDuration(text);
    if (ms !== undefined && ms >= min && ms <= max && ms % step === 0) return Promise.resolve(ms);
    return Promise.reject(refusal(`--${name}`, text, { max, step }));
  },
});

/** The default of such a flag, with its text for the help. */
export function byDefault(ms: number) {
  return { default: ms, defaultHelp: () => Promise.resolve(shortText(ms)) };
}

/** The same for an argument, returned as written, because the API counts by the calendar. Throws UsageError. */
export function writtenDuration(text: string, what: string): string {
  if (readDuration(text) === undefined) throw refusal(what, text);
  return ZERO.test(text) ? '0s' : text;
}

/** The error doesn't contain the input. */
function refusal(what: string, text: string, { max = Infinity, step = 1 } = {}): UsageError {
  const limit =
    (step === 1 ? '' : `, in steps of ${shortText(step)}`) +
    (max === Infinity ? '' : `, ${shortText(max)} at most`);
  const bare = BARE_NUMBER.test(text) ? '; a bare number has none' : '';
  return new UsageError(`${what} takes ${WANTED}${limit}${bare}`);
}

function shortText(ms: number): string {
  return durationText(ms).replaceAll(' ', '');
}

/** A time of the clock (epoch ms), or a duration to go back from now. */
export type ClockTime = { readonly at: number } | { readonly ago: string };

/**
 * A time without a zone is in UTC, as lists show it; a date means its midnight. Undefined for a text that is neither a
 * time nor a duration.
 */
export function parseMoment(text: string): ClockTime | undefined {
  const at = parseInstant(text) ?? parseInstant(`${text}Z`);
  if (at !== undefined) return { at };
  const ms = parseDuration(text, 0);
  return ms !== undefined && ms >= 0 ? { ago: text } : undefined;
}

/** By the clock of the instance, which may be far from the machine's. */
export async function resolveMoment(moment: ClockTime, client: Client): Promise<string> {
  if ('at' in moment) return timestamp(moment.at);
  const now = Date.parse((await client.call('GET /_kyclone/clock')).now);
  return timestamp(now + (parseDuration(backwards(moment.ago), now) ?? 0));
}

/** Counts years and months back from now, rather than forward from the resulting date. */
function backwards(duration: string): string {
  return `-${duration.replace(/^\+/, '')}`;
}

/** A time of a clock, as epoch ms. */
export const timeFlag = custom<number>({
  helpValue: 'TIME',
  parse: (text, _context, { name }) => {
    const moment = text === 'now' ? { at: systemClock.now() } : parseMoment(text);
    const at = moment !== undefined && 'at' in moment ? moment.at : undefined;
    return parsed(at, `--${name} takes a time, such as 2026-01-31T12:00:00Z, or now`);
  },
});

/** A time, or how long ago it was. */
export const momentFlag = custom<ClockTime>({
  helpValue: 'TIME',
  parse: (text, _context, { name }) =>
    parsed(parseMoment(text), `--${name} takes a time (2026-01-31T12:00:00Z) or how long ago (10m)`),
});
