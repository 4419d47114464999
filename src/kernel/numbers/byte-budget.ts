/**
 * How much memory all requests together may hold. Each counts what it holds beyond a small share of its own, so that a
 * few who hold much never keep out the many who hold little.
 */
import { ServiceError } from '../errors.ts';
import { KIB } from './units.ts';
import { realTime } from '../time/real-time.ts';

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
export function createByteBudget(limits: BudgetLimits): ByteBudget {
  return new Budget(limits);
}

interface BudgetLimits {
  readonly heldBytes: number;
  readonly waitMs: number;
}

class Budget implements ByteBudget {
  readonly limits: BudgetLimits;
  held = 0;
  peak = 0;
  /** In the order they came: who asks for much is not passed by those who ask for little. */
  readonly queue: Waiting[] = [];

  constructor(limits: BudgetLimits) {
    this.limits = limits;
  }

  begin(): Held {
    return new HeldByRequest(this);
  }

  change(bytes: number): void {
    this.held += bytes;
    this.peak = Math.max(this.peak, this.held);
  }

  wake(): void {
    while (this.queue[0]?.fits()) this.queue.shift()?.go();
  }
}

/** A class, as every request has one. */
class HeldByRequest implements Held {
  readonly #budget: Budget;
  #own = 0;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  take(bytes: number): void {
    if (!this.#fits(bytes)) throw tooMuchHeld();
    this.note(bytes);
  }

  async reserve(bytes: number): Promise<void> {
    const { queue, limits } = this.#budget;
    if (queue.length === 0 && this.#fits(bytes)) {
      this.note(bytes);
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const timer = realTime.setTimeout(() => {
        queue.splice(queue.indexOf(waiting), 1);
        reject(tooMuchHeld());
        this.#budget.wake();
      }, limits.waitMs);
      const waiting: Waiting = {
        fits: () => this.#fits(bytes),
        go: () => {
          realTime.clearTimeout(timer);
          this.note(bytes);
          resolve();
        },
      };
      queue.push(waiting);
    });
  }

  note(bytes: number): void {
    const before = countedOf(this.#own);
    this.#own = Math.max(0, this.#own + bytes);
    const change = countedOf(this.#own) - before;
    if (change !== 0) this.#budget.change(change);
  }

  give(bytes: number): void {
    this.note(-bytes);
    this.#budget.wake();
  }

  free(): void {
    this.give(this.#own);
  }

  #fits(bytes: number): boolean {
    const { held, limits } = this.#budget;
    const counted = countedOf(this.#own);
    const more = countedOf(this.#own + bytes) - counted;
    // One that is larger than everything has its turn when nobody else holds anything.
    return more === 0 || held + more <= limits.heldBytes || held - counted === 0;
  }
}

/** What of so many bytes of one request counts. */
function countedOf(bytes: number): number {
  return Math.max(0, bytes - SHARE_BYTES);
}

function tooMuchHeld(): ServiceError {
  return new ServiceError(
    'overloaded',
    'Too much is held in memory for other requests: try again in a moment',
    { headers: { 'retry-after': '1' } },
  );
}
