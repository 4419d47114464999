import type { Clock } from '../../src/kernel/time/clock.ts';

/** A clock that stays at `start` (epoch ms) until `advance` moves it. */
export function frozenClock(start: number): Clock & { advance(ms: number): void } {
  let now = start;
  return { now: () => now, realNow: () => now, advance: (ms) => void (now += ms) };
}
