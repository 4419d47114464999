/**
 * Blind indexes of new entities stay in their rows until they are moved to the table in a batch. The table has those of
 * all entities up to this row id.
 */
export const deferredFingerprints = `
CREATE TABLE fingerprint_listing (
  row INTEGER PRIMARY KEY CHECK (row = 1),
  up_to INTEGER NOT NULL
) STRICT;
INSERT INTO fingerprint_listing SELECT 1, coalesce(max(id), 0) FROM entities;
`;
