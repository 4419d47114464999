/** Starts now: each call returns the milliseconds since then, to the microsecond, on the monotonic clock. */
import { realTime } from '../kernel/real-time.ts';
export function startStopwatch(): () => number {
  const startedAt = realTime.elapsed();
  return () => Math.round((realTime.elapsed() - startedAt) * 1000) / 1000;
}
