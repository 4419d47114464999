/** All SQL of decisions about hits. `entity` is the row id of the entity; times are epoch milliseconds. */
import type { HitDecision } from '../../contract/facts/cases.ts';
import type { Database } from '../../storage/database.ts';
import { bytes, integer, table, text, textOf, type RowOf } from '../../storage/table.ts';
import { rowSeal } from '../../vault/grants/index.ts';

const REVIEWS = table(
  'hit_reviews',
  {
    /** Increases with each decision. */
    seq: integer,
    entity: integer,
    onboarding: text,
    reason_code: text,
    decision: textOf<HitDecision>(),
    /** Reason and operator. */
    sealed_note: bytes,
    created_at: integer,
  },
  { seal: rowSeal('hit_reviews') },
);

export type HitReviewRow = RowOf<typeof REVIEWS>;

/** The `seq` of the next decision. */
export const nextReviewSeq = (database: Database) => REVIEWS.next(database, 'seq');
export const insertReview = REVIEWS.insert;

/** Oldest first. Throws `vault_damaged` when another program has changed one. */
export const listReviews = REVIEWS.all<[entity: number]>('WHERE entity = ? ORDER BY seq');
