/** Whether a rule applies to a run (contract §4.3). */
import type { PlaybookKind } from '../../contract/facts/onboardings.ts';
import { textGlob } from '../../kernel/text-glob.ts';
import { comparableText, fold } from '../../vault/identifiers/index.ts';
import type { StoredMatch } from './repository.ts';

/** The properties of a run that rules match. */
export interface RunFacts {
  readonly fp_id: string;
  readonly external_id: string | null;
  readonly sandbox_id: string | null;
  readonly playbook_key: string;
  readonly kind: PlaybookKind;
  /** The stored text of an identifier; undefined when absent, or no text. */
  readonly valueOf: (identifier: string) => string | undefined;
}

/** The members that accept `*`. */
export const GLOBS = ['fp_id', 'external_id', 'sandbox_id', 'playbook_key'] as const;

/** Whether all given members match. A property that the run lacks matches nothing, not even `*`. */
export function isAbout(match: StoredMatch, equals: () => string, run: RunFacts): boolean {
  if (match.kind !== undefined && match.kind !== run.kind) return false;
  for (const name of GLOBS) {
    const glob = match[name];
    if (glob === undefined) continue;
    const actual = run[name];
    if (actual === null || !textGlob(glob)(actual)) return false;
  }
  return match.identifier === undefined || hasValue(match.identifier.name, equals, run);
}

function hasValue(identifier: string, equals: () => string, run: RunFacts): boolean {
  const actual = run.valueOf(identifier);
  return actual !== undefined && fold(actual) === comparableText(identifier, equals());
}
