/** One event stream shared by all waits: the first wait opens it, and the end of the last closes it. */
import type { Connection } from '../client/credentials.ts';
import { openStream, type StreamData } from '../client/event-stream.ts';

export type StreamedEvent = StreamData['event'];

export interface Listener {
  received(event: StreamedEvent): void;
  failed(error: unknown): void;
}

export interface SharedStream {
  /** Resolves when the stream is open; every later event reaches the listener. Returns a function that ends this. */
  listen(listener: Listener): Promise<() => void>;
}

export function sharedStream(connection: Connection): SharedStream {
  const listeners = new Set<Listener>();
  let current: { readonly abort: AbortController; readonly isOpen: Promise<void> } | undefined;

  function open(): NonNullable<typeof current> {
    const abort = new AbortController();
    const { signal } = abort;
    const opening = openStream(connection, { types: ['event'], signal });
    void opening
      .then(async (messages) => {
        for await (const { data } of messages) for (const listener of [...listeners]) listener.received(data);
        if (!signal.aborted) throw new Error('The stream of events ended');
      })
      .catch((error: unknown) => {
        if (signal.aborted) return;
        current = undefined;
        for (const listener of listeners) listener.failed(error);
      });
    return { abort, isOpen: opening.then(() => undefined) };
  }

  function leave(listener: Listener): void {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    current?.abort.abort();
    current = undefined;
  }

  return {
    async listen(listener) {
      listeners.add(listener);
      try {
        await (current ??= open()).isOpen;
      } catch (error) {
        leave(listener);
        throw error;
      }
      return () => leave(listener);
    },
  };
}
