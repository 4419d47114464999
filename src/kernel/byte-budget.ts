/**
 * How much memory all requests together may hold. Each counts what it holds beyond a small share of its own, so that a
 * few who hold much never keep out the many who hold little.
 */
import { ServiceError } from './errors.ts';
import { KIB } from './units.ts';

export interface ByteBudget {
  /** Bytes that are counted now, over all requests. */
  readonly held: number;
  /** The most that ever were. */
  readonly peak: number;
  begin(): Held;
}

/** What one request holds. */
export interface Held {
  /** Counts bytes that are about to be held. Throws `overloaded` when they are too many. */
  take(bytes: number): void;
  /** As `take`, but waits for room for a while first. */
  reserve(bytes: number): Promise<void>;
  /** Counts bytes that are held already and can't be refused any more: others have to wait for them. */
  note(bytes: number): void;
  /** Counts bytes no longer. */
  give(bytes: number): void;
  /** Ends the counting; may be called again. */
  free(): void;
}

/** What each request may hold uncounted. */
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
  /** In the order they came: who asks for much is not passed by those who ask for little. */
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
      // One that is larger than everything has its turn when nobody else holds anything.
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
