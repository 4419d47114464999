/**
 * Blind indexes of new entities wait in their rows until they are put into the table together. Those of entities up to
 * this row id are in the table.
 */
export const deferredFingerprints = `
CREATE TABLE fingerprint_listing (
  row INTEGER PRIMARY KEY CHECK (row = 1),
  up_to INTEGER NOT NULL
) STRICT;
INSERT INTO fingerprint_listing SELECT 1, coalesce(max(id), 0) FROM entities;
`;
