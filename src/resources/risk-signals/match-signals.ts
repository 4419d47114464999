/** How well the data of a run were found to match, from its reason codes (contract §2.25). Pure. */
import { MATCH_LEVELS } from '../../contract/facts/onboardings.ts';
import type { AnswerOf } from '../../contract/registry.ts';

type MatchSignal = AnswerOf<'GET /users/{fp_id}/match_signals'>[number];
type MatchLevel = MatchSignal['match_level'];

/** The first that a code contains. */
const LEVELS: readonly (readonly [in_code: RegExp, level: MatchLevel])[] = [
  [/could_not_match/, 'could_not_match'],
  [/(?:does|do)_not_match|mismatch/, 'no_match'],
  [/partial(?:ly)?_match|(?:similar|close|alternate|incomplete)_match/, 'partial_match'],
  [/match(?:es)?$|_matches_/, 'match'],
];

/** In the order of the first code of each scope; a scope has the worst level of its codes. */
export function matchSignals(
  signals: readonly { readonly reason_code: string; readonly scopes: readonly string[] }[],
): MatchSignal[] {
  const byScope = new Map<string, MatchSignal>();
  for (const { reason_code, scopes } of signals) {
    const level = LEVELS.find(([inCode]) => inCode.test(reason_code))?.[1];
    if (level === undefined) continue;
    for (const scope of scopes) {
      const known = byScope.get(scope) ?? { scope, match_level: level, reason_codes: [] };
      byScope.set(scope, {
        scope,
        match_level: worse(known.match_level, level),
        reason_codes: [...known.reason_codes, reason_code],
      });
    }
  }
  return [...byScope.values()];
}

function worse(one: MatchLevel, other: MatchLevel): MatchLevel {
  return MATCH_LEVELS.indexOf(one) > MATCH_LEVELS.indexOf(other) ? one : other;
}
