/**
 * Timers and clocks of the runtime, as they were when this module was loaded. A test runner's fake timers replace the
 * globals and the methods of node:timers; an instance in the runner's process must go on all the same
 * (docs/test-library.md). The linter allows no other timer in what `kyclone/testing` contains.
 */
import { performance } from 'node:perf_hooks';
import * as timers from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';
import { runInThisContext } from 'node:vm';

export const realTime = {
  setTimeout: timers.setTimeout,
  clearTimeout: timers.clearTimeout,
  setInterval: timers.setInterval,
  clearInterval: timers.clearInterval,
  setImmediate: timers.setImmediate,
  /** Resolves after `ms`; rejects when `signal` aborts. */
  sleep: async (ms: number, signal?: AbortSignal) => await sleep(ms, undefined, { signal }),
  /** Epoch milliseconds. A runner whose tests have a context of their own may have faked that one's before this loads. */
  now: runInThisContext('Date.now') as () => number,
  /** Milliseconds of a clock that only goes forward. */
  elapsed: performance.now.bind(performance),
};

/** Settles with the first of these, or after a time limit. */
export async function firstOf(works: readonly Promise<void>[], limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => (timer = realTime.setTimeout(resolve, limitMs)));
  await Promise.race([...works, limit]);
  realTime.clearTimeout(timer);
}

/** Reads what has arrived, for example while the process stood still. Then calls `giveUp` if `progress` is as before. */
export function unlessMoreArrives(progress: () => unknown, giveUp: () => void): void {
  const before = progress();
  realTime.setImmediate(() => {
    if (progress() === before) giveUp();
  });
}

// Starts now: each call returns the milliseconds since then, to the microsecond, on the monotonic clock.

export function startStopwatch(): () => number {
  const startedAt = realTime.elapsed();
  return () => Math.round((realTime.elapsed() - startedAt) * 1000) / 1000;
}
