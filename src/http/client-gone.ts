/**
 * When a client is gone. Node notifies a response that its socket closed only once the response has the socket. A
 * response that waits behind another on the same connection would get no such event.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Pair {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** One listener for each socket, however much is asked on it. */
const waiting = new WeakMap<Socket, Set<() => void>>();

/** Calls `gone` once, when the answer has left or never will; what it returns takes that back. */
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

/** Whether nothing that is sent from now on arrives. */
export function isClosed({ request, response }: Pair): boolean {
  return response.closed || response.destroyed || (response.socket === null && request.socket.destroyed);
}

/** Fires when the client goes away before its answer has left. */
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
