import { atOnce } from '../../kernel/turns.ts';
import { findIdentifier } from './registry.ts';
import type { Compute } from './rule.ts';

/** How to read an identifier from stored values. */
export interface Reading {
  /** Stored names of the required values, in the order of the arguments of `compute`. */
  readonly sources: readonly string[];
  /** Undefined: the value of the only source, unchanged. */
  readonly compute?: Compute;
  /** The value is the content type of the stored source file. */
  readonly contentTypeOf?: true;
}

/** How to read an identifier now: directly, through an alias, or derived. Undefined when it is absent or unknown. */
export function readingOf(identifier: string, isStored: (name: string) => boolean): Reading | undefined {
  const known = findIdentifier(identifier);
  if (known === undefined) return undefined;
  const { origins } = known.rule;
  if (origins.length === 0) return isStored(identifier) ? { sources: [identifier] } : undefined;
  for (const { from, ...how } of origins) {
    const sources = from.map((field) => known.prefix + field);
    if (sources.every(isStored)) return { sources, ...how };
  }
  return undefined;
}

/**
 * The stored identifiers and those derived from them, sorted by name. Aliases are not listed in addition to their
 * originals.
 */
export function presentIdentifiers(stored: Iterable<string>): string[] {
  return atOnce(findPresent(stored));
}

const NAMES_PER_TURN = 250;

/** `presentIdentifiers` that yields after each few hundred names. */
export function* findPresent(stored: Iterable<string>): Generator<void, string[]> {
  const names = new Set(stored);
  const present = new Set(names);
  const isStored = (name: string): boolean => names.has(name);
  let looked = 0;
  for (const name of names) {
    looked += 1;
    if (looked % NAMES_PER_TURN === 0) yield;
    const known = findIdentifier(name);
    for (const field of known?.rule.derives ?? []) {
      const derived = `${known?.prefix ?? ''}${field}`;
      if (readingOf(derived, isStored) !== undefined) present.add(derived);
    }
  }
  return [...present].sort();
}
