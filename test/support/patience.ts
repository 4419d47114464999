/**
 * How long a test waits for an event that must happen, in milliseconds. The time is far longer than needed on a busy
 * machine, so only an event that never happens exceeds it. The test's own limit is longer (testTimeout in
 * vitest.config.ts), so a failure says what the test waited for.
 */
export const PATIENCE_MS = 120_000;
