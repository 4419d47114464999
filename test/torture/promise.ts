/** A promise of the product. Torture tries to break it, round by round, until its share of the time is used. */
import type { SeededRandom } from './seeded.ts';
import type { Tool } from './tools.ts';

export interface Run {
  /** Random choices of this run. They follow from the seed and the promise's name. */
  readonly random: SeededRandom;
  /** Adds to a count that the promise's output line shows: `count('kills')`, `count('writes', 12)`. */
  count(unit: string, by?: number): void;
}

export interface TorturePromise {
  /** The name for `--only`, which also takes the id. */
  readonly name: string;
  /** The id of the fault test or threat in docs/security.md that this promise covers. */
  readonly id: string;
  /** The promise in one line. */
  readonly says: string;
  /** Programs of the machine that it needs. */
  readonly needs?: readonly Tool[];
  /** Its share of the time, relative to the others, which have 1. */
  readonly weight?: number;
  /**
   * Yields after each round, and ends early when nothing is left to try. Throws when the promise is broken. Daemons and
   * folders that it starts end with the promise (test/support/finishing.ts).
   */
  rounds(run: Run): AsyncGenerator<void, void, void>;
}
