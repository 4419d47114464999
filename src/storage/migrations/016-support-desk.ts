/**
 * Indexes for support staff: entities by label, tags by text, and runs that wait for a person, in the order in which
 * they began to wait. Entities without a label and runs that don't wait are left out.
 */
export const supportDesk = `
CREATE INDEX entities_by_label ON entities (space, label) WHERE label IS NOT NULL;
CREATE INDEX entities_in_review ON entities (space, kind) WHERE requires_manual_review = 1;
CREATE INDEX tags_by_text ON tags (tag, entity);
CREATE INDEX onboardings_in_review ON onboardings (space, changed_at, seq) WHERE requires_manual_review = 1;
`;
