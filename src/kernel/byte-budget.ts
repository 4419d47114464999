/**
 * A shared memory budget for all requests. Each request counts only what it holds beyond a small share of its own, so
 * that a few large requests never keep out many small ones.
 */
import { ServiceError } from './errors.ts';
import { KIB } from './units.ts';

export interface ByteBudget {
  /** Bytes counted at present, over all requests. */
  readonly held: number;
  /** The highest value of `held` so far. */
  readonly peak: number;
  begin(): Held;
}

/** The memory held by one request. */
export interface Held {
  /** Counts bytes that the request is about to hold. Throws `overloaded` when the budget is exceeded. */
  take(bytes: number): void;
  /** As `take`, but first waits a while for room. */
  reserve(bytes: number): Promise<void>;
  /** Counts bytes that are in memory already and can no longer be refused. Later requests wait for them. */
  note(bytes: number): void;
  /** Stops counting these bytes. */
  give(bytes: number): void;
  /** Stops counting all of them; may be called more than once. */
  free(): void;
}

/** Bytes that each request may hold uncounted. */
export const SHARE_BYTES = 64 * KIB;

interface Waiting {
  readonly fits: () => boolean;
  readonly go: () => void;
}

/** `waitMs` is how long a reservation waits for room. */
export function createByteBudget(limits: {
  readonly heldBytes: number;
  readonly waitMs: number;
}): ByteBudget {
  let held = 0;
  let peak = 0;
  /** First in, first out: a small reservation does not overtake a large one. */
  const queue: Waiting[] = [];

  function change(bytes: number): void {
    held += bytes;
    peak = Math.max(peak, held);
  }

  function wake(): void {
    while (queue[0]?.fits()) queue.shift()?.go();
  }

  function begin(): Held {
    let own = 0;
    const counted = () => Math.max(0, own - SHARE_BYTES);
    const grow = (bytes: number) => {
      const before = counted();
      own = Math.max(0, own + bytes);
      change(counted() - before);
    };
    const fits = (bytes: number) => {
      const more = Math.max(0, own + bytes - SHARE_BYTES) - counted();
      // A reservation larger than the whole budget is granted when no other request holds anything.
      return more === 0 || held + more <= limits.heldBytes || held - counted() === 0;
    };
    return {
      take(bytes) {
        if (!fits(bytes)) throw tooMuchHeld();
        grow(bytes);
      },
      async reserve(bytes) {
        if (queue.length === 0 && fits(bytes)) {
          grow(bytes);
          return;
        }
        await new Promise<void>((resolve, reject) => {
          const timer = setTimeout(() => {
            queue.splice(queue.indexOf(waiting), 1);
            reject(tooMuchHeld());
            wake();
          }, limits.waitMs);
          const waiting: Waiting = {
            fits: () => fits(bytes),
            go() {
              clearTimeout(timer);
              grow(bytes);
              resolve();
            },
          };
          queue.push(waiting);
        });
      },
      note: grow,
      give(bytes) {
        grow(-bytes);
        wake();
      },
      free() {
        grow(-own);
        wake();
      },
    };
  }

  return {
    get held() {
      return held;
    },
    get peak() {
      return peak;
    },
    begin,
  };
}

function tooMuchHeld(): ServiceError {
  return new ServiceError(
    'overloaded',
    'Too much is held in memory for other requests: try again in a moment',
    {
      headers: { 'retry-after': '1' },
    },
  );
}
