/** Tracks requests whose handlers have started and whose responses were not sent completely. */
import type { EndpointKey } from '../contract/registry.ts';
import type { Call } from './call.ts';
import { isClosed, onceClosed } from './client-gone.ts';
import { realTime } from '../kernel/real-time.ts';

export interface InFlightRequests {
  /** Tracks the call until its response was sent or can't be sent any more, then frees its memory account. */
  begin(call: Call): void;
  /**
   * Settles when all requests that are in flight now have ended, at the latest after `patienceMs`. Ignores the request
   * id `except`.
   */
  settled(except: string | undefined, patienceMs: number): Promise<void>;
}

/** This request never ends by itself, and continues when the store is replaced. */
const ENDLESS: EndpointKey = 'GET /_kyclone/stream';

export function createInFlightRequests(): InFlightRequests {
  const begun = new Set<string>();
  const waiting = new Set<() => void>();
  return {
    begin(call) {
      // A client that left while its request waited for a load gets no further event.
      if (isClosed(call)) return;
      const { id } = call;
      if (call.endpoint?.key !== ENDLESS) begun.add(id);
      onceClosed(call, () => {
        if (begun.delete(id)) for (const onEnd of waiting) onEnd();
        call.held?.free();
      });
    },

    settled(except, patienceMs) {
      const waitedFor = new Set(begun);
      if (except !== undefined) waitedFor.delete(except);
      const isSettled = () => [...waitedFor].every((id) => !begun.has(id));
      if (isSettled()) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = realTime.setTimeout(finish, patienceMs);
        const onEnd = () => {
          if (isSettled()) finish();
        };
        waiting.add(onEnd);
        function finish(): void {
          realTime.clearTimeout(timer);
          waiting.delete(onEnd);
          resolve();
        }
      });
    },
  };
}
