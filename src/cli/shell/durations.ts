/** Lengths of time as people write and read them; the API counts in milliseconds. */
import { custom } from '@oclif/core/flags';
import { parseDuration } from '../../kernel/duration.ts';
import { UsageError } from './failure.ts';

export { durationText } from '../../kernel/duration-text.ts';

export const DURATION_HELP = 'milliseconds, a number with ms, s, m, h or d, or an ISO 8601 duration: 2m';

/** Milliseconds of `1500`, `30s`, `2m`, `1d` or `PT2M`, `min` at least; what else is allowed is for the daemon to say. */
export const durationFlag = custom<number, { min?: number }>({
  helpValue: 'TIME',
  parse: (text, _context, { name, min = 0 }) => {
    const ms = durationOf(text);
    if (ms !== undefined && ms >= min) return Promise.resolve(ms);
    return Promise.reject(new UsageError(`--${name} takes ${DURATION_HELP}`));
  },
});

/** A month counts as long as January. */
function durationOf(text: string): number | undefined {
  return /^[+-]?\d{1,15}$/.test(text) ? Number(text) : parseDuration(text, 0);
}

/** What `by` of the clock is: milliseconds as a number, anything else as it was written. */
export function wireDuration(text: string): number | string {
  return /^[+-]?\d{1,15}$/.test(text) ? Number(text) : text;
}

const DATE_TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:\d{2})$/;

/** Whether the daemon takes this for the time that its clock is to stand at. */
export function isStartTime(text: string): boolean {
  return DATE_TIME.test(text) && !Number.isNaN(Date.parse(text));
}
