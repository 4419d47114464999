/**
 * Case work of support staff: decisions about watchlist and media hits, and notes. Their texts and names are sealed in
 * sealed_note and sealed_text.
 */
export const cases = `
CREATE TABLE hit_reviews (
  seq INTEGER PRIMARY KEY,
  entity INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  onboarding TEXT NOT NULL REFERENCES onboardings (id) ON DELETE CASCADE,
  reason_code TEXT NOT NULL,
  decision TEXT NOT NULL CHECK (decision IN ('false_positive', 'confirmed')),
  sealed_note BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  seal BLOB NOT NULL
) STRICT;
CREATE INDEX hit_reviews_by_entity ON hit_reviews (entity, seq);
CREATE INDEX hit_reviews_by_onboarding ON hit_reviews (onboarding);

CREATE TABLE notes (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  entity INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  sealed_text BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  seal BLOB NOT NULL
) STRICT;
CREATE INDEX notes_by_entity ON notes (entity, seq);
`;
