/**
 * The connections of all listeners together: their maximum number, the time each may keep the daemon waiting, and how
 * they end when it stops.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ServiceError } from '../kernel/errors.ts';
import { realTime, unlessMoreArrives } from '../kernel/time/real-time.ts';
import { SECOND_MS } from '../kernel/numbers/units.ts';
import type { ServerLimits } from './limits.ts';
import { rawAnswer } from './raw-answer.ts';
import { waitsForTheRest } from './rest-of-body.ts';
import { delayedClient } from './wrong-credentials.ts';

export type Connections = ReturnType<typeof createConnections>;

interface Connection {
  /** Responses that were not sent completely. */
  readonly inFlight: Set<ServerResponse>;
  /** The number of the response sent last, counted over all connections; Infinity before the first. */
  idleSince: number;
  /** When the connection was opened, in milliseconds of the process clock. */
  readonly madeAt: number;
  /** `socket.bytesRead` at the last response. */
  bytesRead: number;
  /** Bytes that the system had accepted for the client at the last check, and when it accepted them. */
  taken: { bytes: number; at: number };
}

/** Refused connections that may still read their refusal; further ones are closed without a response. */
const REFUSALS_AT_A_TIME = 64;
const REFUSAL_MS = SECOND_MS;

/** `now` is milliseconds of a monotonic clock. */
export function createConnections(
  limits: ServerLimits,
  { newRequestId, now }: { newRequestId: () => string; now: () => number },
) {
  const served = new Map<Socket, Connection>();
  const refused = new Set<Socket>();
  let isFinishing = false;
  let answers = 0;

  function take(socket: Socket): void {
    if (served.size >= limits.connections && !makeAnyRoom()) {
      refuse(socket);
      return;
    }
    const madeAt = now();
    const taken = { bytes: 0, at: madeAt };
    served.set(socket, { inFlight: new Set(), idleSince: Infinity, madeAt, bytesRead: 0, taken });
    socket.once('close', () => served.delete(socket));
  }

  /** Closes the connection that is needed least. False if each of them may be needed. */
  function makeAnyRoom(): boolean {
    return closeDelayed() || closeLongestIdle() || closeAnswered() || closeSilent();
  }

  /**
   * Closes the oldest connection of the client that has most of them waiting because of wrong credentials. Otherwise
   * such a client could take all places, and a right credential would be refused.
   */
  function closeDelayed(): boolean {
    const clients = new Map<string, Socket[]>();
    for (const [socket, { inFlight }] of served) {
      const [client] = [...inFlight].map(delayedClient);
      if (client === undefined || ![...inFlight].every(delayedClient)) continue;
      const sockets = clients.get(client);
      if (sockets === undefined) clients.set(client, [socket]);
      else sockets.push(socket);
    }
    const [oldest] = [...clients.values()].reduce((most, one) => (one.length > most.length ? one : most), []);
    return oldest !== undefined && makeRoom(oldest);
  }

  /** Closes the oldest connection that has its response and still owes us the rest of its request. */
  function closeAnswered(): boolean {
    for (const [socket, { inFlight }] of served) {
      if (inFlight.size > 0 && [...inFlight].every(waitsForTheRest)) return makeRoom(socket);
    }
    return false;
  }

  /** Closes the connection that has been idle longest. */
  function closeLongestIdle(): boolean {
    let longest: [Socket, Connection] | undefined;
    for (const each of served) {
      const [, { inFlight, idleSince }] = each;
      if (inFlight.size === 0 && idleSince < (longest?.[1].idleSince ?? Infinity)) longest = each;
    }
    return longest !== undefined && makeRoom(longest[0]);
  }

  /**
   * Anybody on the machine can open connections without sending a request. So the oldest silent connection is closed,
   * unless it is so new that its request may still be on the way.
   */
  function closeSilent(): boolean {
    const latest = now() - limits.silentMs;
    for (const [socket, { inFlight, idleSince, madeAt }] of served) {
      if (inFlight.size === 0 && idleSince === Infinity && madeAt <= latest) return makeRoom(socket);
    }
    return false;
  }

  function makeRoom(socket: Socket): true {
    served.delete(socket);
    socket.destroy();
    return true;
  }

  function refuse(socket: Socket): void {
    if (refused.size >= REFUSALS_AT_A_TIME) {
      socket.destroy();
      return;
    }
    refused.add(socket);
    const timer = realTime.setTimeout(() => socket.destroy(), REFUSAL_MS);
    socket.once('close', () => {
      realTime.clearTimeout(timer);
      refused.delete(socket);
    });
    socket.end(rawAnswer(overloaded('There are too many connections'), newRequestId()));
  }

  /**
   * Called when a connection was idle for a while. A request that waits for us, and an open stream, may take longer.
   */
  function judgeQuiet(socket: Socket): void {
    const inFlight = served.get(socket)?.inFlight.size ?? 0;
    if (inFlight > 0 && socket.writableLength === 0) socket.setTimeout(limits.stallMs);
    else
      unlessMoreArrives(
        () => socket.bytesRead,
        () => socket.destroy(),
      );
  }

  return {
    /** Connections open at present. */
    get size(): number {
      return served.size;
    },

    /** Connections on which the head of a request has arrived in part. */
    get halfWay(): number {
      return [...served].filter(isHalfWay).length;
    },

    /** Applies the limits to a server; call it before the server listens. */
    watch(server: Server): void {
      server.headersTimeout = limits.headMs;
      // An upload in progress may take any time: each reader of a body has its own deadlines.
      server.requestTimeout = 0;
      server.keepAliveTimeout = limits.idleMs;
      server.timeout = limits.stallMs;
      server.on('connection', take);
      server.on('timeout', judgeQuiet);
    },

    /** Registers a request; false when its connection was refused and must get no response. */
    begin(request: IncomingMessage, response: ServerResponse): boolean {
      const { socket } = request;
      if (refused.has(socket)) {
        request.resume();
        return false;
      }
      const connection = served.get(socket);
      if (!connection) return true;
      connection.inFlight.add(response);
      if (isFinishing) response.shouldKeepAlive = false;
      response.on('finish', () => {
        // Discards the rest of a refused body, for a limited time.
        if (!request.complete) {
          const timer = realTime.setTimeout(() => socket.destroy(), limits.stallMs);
          request.once('close', () => realTime.clearTimeout(timer));
        }
        connection.inFlight.delete(response);
        connection.idleSince = answers++;
        connection.bytesRead = socket.bytesRead;
        // A response whose head was sent before the stop has no `connection: close`.
        if (isFinishing && connection.inFlight.size === 0) socket.end();
      });
      response.on('close', () => connection.inFlight.delete(response));
      return true;
    },

    /** From now on each response closes its connection; idle connections are closed at once. */
    finish(): void {
      isFinishing = true;
      for (const [socket, connection] of served) {
        const { inFlight } = connection;
        for (const response of inFlight) response.shouldKeepAlive = false;
        if (inFlight.size === 0 && !isHalfWay([socket, connection])) socket.end();
      }
    },

    /** Whether a response is in progress whose client has taken bytes within the last `drainStallMs`. */
    isBeingRead(): boolean {
      return [...served].filter(hasAnswer).some(([socket, connection]) => {
        const bytes = socket.bytesWritten - socket.writableLength;
        if (bytes > connection.taken.bytes) connection.taken = { bytes, at: now() };
        return now() - connection.taken.at < limits.drainStallMs;
      });
    },
  };
}

/** Whether a response is in progress. */
function hasAnswer([, { inFlight }]: [Socket, Connection]): boolean {
  return [...inFlight].some((response) => response.headersSent && !waitsForTheRest(response));
}

/** Whether more bytes arrived than the completed requests had. */
function isHalfWay([socket, { inFlight, bytesRead }]: [Socket, Connection]): boolean {
  return inFlight.size === 0 && socket.bytesRead > bytesRead;
}

/** The error for exceeding a limit on concurrent work. `what` says what there is too much of. */
function overloaded(what: string): ServiceError {
  return new ServiceError('overloaded', `${what}: try again in a moment`, {
    headers: { 'retry-after': '1' },
  });
}
