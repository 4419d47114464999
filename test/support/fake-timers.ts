import { onTestFinished, vi } from 'vitest';
import { realTime } from '../../src/kernel/time/real-time.ts';

type Name = 'setTimeout' | 'clearTimeout' | 'setInterval' | 'clearInterval';

/** Fakes the timers that the sources use until the test is finished, or until the function that it returns is called. */
export function fakeTimers(...toFake: readonly Name[]): () => void {
  const before = { ...realTime };
  vi.useFakeTimers({ toFake: [...toFake] });
  for (const name of toFake) Object.assign(realTime, { [name]: globalThis[name] });
  const restore = () => {
    vi.useRealTimers();
    Object.assign(realTime, before);
  };
  onTestFinished(restore);
  return restore;
}
