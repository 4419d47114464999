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
  /** How many are under way. */
  readonly size: number;
}

export function createDelays(): Delays {
  const waiting = new Set<() => void>();
  let isStopped = false;
  return {
    get size() {
      return waiting.size;
    },
    begin(ms) {
      let cancel: () => void = () => undefined;
      const passed = new Promise<boolean>((resolve) => {
        const end = (hasPassed: boolean) => {
          clearTimeout(timer);
          waiting.delete(cancel);
          resolve(hasPassed);
        };
        const timer = setTimeout(() => end(true), ms);
        cancel = () => end(false);
        waiting.add(cancel);
      });
      if (isStopped) cancel();
      return { passed, cancel };
    },
    stop() {
      isStopped = true;
      for (const cancel of [...waiting]) cancel();
    },
  };
}
