/** Ids of records that were deleted or revoked on purpose, since a snapshot loaded later may still contain them. */
export const tombstones = `
CREATE TABLE tombstones (
  kind TEXT NOT NULL CHECK (kind IN ('entity', 'token', 'key', 'disabled_key')),
  id TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
`;
