/**
 * Indexes of entities in the order of their pages, so that listing needs no sorting or skipping, and of entities by the
 * root key that seals theirs. Most have no status and are left out of the index by status.
 */
export const entityLists = `
DROP INDEX entities_by_age;
CREATE INDEX entities_by_age ON entities (space, kind, created_at, fp_id);
CREATE INDEX entities_by_status ON entities (space, kind, status, created_at, fp_id) WHERE status <> 'none';
CREATE INDEX entities_by_root_key ON entities (root_key_version);
`;
