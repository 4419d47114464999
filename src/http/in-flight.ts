/** The requests whose handlers have begun and whose answers have not left. */
import type { EndpointKey } from '../contract/registry.ts';
import type { Call } from './call.ts';
import { onceClosed } from './client-gone.ts';

export interface InFlightRequests {
  begin(call: Call): void;
  /** Settles when none but `except`, a request id, is in flight; at the latest after `patienceMs`. */
  settled(except: string | undefined, patienceMs: number): Promise<void>;
}

/** It has no end of its own, and goes on when the store is replaced. */
const ENDLESS: EndpointKey = 'GET /_kyclone/stream';

export function createInFlightRequests(): InFlightRequests {
  const begun = new Set<string>();
  let onEnd: () => void = () => undefined;
  return {
    begin(call) {
      if (call.endpoint?.key === ENDLESS) return;
      const { id, response } = call;
      const end = () => {
        if (begun.delete(id)) onEnd();
      };
      begun.add(id);
      response.once('finish', end);
      onceClosed(call, end);
    },

    settled(except, patienceMs) {
      const isSettled = () => [...begun].every((id) => id === except);
      if (isSettled()) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = setTimeout(finish, patienceMs);
        function finish(): void {
          clearTimeout(timer);
          onEnd = () => undefined;
          resolve();
        }
        onEnd = () => {
          if (isSettled()) finish();
        };
      });
    },
  };
}
