/** Words for the case work of support staff: decisions about hits, and notes (contract §11). */

/** Reason codes for a possible match on a list or in the press. */
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

/** A person's decisions about a hit. */
export const HIT_DECISIONS = ['false_positive', 'confirmed'] as const;
export type HitDecision = (typeof HIT_DECISIONS)[number];

/** The longest note, in characters. */
/** The length of a note to the user, and the number of fields, of one request for more. */
export const INFO_REQUEST_LIMITS = { note: 1000, fields: 50 } as const;
export const NOTE_LIMIT = 4_000;
