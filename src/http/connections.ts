/**
 * The connections of all listeners together: how many there may be, how long each may keep the daemon waiting, and what
 * becomes of them when it stops.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { SECOND_MS } from '../kernel/units.ts';
import type { ServerLimits } from './limits.ts';
import { overloaded } from './overload.ts';
import { rawAnswer } from './raw-answer.ts';

export interface Connections {
  /** Those that are served now. */
  readonly size: number;
  /** Those of which the head of a request has begun to come. */
  readonly halfWay: number;
  /** Puts a server under the limits; before it listens. */
  watch(server: Server): void;
  /** Notes a request that came; false when its connection was refused and no answer is to follow. */
  begin(request: IncomingMessage, response: ServerResponse): boolean;
  /** From now on each answer is the last of its connection; idle connections are closed. */
  finish(): void;
  /** Whether an answer has begun and not left, of which its client has taken something in the last `drainStallMs`. */
  isBeingRead(): boolean;
}

interface Connection {
  /** Answers that have not left. */
  readonly inFlight: Set<ServerResponse>;
  /** The number of the answer that left last, counted over all connections; Infinity before the first. */
  idleSince: number;
  /** When it was made, in milliseconds of the process clock. */
  readonly madeAt: number;
  /** What had come over it then. */
  bytesRead: number;
  /** Bytes that the system had taken for the client when somebody last looked, and when it took them. */
  taken: { bytes: number; at: number };
}

/** Refused connections whose refusal is still being read; those beyond get none. */
const REFUSALS_AT_A_TIME = 64;
const REFUSAL_MS = SECOND_MS;

/** `now` is milliseconds of a clock that only goes forward. */
export function createConnections(
  limits: ServerLimits,
  { newRequestId, now }: { newRequestId: () => string; now: () => number },
): Connections {
  const served = new Map<Socket, Connection>();
  const refused = new Set<Socket>();
  let isFinishing = false;
  let answers = 0;

  function take(socket: Socket): void {
    if (served.size >= limits.connections && !closeLongestIdle() && !closeSilent()) {
      refuse(socket);
      return;
    }
    const madeAt = now();
    const taken = { bytes: 0, at: madeAt };
    served.set(socket, { inFlight: new Set(), idleSince: Infinity, madeAt, bytesRead: 0, taken });
    socket.once('close', () => served.delete(socket));
  }

  /** Makes room for a new connection: closes the one that has been idle longest. */
  function closeLongestIdle(): boolean {
    let longest: [Socket, Connection] | undefined;
    for (const each of served) {
      const [, { inFlight, idleSince }] = each;
      if (inFlight.size === 0 && idleSince < (longest?.[1].idleSince ?? Infinity)) longest = each;
    }
    return longest !== undefined && makeRoom(longest[0]);
  }

  /**
   * Anybody on the machine can open connections and ask nothing: so the oldest that never asked goes, unless it has just
   * come and its request may be on its way.
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
    const timer = setTimeout(() => socket.destroy(), REFUSAL_MS);
    socket.once('close', () => {
      clearTimeout(timer);
      refused.delete(socket);
    });
    socket.end(rawAnswer(overloaded('There are too many connections'), newRequestId()));
  }

  /** Nothing was sent or taken for a while. A request that waits for us, and an open stream, may take their time. */
  function judgeQuiet(socket: Socket): void {
    const connection = served.get(socket);
    if (!connection || connection.inFlight.size === 0 || socket.writableLength > 0) socket.destroy();
    else socket.setTimeout(limits.stallMs);
  }

  return {
    get size() {
      return served.size;
    },

    get halfWay() {
      return [...served].filter(isHalfWay).length;
    },

    watch(server) {
      server.headersTimeout = limits.headMs;
      // A file that goes on may take as long as it takes: each reader of a body has its own deadlines.
      server.requestTimeout = 0;
      server.keepAliveTimeout = limits.idleMs;
      server.timeout = limits.stallMs;
      server.on('connection', take);
      server.on('timeout', judgeQuiet);
    },

    begin(request, response) {
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
        // The rest of a refused body is discarded, for a limited time.
        if (!request.complete) {
          const timer = setTimeout(() => socket.destroy(), limits.stallMs);
          request.once('close', () => clearTimeout(timer));
        }
        connection.inFlight.delete(response);
        connection.idleSince = answers++;
        connection.bytesRead = socket.bytesRead;
        // An answer that had begun before the end was known has not said so.
        if (isFinishing && connection.inFlight.size === 0) socket.end();
      });
      response.on('close', () => connection.inFlight.delete(response));
      return true;
    },

    finish() {
      isFinishing = true;
      for (const [socket, connection] of served) {
        const { inFlight } = connection;
        for (const response of inFlight) response.shouldKeepAlive = false;
        if (inFlight.size === 0 && !isHalfWay([socket, connection])) socket.end();
      }
    },

    isBeingRead() {
      return [...served].filter(hasAnswer).some(([socket, connection]) => {
        const bytes = socket.bytesWritten - socket.writableLength;
        if (bytes > connection.taken.bytes) connection.taken = { bytes, at: now() };
        return now() - connection.taken.at < limits.drainStallMs;
      });
    },
  };
}

/** Whether an answer has begun that has not left. */
function hasAnswer([, { inFlight }]: [Socket, Connection]): boolean {
  return [...inFlight].some((response) => response.headersSent);
}

/** Whether more has come than what was answered. */
function isHalfWay([socket, { inFlight, bytesRead }]: [Socket, Connection]): boolean {
  return inFlight.size === 0 && socket.bytesRead > bytesRead;
}
