/** Stands for kernel/time/real-time.ts in the bundle of a page: the browser's own timers and clocks. */
export const realTime = {
  setTimeout: (act: () => void, ms: number) => setTimeout(act, ms),
  clearTimeout: (timer: ReturnType<typeof setTimeout>) => clearTimeout(timer),
  sleep: async (ms: number) => await new Promise<void>((resolve) => setTimeout(resolve, ms)),
  now: () => Date.now(),
  elapsed: () => performance.now(),
};
