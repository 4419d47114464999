/** What was deleted or revoked on purpose, by its id: a snapshot that is loaded later may still hold it. */
export const tombstones = `
CREATE TABLE tombstones (
  kind TEXT NOT NULL CHECK (kind IN ('entity', 'token', 'key', 'disabled_key')),
  id TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
`;
