/** The requests that an app has begun and not ended. */
import type { FastifyInstance } from 'fastify';
import type { Key } from '../contract/registry.ts';
import { onceClosed } from '../http/client-gone.ts';

export interface UnderWay {
  /** Settles when none but `except` is under way, at the latest after `patienceMs`. */
  settled(except: string | undefined, patienceMs: number): Promise<void>;
}

/** It has no end of its own, and goes on whatever becomes of the store. */
const ENDLESS: Key = 'GET /_kyclone/stream';

export function watchRequests(app: FastifyInstance): UnderWay {
  const begun = new Set<string>();
  let onEnd: () => void = () => undefined;
  const end = (id: string) => {
    if (begun.delete(id)) onEnd();
  };
  app.addHook('onRequest', (request, reply, next) => {
    if (request.exchange.endpoint?.key !== ENDLESS) {
      begun.add(request.id);
      onceClosed({ request, reply }, () => end(request.id));
    }
    next();
  });
  app.addHook('onResponse', (request, _reply, next) => {
    end(request.id);
    next();
  });

  return {
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
