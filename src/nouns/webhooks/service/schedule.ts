/** The retry schedule of deliveries (contract §9.1). Pure. */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../kernel/units.ts';

/** After the first failure, the second, and so on; each measured from the failure before. */
const RETRIES_AFTER_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  10 * HOUR_MS,
];

/** An endpoint is disabled after every attempt failed for this long. */
export const DISABLED_AFTER_MS = 5 * DAY_MS;

/** Milliseconds from the failure of this attempt (1 is the first) to the next; undefined after the last. */
export function retryAfter(attempt: number): number | undefined {
  return RETRIES_AFTER_MS[attempt - 1];
}
