/** What all tests of a file share: started before them, disposed of after them. */
import { afterAll, beforeAll } from 'vitest';
import { startDaemon, type DaemonOptions } from './daemon.ts';

/** What was started first is disposed of last. */
export function useShared<T extends AsyncDisposable>(start: () => Promise<T>): () => T {
  let shared: T | undefined;
  beforeAll(async () => {
    shared = await start();
  });
  afterAll(() => shared?.[Symbol.asyncDispose]());
  return () => {
    if (shared === undefined) throw new Error('It was not started');
    return shared;
  };
}

export const useDaemon = (options?: DaemonOptions) => useShared(() => startDaemon(options));
