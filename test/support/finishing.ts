/** Cleans up at the end of a vitest test or of a promise of `npm run torture`, whichever started the work. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { onTestFinished } from 'vitest';

type Cleanup = () => void | Promise<void>;

const scopes = new AsyncLocalStorage<Cleanup[]>();

/** Runs `cleanup` at the end of the enclosing scope, or at the end of the test when there is no scope. */
export function whenFinished(cleanup: Cleanup): void {
  const scope = scopes.getStore();
  if (scope) scope.push(cleanup);
  else onTestFinished(cleanup);
}

/** Runs `work` in a scope of its own. The cleanups run when it ends, the newest first. */
export async function withScope<T>(work: () => Promise<T>): Promise<T> {
  const cleanups: Cleanup[] = [];
  try {
    return await scopes.run(cleanups, work);
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup();
  }
}
