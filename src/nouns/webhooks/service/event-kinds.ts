/** Event kinds by name, with or without the prefix of the vocabulary (contract §9.2). Pure. */
import { EVENT_KINDS, type EventKind } from '../facts.ts';
import { invalid } from '../../../kernel/errors.ts';

const ALL = '*';

/** Throws `invalid_request` naming `what`, as in `kind`. */
export function kindOf(name: string, { prefix, what }: { prefix: string; what: string }): EventKind {
  const bare = name.startsWith(`${prefix}.`) ? name.slice(prefix.length + 1) : name;
  const kind = EVENT_KINDS.find((each) => each === bare || each === name);
  if (kind !== undefined) return kind;
  throw invalid(`${what} must be one of ${EVENT_KINDS.join(', ')}`);
}

/** Without prefix and duplicates. Throws `invalid_request`. */
export function wantedKinds(names: readonly string[], prefix: string): string[] {
  if (names.every((name) => name === ALL)) return [ALL];
  if (names.includes(ALL)) throw invalid('kinds must be ["*"] or a list of event kinds without *');
  return [...new Set(names.map((name) => kindOf(name, { prefix, what: 'kinds' })))];
}

export function wants(kinds: readonly string[], kind: EventKind): boolean {
  return kinds.includes(ALL) || kinds.includes(kind);
}
