/**
 * What one client may cost the daemon: time, connections, bytes in memory. Tests set small ones, so that none of them
 * waits for a real deadline.
 */
import { MIB, MINUTE_MS, SECOND_MS } from '../kernel/units.ts';

export interface ServerLimits {
  /** Milliseconds from the first byte of a request, or from the connection, to the end of its head. */
  readonly headMs: number;
  /** Milliseconds that a connection has for its first head while others wait for its place. */
  readonly silentMs: number;
  /** Milliseconds that a connection stays open between two requests. */
  readonly idleMs: number;
  /** Milliseconds without a byte of a body that is waited for, or without a byte of an answer being taken. */
  readonly stallMs: number;
  /** Milliseconds for a body that is held in memory, in all. A file may take longer as long as it goes on. */
  readonly bodyMs: number;
  /** Connections at a time, over all addresses. */
  readonly connections: number;
  /** Bytes of bodies and answers that are held at a time, over all requests. */
  readonly heldBytes: number;
  /** Milliseconds that a request waits for others to hold less. */
  readonly waitMs: number;
  /** Milliseconds that requests have to be answered when the daemon stops. */
  readonly drainMs: number;
  /** Milliseconds without a byte being taken after which an answer is broken off by the stop. */
  readonly drainStallMs: number;
  /** Milliseconds that a stop waits in all for answers that are being read. */
  readonly drainLimitMs: number;
  /** Wrong credentials of one client and kind that are answered at once. */
  readonly wrongAtOnce: number;
  /** So many of these come back each second. */
  readonly wrongPerSecond: number;
  /** Milliseconds that each further answer waits. */
  readonly wrongDelayMs: number;
}

/** No limit to the requests of one connection: it costs nothing more for having asked much. */
export const DEFAULT_LIMITS: ServerLimits = {
  headMs: 10 * SECOND_MS,
  silentMs: SECOND_MS,
  idleMs: MINUTE_MS,
  stallMs: 30 * SECOND_MS,
  bodyMs: MINUTE_MS,
  connections: 512,
  heldBytes: 96 * MIB,
  waitMs: 5 * SECOND_MS,
  drainMs: 2 * SECOND_MS,
  drainStallMs: 10 * SECOND_MS,
  drainLimitMs: 30 * SECOND_MS,
  wrongAtOnce: 500,
  wrongPerSecond: 5,
  wrongDelayMs: SECOND_MS,
};
