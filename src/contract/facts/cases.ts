/** Words of what support staff do about a case: hits that they decide on, and notes (contract §11). */

/** Reason codes that say that a name may stand on a list, or in the press. */
export const HIT_CODES = [
  'watchlist_hit_ofac',
  'watchlist_hit_non_sdn',
  'watchlist_hit_warning',
  'watchlist_hit_pep',
  'adverse_media_hit',
  'business_name_watchlist_hit',
] as const;
export type HitCode = (typeof HIT_CODES)[number];

export function isHitCode(code: string): code is HitCode {
  return HIT_CODES.some((known) => known === code);
}

/** What a person decides about a hit. */
export const HIT_DECISIONS = ['false_positive', 'confirmed'] as const;
export type HitDecision = (typeof HIT_DECISIONS)[number];

/** The longest note, in characters. */
export const NOTE_LIMIT = 4_000;
