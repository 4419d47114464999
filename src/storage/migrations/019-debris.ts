/**
 * A deletion takes effect in one small commit, however much it deletes: rows of which one parent may have very many
 * don't cascade. Triggers note the deleted parent in debris, and its rows are removed in slices afterwards.
 */
export const debris = `
-- The rows of this table that belong to a parent with this id are to be removed. No new parent gets the id until then.
CREATE TABLE debris (
  of_table TEXT NOT NULL CHECK (of_table IN ('vault_values', 'bank_transactions')),
  parent INTEGER NOT NULL,
  PRIMARY KEY (of_table, parent)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER debris_of_entities AFTER DELETE ON entities BEGIN
  INSERT OR IGNORE INTO debris VALUES ('vault_values', old.id);
END;
CREATE TRIGGER debris_of_bank_links AFTER DELETE ON bank_links BEGIN
  INSERT OR IGNORE INTO debris VALUES ('bank_transactions', old.seq);
END;

-- Vaults with rows of the version after their current one, which nobody reads yet: of a deletion of everything that is
-- written in slices. token: names the deletion.
CREATE TABLE values_ahead (
  entity INTEGER PRIMARY KEY REFERENCES entities (id) ON DELETE CASCADE,
  token TEXT NOT NULL
) STRICT;

-- entity: the row id of an entity, or of a deleted one that is in debris.
CREATE TABLE remade (
  entity INTEGER NOT NULL,
  identifier TEXT NOT NULL,
  version INTEGER NOT NULL,
  sealed BLOB,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (entity, identifier, version)
) STRICT, WITHOUT ROWID;
INSERT INTO remade SELECT entity, identifier, version, sealed, created_at FROM vault_values;
DROP TABLE vault_values;
ALTER TABLE remade RENAME TO vault_values;

-- link: the row id of a link, or of a deleted one that is in debris. account: likewise, of one of its accounts.
CREATE TABLE remade (
  seq INTEGER PRIMARY KEY,
  link INTEGER NOT NULL,
  account INTEGER NOT NULL,
  ledger TEXT NOT NULL CHECK (ledger IN ('bank', 'investment')),
  id TEXT NOT NULL,
  day INTEGER NOT NULL,
  pending INTEGER NOT NULL,
  posts_at INTEGER,
  sealed BLOB NOT NULL,
  UNIQUE (link, id)
) STRICT;
INSERT INTO remade SELECT seq, link, account, ledger, id, day, pending, posts_at, sealed FROM bank_transactions;
DROP TABLE bank_transactions;
ALTER TABLE remade RENAME TO bank_transactions;
CREATE INDEX bank_transactions_newest ON bank_transactions (link, ledger, day, id, account);
CREATE INDEX bank_transactions_pending ON bank_transactions (link, posts_at) WHERE pending = 1;
`;
