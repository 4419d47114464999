/**
 * When a client is gone. Node tells a response that its socket closed only once the response has the socket: those
 * whose answer waits behind another on the same connection would never hear of it.
 */
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';

interface Pair {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** One listener for each socket, however much is asked on it. */
const waiting = new WeakMap<Socket, Set<() => void>>();

/** Calls `gone` once, when the answer has left or never will; what it returns takes that back. */
export function onceClosed({ request, reply }: Pair, gone: () => void): () => void {
  const { raw } = reply;
  const { socket } = request.raw;
  const waits = raw.socket === null ? waitingOn(socket) : undefined;
  const forget = () => {
    raw.off('close', end);
    waits?.delete(end);
  };
  const end = () => {
    forget();
    gone();
  };
  raw.once('close', end);
  waits?.add(end);
  return forget;
}

/** Whether nothing that is sent from now on arrives. */
export function isClosed({ request, reply }: Pair): boolean {
  const { raw } = reply;
  return raw.closed || raw.destroyed || (raw.socket === null && request.raw.socket.destroyed);
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
