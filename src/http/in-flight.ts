/** The requests whose handlers have begun and whose answers have not left. */
import type { EndpointKey } from '../contract/registry.ts';
import type { Call } from './call.ts';
import { isClosed, onceClosed } from './client-gone.ts';

export interface InFlightRequests {
  /** Until its answer has left, or never will: then what it holds in memory is free, too. */
  begin(call: Call): void;
  /** Settles when all that have begun by now have ended, but `except`, a request id; at the latest after `patienceMs`. */
  settled(except: string | undefined, patienceMs: number): Promise<void>;
}

/** It has no end of its own, and goes on when the store is replaced. */
const ENDLESS: EndpointKey = 'GET /_kyclone/stream';

export function createInFlightRequests(): InFlightRequests {
  const begun = new Set<string>();
  const waiting = new Set<() => void>();
  return {
    begin(call) {
      // One that waited for a load and is gone by now gets no event any more.
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
        const timer = setTimeout(finish, patienceMs);
        const onEnd = () => {
          if (isSettled()) finish();
        };
        waiting.add(onEnd);
        function finish(): void {
          clearTimeout(timer);
          waiting.delete(onEnd);
          resolve();
        }
      });
    },
  };
}
