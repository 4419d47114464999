/** Ends any wait at a deadline, with a `timeout`. */
import { OutboundFailure } from './outbound.ts';

/** `what`: such as `no connection`. */
export function timedOut(what: string): OutboundFailure {
  return new OutboundFailure('timeout', `${what} in time`);
}

/**
 * Settles as `work` does, or with `timedOut(what)` as soon as `signal` aborts. It then calls `stop` to end the work,
 * possibly just after the work has settled.
 */
export async function beforeDeadline<T>(
  work: Promise<T>,
  { signal, what, stop }: { signal: AbortSignal; what: string; stop?: () => void },
): Promise<T> {
  return await new Promise<T>((resolve, reject) => {
    const end = (): void => {
      reject(timedOut(what));
      stop?.();
    };
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}
