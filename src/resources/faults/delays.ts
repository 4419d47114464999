/** Interruptible delays on the machine's clock, independent of the instance's. */
import { realTime } from '../../kernel/real-time.ts';
export interface Delay {
  /** Whether the full time passed; settles at once when the delay is interrupted. */
  readonly passed: Promise<boolean>;
  cancel(): void;
}

export interface Delays {
  begin(ms: number): Delay;
  /** Interrupts all delays, including later ones. */
  stop(): void;
  /** Limits all delays to this time; they count as passed. */
  hasten(mostMs: number): void;
  /** The number of active delays. */
  readonly size: number;
}

export function createDelays(): Delays {
  const waiting = new Set<() => void>();
  let isStopped = false;
  let longestMs = Infinity;
  const hastened = new Set<() => void>();
  return {
    get size() {
      return waiting.size;
    },
    begin(ms) {
      let cancel: () => void = () => undefined;
      const passed = new Promise<boolean>((resolve) => {
        const end = (hasPassed: boolean) => {
          realTime.clearTimeout(timer);
          realTime.clearTimeout(latest);
          waiting.delete(cancel);
          hastened.delete(hasten);
          resolve(hasPassed);
        };
        const pass = () => end(true);
        const timer = realTime.setTimeout(pass, Math.min(ms, longestMs));
        let latest: NodeJS.Timeout | undefined;
        const hasten = () => (latest ??= realTime.setTimeout(pass, longestMs));
        hastened.add(hasten);
        cancel = () => end(false);
        waiting.add(cancel);
      });
      if (isStopped) cancel();
      return { passed, cancel };
    },
    hasten(mostMs) {
      longestMs = mostMs;
      for (const each of hastened) each();
    },
    stop() {
      isStopped = true;
      for (const cancel of [...waiting]) cancel();
    },
  };
}
