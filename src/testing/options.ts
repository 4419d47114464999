import { resolve } from 'node:path';
import { KycloneError } from './errors.ts';
import type { StartOptions, WaitOptions } from './api.ts';
import { defined } from '../kernel/defined.ts';
import { parseInstant } from '../kernel/time/civil-date.ts';

export interface CheckedOptions extends Omit<StartOptions, 'clock'> {
  /** Epoch milliseconds; undefined means that the clock runs. */
  readonly clockAt: number | undefined;
}

const SET_FORM = 'Option set must be an object of texts, the values of variables of the fixtures';
const LONGEST_TIMEOUT_MS = 2_147_483_647;

/**
 * Throws a KycloneError with the code `invalid_option`. TypeScript finds most of these; tests in JavaScript need the
 * check.
 */
export function checkedOptions(options: StartOptions): CheckedOptions {
  checkNames(options, ['seed', 'clock', 'settings', 'port', 'fixtures', 'set']);
  const { seed, clock, port, fixtures = [], set = {}, ...rest } = options;
  if (seed !== undefined && (typeof seed !== 'string' || seed === ''))
    throw invalid('Option seed must be a non-empty string');
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535)) {
    throw invalid('Option port must be a number from 0 to 65535; 0, the default, picks a free port');
  }
  if (!Array.isArray(fixtures) || !fixtures.every((file) => typeof file === 'string')) {
    throw invalid('Option fixtures must be a list of paths of files; fileURLToPath makes one of a URL');
  }
  checkObject(set, SET_FORM);
  if (!Object.values(set).every((value) => typeof value === 'string')) throw invalid(SET_FORM);
  return {
    ...rest,
    set,
    // A reset reads them again, wherever the process is then.
    fixtures: fixtures.map((file) => resolve(file)),
    port: port ?? 0,
    ...defined({ seed }),
    clockAt: clock === undefined || clock === 'real' ? undefined : epochMs(clock, 'Option clock'),
  };
}

/** Throws `invalid_option`, also for a name that would be ignored. */
export function checkNames(options: unknown, names: readonly string[]): void {
  checkObject(options, `Options are an object with any of ${names.join(', ')}`);
  if (!Object.keys(options).every((name) => names.includes(name)))
    throw invalid(`There is no option of that name; there are ${names.join(', ')}`);
}

/** Throws `invalid_option` with `message`. */
export function checkObject(value: unknown, message: string): asserts value is object {
  if (typeof value !== 'object' || value === null) throw invalid(message);
}

/** Throws `invalid_option`. */
export function checkWait(options: WaitOptions): void {
  checkNames(options, ['fp_id', 'where', 'timeoutMs', 'tenant', 'environment']);
  const { fp_id, where, timeoutMs = 0 } = options;
  if (fp_id !== undefined && typeof fp_id !== 'string') throw invalid('Option fp_id must be an id');
  if (where !== undefined && typeof where !== 'function') throw invalid('Option where must be a function');
  if (!(typeof timeoutMs === 'number' && timeoutMs >= 0 && timeoutMs <= LONGEST_TIMEOUT_MS))
    throw invalid(`Option timeoutMs must be a number of milliseconds from 0 to ${LONGEST_TIMEOUT_MS}`);
}

/** ISO 8601 for the API. */
export function isoTime(time: Date | string, what: string): string {
  return new Date(epochMs(time, what)).toISOString();
}

/** Text without a time zone would mean different times on different machines. */
function epochMs(time: Date | string, what: string): number {
  const ms = typeof time === 'string' ? parseInstant(time) : Number(time);
  if (ms !== undefined && Number.isInteger(ms)) return ms;
  throw invalid(
    `${what} must be a Date or ISO 8601 text with a time zone, on a day that exists, such as 2026-01-31T12:00:00Z`,
  );
}

function invalid(message: string): KycloneError {
  return new KycloneError('invalid_option', message);
}
