import { realTime } from './real-time.ts';

/** Calls `isDone` repeatedly until it returns true. Returns false when `timeoutMs` passes first. */
export async function pollUntil(
  isDone: () => boolean | Promise<boolean>,
  { everyMs, timeoutMs }: { everyMs: number; timeoutMs: number },
): Promise<boolean> {
  const deadline = realTime.elapsed() + timeoutMs;
  while (!(await isDone())) {
    if (realTime.elapsed() >= deadline) return false;
    await realTime.sleep(everyMs);
  }
  return true;
}
