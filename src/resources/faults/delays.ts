/** Times that are waited by the machine's clock, whatever the instance's says, and that can be cut short. */
export interface Delay {
  /** Whether the time passed in full; settles at once when it is cut short. */
  readonly passed: Promise<boolean>;
  cancel(): void;
}

export interface Delays {
  begin(ms: number): Delay;
  /** Cuts all short, and those that are begun later. */
  stop(): void;
  /** From now on none lasts longer than this; they pass all the same. */
  hasten(mostMs: number): void;
  /** How many are under way. */
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
          clearTimeout(timer);
          clearTimeout(latest);
          waiting.delete(cancel);
          hastened.delete(hasten);
          resolve(hasPassed);
        };
        const pass = () => end(true);
        const timer = setTimeout(pass, Math.min(ms, longestMs));
        let latest: NodeJS.Timeout | undefined;
        const hasten = () => (latest ??= setTimeout(pass, longestMs));
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
