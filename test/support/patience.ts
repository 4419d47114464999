import { setTimeout as delay } from 'node:timers/promises';

/**
 * How long a test waits for an event that must happen, in milliseconds. The time is far longer than needed on a busy
 * machine, so only an event that never happens exceeds it. The test's own limit is longer (testTimeout in
 * vitest.config.ts), so a failure says what the test waited for.
 */
export const PATIENCE_MS = 120_000;
const POLL_MS = 10;

/** Waits until `condition` returns something other than undefined or false. Throws at the deadline. */
export async function until<T>(
  what: string,
  condition: () => T | undefined | false | Promise<T | undefined | false>,
  limitMs = PATIENCE_MS,
): Promise<T> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const found = await condition();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`it never happened within ${limitMs} ms: ${what}`);
    await delay(POLL_MS);
  }
}
