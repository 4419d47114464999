/** Where every timestamp, expiry and delay comes from. Nothing else in the service asks the system for the time. */
export interface Clock {
  /** Milliseconds since the Unix epoch, by the instance's clock. */
  now(): number;
  /** Milliseconds since the Unix epoch, by the machine's clock. */
  realNow(): number;
}

/** The machine's own clock. */
export const systemClock: Clock = { now: () => Date.now(), realNow: () => Date.now() };

/** A clock for tests: stands still at `start` (epoch ms) until it is moved with `advance`. */
export function frozenClock(start: number): Clock & { advance(ms: number): void } {
  let now = start;
  return { now: () => now, realNow: () => now, advance: (ms) => void (now += ms) };
}

/** UTC with milliseconds, `2026-01-31T12:00:00.000Z` (contract §0.6). */
export function timestamp(epochMs: number): string {
  if (epochMs !== lastFormatted.epochMs) lastFormatted = { epochMs, text: new Date(epochMs).toISOString() };
  return lastFormatted.text;
}

/** Under load many requests fall into one millisecond and format it several times each. */
let lastFormatted = { epochMs: 0, text: new Date(0).toISOString() };
