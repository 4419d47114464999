import { presentIdentifiers, readingOf } from './readings.ts';
import { REFUSED, vaultDataNotValid } from './refusals.ts';
import type { Refusal } from './refusals.ts';
import { getIdentifier } from './registry.ts';
import type { EntityKind, Identifier } from './rule.ts';

export interface DeleteRequest {
  readonly kind: EntityKind;
  readonly fields: readonly string[] | 'all';
  /** The stored names of the vault. */
  readonly stored: readonly string[];
}

export interface DeletePlan {
  remove: string[];
  /** True: it existed and is deleted. False: it was absent. */
  answer: Record<string, boolean>;
}

/**
 * Plans what a DELETE removes and returns (contract §2.17). Values derived from a removed source are removed, too.
 * Deleting a derived identifier without its source fails with `T120`, and nothing is deleted. Throws `invalid_request`
 * for an unknown identifier.
 */
export function planDelete({ kind, fields, stored }: DeleteRequest): DeletePlan {
  if (fields === 'all') {
    return {
      remove: [...stored],
      answer: Object.fromEntries(presentIdentifiers(stored).map((name) => [name, true])),
    };
  }
  const asked = new Map(fields.map((name) => [name, getIdentifier(name)]));
  const before = new Set(stored);
  const going = new Set([...asked.values()].map((identifier) => identifier.canonical));
  const isStored = (name: string): boolean => before.has(name);
  const staysStored = (name: string): boolean => before.has(name) && !going.has(name);
  const losesItsSource = ({ prefix, rule }: Identifier): boolean =>
    rule.origins.some(({ from }) => from.some((field) => going.has(prefix + field)));

  const problems = new Map<string, Refusal>();
  for (const [name, identifier] of asked) {
    if (!identifier.belongsTo(kind)) problems.set(name, REFUSED.FAM);
    else if (readingOf(name, staysStored) !== undefined) problems.set(name, REFUSED.DRV);
    else if (identifier.derived && !losesItsSource(identifier)) problems.set(name, REFUSED.DRV);
  }
  if (problems.size > 0) throw vaultDataNotValid(problems);

  return {
    remove: [...going].filter(isStored),
    answer: Object.fromEntries(
      [...asked.keys()].map((name) => [name, readingOf(name, isStored) !== undefined]),
    ),
  };
}
