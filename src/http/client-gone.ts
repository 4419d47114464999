/**
 * Detects that a client has disconnected. Node emits `close` on a response only once the response has the socket. A
 * response queued behind another one on the same connection would get no such event.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Pair {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** One listener for each socket, however many requests it carries. */
const waiting = new WeakMap<Socket, Set<() => void>>();

/** Calls `gone` once, when the response was sent or can't be sent any more. The returned function unsubscribes. */
export function onceClosed({ request, response }: Pair, gone: () => void): () => void {
  const waits = response.socket === null ? waitingOn(request.socket) : undefined;
  const forget = () => {
    response.off('close', end);
    waits?.delete(end);
  };
  const end = () => {
    forget();
    gone();
  };
  response.once('close', end);
  waits?.add(end);
  return forget;
}

/** Whether nothing can be sent to the client any more. */
export function isClosed({ request, response }: Pair): boolean {
  return response.closed || response.destroyed || (response.socket === null && request.socket.destroyed);
}

/** Aborts when the client disconnects before its response was sent. */
export function signalClientGone(pair: Pair): AbortSignal {
  const gone = new AbortController();
  if (isClosed(pair)) gone.abort();
  else onceClosed(pair, () => pair.response.writableFinished || gone.abort());
  return gone.signal;
}

function waitingOn(socket: Socket): Set<() => void> {
  let waits = waiting.get(socket);
  if (!waits) {
    const all = (waits = new Set());
    waiting.set(socket, all);
    socket.once('close', () => {
      for (const end of [...all]) end();
    });
  }
  return waits;
}
