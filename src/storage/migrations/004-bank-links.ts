/**
 * Bank links and their data. Times are milliseconds since the Unix epoch, days are days since then. Only the columns
 * that find and order an account or a transaction are in plain text. Amounts, names and texts are sealed under the key
 * of the entity and are lost with it.
 */
export const bankLinks = `
-- An intent is known by its SHA-256 only. link: the one that it reconnects.
CREATE TABLE bank_link_intents (
  digest BLOB PRIMARY KEY,
  entity INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  link INTEGER REFERENCES bank_links (seq) ON DELETE CASCADE,
  persona TEXT NOT NULL,
  institution TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  has_expired INTEGER NOT NULL DEFAULT 0,
  used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX bank_link_intents_by_entity ON bank_link_intents (entity);
CREATE INDEX bank_link_intents_by_link ON bank_link_intents (link) WHERE link IS NOT NULL;

-- products: JSON, when each was refreshed and last tried. due_at: when there is something to do for it next; null in
-- state error, unless a refresh is to fail.
CREATE TABLE bank_links (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  space INTEGER NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  entity INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  external_id TEXT,
  persona TEXT NOT NULL,
  anchor INTEGER NOT NULL,
  institution TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('connected', 'error')),
  error_code TEXT CHECK (error_code IN ('auth_expired', 'institution_error')),
  products TEXT NOT NULL,
  last_synced_at INTEGER,
  due_at INTEGER,
  sealed_world BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX bank_links_by_space ON bank_links (space, created_at, id);
CREATE INDEX bank_links_by_entity ON bank_links (entity);
CREATE INDEX bank_links_due ON bank_links (due_at, seq) WHERE due_at IS NOT NULL;

-- products: JSON list.
CREATE TABLE bank_refreshes (
  seq INTEGER PRIMARY KEY,
  link INTEGER NOT NULL REFERENCES bank_links (seq) ON DELETE CASCADE,
  products TEXT NOT NULL,
  due_at INTEGER NOT NULL
) STRICT;
CREATE INDEX bank_refreshes_by_link ON bank_refreshes (link, due_at);

-- world_key: what the account is to the persona.
CREATE TABLE bank_accounts (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  link INTEGER NOT NULL REFERENCES bank_links (seq) ON DELETE CASCADE,
  world_key TEXT NOT NULL,
  sealed BLOB NOT NULL
) STRICT;
CREATE INDEX bank_accounts_by_link ON bank_accounts (link, seq);

-- ledger: of money, or of securities. posts_at: when a pending one posts by itself; null for others.
CREATE TABLE bank_transactions (
  seq INTEGER PRIMARY KEY,
  link INTEGER NOT NULL REFERENCES bank_links (seq) ON DELETE CASCADE,
  account INTEGER NOT NULL REFERENCES bank_accounts (seq) ON DELETE CASCADE,
  ledger TEXT NOT NULL CHECK (ledger IN ('bank', 'investment')),
  id TEXT NOT NULL,
  day INTEGER NOT NULL,
  pending INTEGER NOT NULL,
  posts_at INTEGER,
  sealed BLOB NOT NULL,
  UNIQUE (link, id)
) STRICT;
CREATE INDEX bank_transactions_newest ON bank_transactions (link, ledger, day, id, account);
CREATE INDEX bank_transactions_by_account ON bank_transactions (account);
CREATE INDEX bank_transactions_pending ON bank_transactions (link, posts_at) WHERE pending = 1;
`;
