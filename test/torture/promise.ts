/** A promise of the product that torture tries to break, round by round, until its share of time is used up. */
import type { SeededRandom } from './seeded.ts';
import type { Tool } from './tools.ts';

export interface Run {
  /** Choices of this run. They follow from the seed and the promise's name. */
  readonly random: SeededRandom;
  /** Adds to a count of the promise's line: `count('kills')`, `count('writes', 12)`. */
  count(unit: string, by?: number): void;
}

export interface TorturePromise {
  /** For `--only`, together with the id. */
  readonly name: string;
  /** The fault test or threat of docs/security.md that it stands for. */
  readonly id: string;
  /** What is promised, in one line. */
  readonly says: string;
  /** Programs of the machine that it needs. */
  readonly needs?: readonly Tool[];
  /** How much of the time it gets beside the others, which get 1. */
  readonly weight?: number;
  /**
   * Yields after each round and ends early when nothing is left to try. A broken promise throws. Daemons and folders
   * that it starts go with the promise (test/support/finishing.ts).
   */
  rounds(run: Run): AsyncGenerator<void, void, void>;
}
