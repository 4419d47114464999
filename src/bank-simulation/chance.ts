/** Reproducible randomness: whole numbers derived from a seed, the same on every machine, independent for each day. */
import type { Day } from '../kernel/time/civil-date.ts';
import type { Range } from '../fixtures/bank-personas/index.ts';
import { decimal, type Decimal } from '../kernel/numbers/decimal.ts';

export interface Chance {
  /** A whole number of at least 0 and less than `bound` (1 to 2^31). */
  below(bound: number): number;
  /** Both ends included. */
  between(least: number, most: number): number;
  /** True in this percentage of cases. */
  is(percent: number): boolean;
  /** In whole cents, both ends included. */
  amount(range: AmountRange): Decimal;
  /** A random item of a list that isn't empty. */
  pick<T>(list: readonly T[]): T;
  /** Replaces each `#` by a random digit. */
  fill(pattern: string): string;
}

export interface AmountRange {
  readonly least: Decimal;
  readonly most: Decimal;
}

export function rangeOf([least, most]: Range): AmountRange {
  return { least: decimal(least), most: decimal(most) };
}

/** Four words of 32 bits. */
export type Seed = readonly [number, number, number, number];

const CENT = 100n;
const WARM_UP_ROUNDS = 12;

/** The seed for a text of any length. Different texts give different seeds. */
export function seedOf(text: string): Seed {
  let [a, b, c, d] = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x9e3779b1) ^ (b >>> 15);
    b = Math.imul(b ^ unit, 0x85ebca6b) ^ (c >>> 13);
    c = Math.imul(c ^ unit, 0xc2b2ae35) ^ (d >>> 16);
    d = Math.imul(d ^ unit, 0x27d4eb2f) ^ (a >>> 14);
  }
  return [a >>> 0, b >>> 0, c >>> 0, d >>> 0];
}

/** The random source of a seed for one day. */
export function chanceOf(seed: Seed, day: Day): Chance {
  const next = smallFastCounter(seed, day);
  const below = (bound: number): number => next() % bound;
  return {
    below,
    between: (least, most) => least + below(most - least + 1),
    is: (percent) => below(100) < percent,
    amount: ({ least, most }) => least + BigInt(below(Number((most - least) / CENT) + 1)) * CENT,
    pick<T>(list: readonly T[]): T {
      return list[below(list.length)] as T;
    },
    fill: (pattern) =>
      pattern.replace(/#{1,9}/g, ({ length }) => String(below(10 ** length)).padStart(length, '0')),
  };
}

/** sfc32 from the PractRand test suite, on 32-bit words. */
function smallFastCounter(seed: Seed, day: Day): () => number {
  let [a, b, c] = seed;
  let counter = (seed[3] ^ Math.imul(day, 0x9e3779b1)) | 0;
  const next = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  };
  for (let round = 0; round < WARM_UP_ROUNDS; round++) next();
  return next;
}
