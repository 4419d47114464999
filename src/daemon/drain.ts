/**
 * The last requests of a daemon that stops. Each has a short time to be answered. An answer that has begun goes on as
 * long as its client takes it, up to a limit: it is never broken off for being long. The rest is broken off.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Connections } from '../http/connections.ts';
import type { ServerLimits } from '../http/limits.ts';
import type { Listening } from './listen.ts';

interface Draining {
  readonly connections: Pick<Connections, 'isBeingRead'>;
  readonly limits: Pick<ServerLimits, 'drainMs' | 'drainLimitMs'>;
  readonly service: { quiesce(): Promise<void> };
}

const LOOK_AGAIN_MS = 50;

export async function drain(
  listening: Pick<Listening, 'close' | 'abandon'>,
  { connections, limits, service }: Draining,
): Promise<void> {
  const over = new AbortController();
  const ended = service
    .quiesce()
    .then(() => listening.close())
    .finally(() => over.abort());
  // Looked at from the beginning, so that it is known what was taken of late.
  const isRead = () => connections.isBeingRead();
  const answering = AbortSignal.timeout(limits.drainMs);
  const reading = AbortSignal.timeout(limits.drainLimitMs);
  const waitLonger = () => (!answering.aborted || isRead()) && !reading.aborted;
  const patience = async () => {
    isRead();
    while (!over.signal.aborted && waitLonger()) {
      await pause(LOOK_AGAIN_MS, undefined, { signal: over.signal }).catch(() => undefined);
    }
  };
  await Promise.race([ended, patience()]);
  listening.abandon();
}
