/**
 * What one client may use: time, connections, bytes in memory. Tests set small limits, so that none of them waits for a
 * real deadline.
 */
import { MIB, MINUTE_MS, SECOND_MS } from '../kernel/numbers/units.ts';

export interface ServerLimits {
  /** Milliseconds from the first byte of a request, or from the connection, to the end of its head. */
  readonly headMs: number;
  /** Milliseconds that a connection has to send its first head while others wait for its place. */
  readonly silentMs: number;
  /** Milliseconds that a connection stays open between two requests. */
  readonly idleMs: number;
  /** Milliseconds without a byte of an expected body, or without the client taking a byte of a response. */
  readonly stallMs: number;
  /** Total milliseconds for a body that is held in memory. A file may take longer while it makes progress. */
  readonly bodyMs: number;
  /** Concurrent connections, over all addresses. */
  readonly connections: number;
  /** Bytes of bodies and responses held at the same time, over all requests. */
  readonly heldBytes: number;
  /** Milliseconds that a request waits for others to release memory. */
  readonly waitMs: number;
  /** Milliseconds that requests in flight have to finish when the daemon stops. */
  readonly drainMs: number;
  /** During a stop, milliseconds without progress after which a response is aborted. */
  readonly drainStallMs: number;
  /** Total milliseconds that a stop waits for responses that clients are reading. */
  readonly drainLimitMs: number;
  /** Wrong credentials of one client and kind that get an immediate response. */
  readonly wrongAtOnce: number;
  /** How many of these are restored each second. */
  readonly wrongPerSecond: number;
  /** Milliseconds that each further response is delayed. */
  readonly wrongDelayMs: number;
}

/** The number of requests on one connection is not limited: a long-lived connection costs no more than a new one. */
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
