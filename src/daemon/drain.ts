/**
 * Handles the last requests of a stopping daemon. Each has a short time to finish. A response in progress continues
 * while its client reads it, up to a limit. Everything else is aborted.
 */
import type { Connections } from '../http/connections.ts';
import type { ServerLimits } from '../http/limits.ts';
import type { Listening } from './listen.ts';
import { realTime } from '../kernel/real-time.ts';

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
  // Called from the start, so that the progress of each client is known.
  const isRead = () => connections.isBeingRead();
  const answering = AbortSignal.timeout(limits.drainMs);
  const reading = AbortSignal.timeout(limits.drainLimitMs);
  const waitLonger = () => (!answering.aborted || isRead()) && !reading.aborted;
  const patience = async () => {
    isRead();
    while (!over.signal.aborted && waitLonger()) {
      await realTime.sleep(LOOK_AGAIN_MS, over.signal).catch(() => undefined);
    }
  };
  await Promise.race([ended, patience()]);
  listening.abandon();
}
