/** Random choices from a seed: the same seed gives the same choices, in the same order, on every machine. */
import { createHash } from 'node:crypto';

export interface SeededRandom {
  /** Returns a whole number from 0 to `below` - 1. */
  below(below: number): number;
  /** Returns a whole number from `least` to `most`. */
  between(least: number, most: number): number;
  /** Returns true once in `times` on average. */
  once(times: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** Returns a new list of the same things in another order. */
  shuffled<T>(list: readonly T[]): T[];
  bytes(length: number): Buffer;
}

export function seededRandom(seed: string): SeededRandom {
  let counter = 0;
  // These are 48 bits. For limits below 2^32 the remainder is even enough for the choices of a test.
  const next = () => createHash('sha256').update(`${seed}\0${counter++}`).digest().readUIntBE(0, 6);
  const below = (limit: number) => next() % limit;
  return {
    below,
    between: (least, most) => least + below(most - least + 1),
    once: (times) => below(times) === 0,
    pick<T>(list: readonly T[]): T {
      if (list.length === 0) throw new Error('There is nothing to pick from');
      return list[below(list.length)] as T;
    },
    shuffled<T>(list: readonly T[]): T[] {
      const order = [...list];
      for (let last = order.length - 1; last > 0; last--) {
        const other = below(last + 1);
        [order[last], order[other]] = [order[other] as T, order[last] as T];
      }
      return order;
    },
    bytes: (length) =>
      createHash('shake256', { outputLength: length }).update(`${seed}\0${counter++}`).digest(),
  };
}
