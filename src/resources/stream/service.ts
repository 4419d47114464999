/** What happens, as it happens: kept for a while, and told to whoever listens (contract §11). */
import { unbuilt } from '../unbuilt.ts';
import type { RequestOf } from '../../contract/registry.ts';
import type { StreamType } from '../../contract/stream.ts';

export interface Stream {
  /**
   * Called after the commit of what it tells. `read` may be called later, or never; what it answers is redacted by
   * whoever publishes it, as the journal is.
   */
  publish(type: StreamType, read: () => object): void;
  /** Server-sent events as text; ends when `closed` fires or the service stops. Throws `invalid_request` at once. */
  open(
    query: RequestOf<'GET /_kyclone/stream'>['query'],
    lastEventId: string | undefined,
    closed: AbortSignal,
  ): AsyncIterable<Uint8Array>;
  /** Ends every open stream, and those that are opened later at once: before the port is closed. */
  close(): void;
}

/** `firstId`: ids ascend from here, over restarts too. */
export function createStream(_context: { firstId: number }): Stream {
  return unbuilt<Stream>({ publish: () => undefined, close: () => undefined });
}
