/** Starts now: each call returns the milliseconds since then, to the microsecond, on the monotonic clock. */
export function startStopwatch(): () => number {
  const startedAt = performance.now();
  return () => Math.round((performance.now() - startedAt) * 1000) / 1000;
}
