/** All SQL of decisions about hits. `entity` is the row id of the entity; times are epoch milliseconds. */
import type { HitDecision } from '../../contract/facts/cases.ts';
import type { Database } from '../../storage/database.ts';
import { scalarStatement, statement } from '../../storage/statement.ts';
import { requireSeal, sealOf } from '../../vault/grants/index.ts';

export interface HitReviewRow {
  /** Increases with each decision. */
  readonly seq: number;
  readonly entity: number;
  readonly onboarding: string;
  readonly reason_code: string;
  readonly decision: HitDecision;
  /** Reason and operator. */
  readonly sealed_note: Uint8Array;
  readonly created_at: number;
  readonly seal: Uint8Array;
}

/** The `seq` of the next decision. */
export function nextReviewSeq(database: Database): number {
  return scalarStatement<[], number>('SELECT coalesce(max(seq), 0) + 1 FROM hit_reviews').one(database);
}

export function insertReview(database: Database, row: Omit<HitReviewRow, 'seal'>): void {
  statement<HitReviewRow>(`INSERT INTO hit_reviews
     (seq, entity, onboarding, reason_code, decision, sealed_note, created_at, seal)
     VALUES (@seq, @entity, @onboarding, @reason_code, @decision, @sealed_note, @created_at, @seal)`).run(
    database,
    { ...row, seal: sealOf(database, 'hit_reviews', row) },
  );
}

/** Oldest first. Throws `vault_damaged` when another program has changed one. */
export function listReviews(database: Database, entity: number): HitReviewRow[] {
  const rows = statement<[number], HitReviewRow>(
    'SELECT * FROM hit_reviews WHERE entity = ? ORDER BY seq',
  ).all(database, entity);
  for (const row of rows) requireSeal(database, 'hit_reviews', row, row.seal);
  return rows;
}
