import { KycloneError } from './errors.ts';
import type { StartOptions } from './api.ts';
import { defined } from '../kernel/defined.ts';

export interface CheckedOptions extends Omit<StartOptions, 'clock'> {
  /** Epoch milliseconds; undefined means that the clock runs. */
  readonly clockAt: number | undefined;
}

const NAMES: ReadonlySet<string> = new Set(['seed', 'clock', 'settings', 'port', 'fixtures']);
const ISO_TIME = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2}))?$/;

/**
 * Throws a KycloneError with the code `invalid_option`. TypeScript finds most of these; tests in JavaScript need the
 * check.
 */
export function checkedOptions(options: StartOptions): CheckedOptions {
  for (const name of Object.keys(options)) {
    if (!NAMES.has(name))
      throw invalid(`There is no option of that name; there are ${[...NAMES].join(', ')}`);
  }
  const { seed, clock, port, fixtures = [], ...rest } = options;
  if (seed !== undefined && (typeof seed !== 'string' || seed === ''))
    throw invalid('Option seed must be a non-empty string');
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535)) {
    throw invalid('Option port must be a number from 0 to 65535; 0, the default, picks a free port');
  }
  if (!Array.isArray(fixtures) || !fixtures.every((file) => typeof file === 'string')) {
    throw invalid('Option fixtures must be a list of files');
  }
  return {
    ...rest,
    fixtures,
    port: port ?? 0,
    ...defined({ seed }),
    clockAt: clock === undefined || clock === 'real' ? undefined : epochMs(clock, 'Option clock'),
  };
}

/** ISO 8601 for the API. */
export function isoTime(time: Date | string, what: string): string {
  return new Date(epochMs(time, what)).toISOString();
}

/** Text without a time zone would mean different times on different machines. */
function epochMs(time: Date | string, what: string): number {
  const ms = typeof time === 'string' ? (ISO_TIME.test(time) ? Date.parse(time) : NaN) : Number(time);
  if (Number.isInteger(ms)) return ms;
  throw invalid(`${what} must be a Date or ISO 8601 text with a time zone, such as 2026-01-31T12:00:00Z`);
}

function invalid(message: string): KycloneError {
  return new KycloneError('invalid_option', message);
}
