/**
 * The steps that made the schema, in order: the index + 1 is the schema's `user_version`. A new table or column is
 * another step at the end; released ones are never edited.
 */
export const MIGRATIONS: readonly string[] = [
  // 1: Times are milliseconds since the Unix epoch. A space is a tenant in one environment: everything that a key can
  // access. Only sealed columns ever contain vaulted values.
  `
CREATE TABLE instance_values (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE keyring_slots (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('keychain', 'passphrase', 'key_file', 'environment', 'recovery')),
  parameters TEXT NOT NULL,
  sealed_vault_key BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT;

CREATE TABLE root_keys (
  version INTEGER PRIMARY KEY,
  sealed_key BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE instance_keys (
  name TEXT PRIMARY KEY,
  root_key_version INTEGER NOT NULL REFERENCES root_keys (version),
  sealed_key BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE spaces (
  id INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'live')),
  created_at INTEGER NOT NULL,
  UNIQUE (tenant, environment)
) STRICT;

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  space INTEGER NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  prefix TEXT NOT NULL,
  digest BLOB NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  permissions TEXT NOT NULL,
  enabled INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT;
CREATE INDEX api_keys_by_space ON api_keys (space);

CREATE TABLE entities (
  id INTEGER PRIMARY KEY,
  fp_id TEXT NOT NULL UNIQUE,
  space INTEGER NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('user', 'business')),
  external_id TEXT,
  sandbox_id TEXT,
  status TEXT NOT NULL DEFAULT 'none' CHECK (status IN ('pass', 'fail', 'incomplete', 'pending', 'none')),
  requires_manual_review INTEGER NOT NULL DEFAULT 0,
  vault_version INTEGER NOT NULL DEFAULT 0,
  fingerprints TEXT NOT NULL DEFAULT '{}',
  root_key_version INTEGER NOT NULL REFERENCES root_keys (version),
  sealed_key BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX entities_by_age ON entities (space, kind, created_at);
CREATE UNIQUE INDEX entities_by_external_id ON entities (space, external_id) WHERE external_id IS NOT NULL;

CREATE TABLE idempotency_ids (
  space INTEGER NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  idempotency_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  fp_id TEXT NOT NULL,
  PRIMARY KEY (space, idempotency_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE vault_values (
  entity INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  identifier TEXT NOT NULL,
  version INTEGER NOT NULL,
  sealed BLOB,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (entity, identifier, version)
) STRICT, WITHOUT ROWID;

-- Blind indexes: the first 16 bytes of an HMAC. The entity's row lists its own, so that they can be taken back.
CREATE TABLE fingerprints (
  digest BLOB NOT NULL,
  entity INTEGER NOT NULL,
  PRIMARY KEY (digest, entity)
) STRICT, WITHOUT ROWID;

-- An entry is the canonical JSON that its hash is made of; the other columns are only ways to find it.
CREATE TABLE access_log (
  seq INTEGER PRIMARY KEY,
  fp_id TEXT,
  entry TEXT NOT NULL,
  hash BLOB NOT NULL,
  at TEXT AS (entry ->> 'at') VIRTUAL,
  operation TEXT AS (entry ->> 'operation') VIRTUAL,
  outcome TEXT AS (entry ->> 'outcome') VIRTUAL
) STRICT;
CREATE INDEX access_log_by_entity ON access_log (fp_id, seq);
`,
  // 2: Client tokens, files, documents, labels and tags. Times are milliseconds since the Unix epoch.
  `
ALTER TABLE entities ADD COLUMN label TEXT CHECK (label IN ('active', 'offboard_fraud', 'offboard_other'));
ALTER TABLE entities ADD COLUMN labelled_at INTEGER;

-- A token is known by its SHA-256 only. It dies with its entity and with the key that made it.
CREATE TABLE client_tokens (
  id TEXT PRIMARY KEY,
  entity INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  api_key TEXT NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  digest BLOB NOT NULL UNIQUE,
  scope TEXT NOT NULL CHECK (scope IN ('vault', 'decrypt', 'vault_and_decrypt', 'decrypt_download', 'vault_card')),
  fields TEXT NOT NULL,
  decrypt_reason TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT;
CREATE INDEX client_tokens_by_entity ON client_tokens (entity, created_at);
CREATE INDEX client_tokens_by_api_key ON client_tokens (api_key);

-- The sealed files that some version of a vault refers to. What is in the folder and not here is an orphan.
CREATE TABLE vault_files (
  name TEXT PRIMARY KEY,
  entity INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  identifier TEXT NOT NULL,
  version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX vault_files_by_entity ON vault_files (entity, identifier);

-- What a browser or device would report about an entity, sealed under the entity's key.
CREATE TABLE entity_attributes (
  entity INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  name TEXT NOT NULL CHECK (name IN ('device_id', 'cookie_id', 'ip_address')),
  sealed BLOB NOT NULL,
  PRIMARY KEY (entity, name)
) STRICT, WITHOUT ROWID;

-- kind: a document kind, or 'custom'.
CREATE TABLE documents (
  id TEXT PRIMARY KEY,
  entity INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  onboarding_id TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX documents_by_entity ON documents (entity, created_at);

CREATE TABLE document_images (
  document TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
  side TEXT NOT NULL CHECK (side IN ('front', 'back', 'selfie')),
  identifier TEXT NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (document, side)
) STRICT, WITHOUT ROWID;

CREATE TABLE tags (
  id TEXT PRIMARY KEY,
  entity INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  tag TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (entity, tag)
) STRICT;
`,
  // 3: Playbooks, runs and their results; webhook endpoints and their deliveries. Times are milliseconds since the Unix
  // epoch. Columns that begin with `sealed` may contain personal data: notes of reviewers, initial data of an entity,
  // values that rules compare with.
  `
-- Set when the clock moves back: what was expired before stays so (contract §11).
ALTER TABLE client_tokens ADD COLUMN has_expired INTEGER NOT NULL DEFAULT 0;

CREATE TABLE playbooks (
  space INTEGER NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('kyc', 'kyb', 'document')),
  version INTEGER NOT NULL,
  requirements TEXT NOT NULL,
  has_rules INTEGER NOT NULL,
  default_outcome TEXT NOT NULL,
  delay_ms INTEGER NOT NULL,
  session_delay_ms INTEGER NOT NULL,
  collects_owners INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (space, key)
) STRICT, WITHOUT ROWID;

INSERT INTO playbooks
SELECT id, iif(environment = 'live', 'pb_live_', 'pb_test_') || suffix, name, kind, 1, requirements, 1, 'pass', 0,
  session_delay_ms, 0, created_at
FROM spaces, (
  SELECT 'kycdefault000000000000' AS suffix, 'KYC' AS name, 'kyc' AS kind, 0 AS session_delay_ms,
    '[["id.first_name"],["id.last_name"],["id.dob"],["id.address_line1"],["id.city"],["id.state"],["id.zip"],["id.country"],["id.ssn9","id.ssn4","id.itin","id.us_tax_id"]]' AS requirements
  UNION ALL
  SELECT 'kybdefault000000000000', 'KYB', 'kyb', 120000,
    '[["business.name"],["business.tin"],["business.address_line1"],["business.city"],["business.state"],["business.zip"],["business.country"]]'
);

-- match: without the value that an identifier is compared with. remaining: of times; null without.
CREATE TABLE outcome_rules (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  space INTEGER NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  priority INTEGER NOT NULL,
  enabled INTEGER NOT NULL,
  match TEXT NOT NULL,
  sealed_equals BLOB,
  outcome TEXT NOT NULL,
  delay_ms INTEGER,
  signals TEXT,
  times INTEGER,
  remaining INTEGER
) STRICT;
CREATE INDEX outcome_rules_in_order ON outcome_rules (space, priority, seq);

-- Stays when its entity goes; what was still to happen to it then doesn't. due_at: when next_outcome comes about.
CREATE TABLE onboardings (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  space INTEGER NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  entity INTEGER REFERENCES entities (id) ON DELETE SET NULL,
  fp_id TEXT NOT NULL,
  external_id TEXT,
  onboarding_external_id TEXT,
  playbook_key TEXT NOT NULL,
  playbook_kind TEXT NOT NULL CHECK (playbook_kind IN ('kyc', 'kyb', 'document')),
  playbook_version INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pass', 'fail', 'none', 'error', 'pending', 'incomplete')),
  requires_manual_review INTEGER NOT NULL DEFAULT 0,
  next_outcome TEXT,
  signals TEXT,
  is_owner_run INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER,
  created_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  completed_at INTEGER
) STRICT;
CREATE INDEX onboardings_by_entity ON onboardings (entity, seq) WHERE entity IS NOT NULL;
CREATE INDEX onboardings_due ON onboardings (due_at, seq) WHERE due_at IS NOT NULL;
CREATE INDEX onboardings_open ON onboardings (space, playbook_key) WHERE completed_at IS NULL;

CREATE TABLE risk_signals (
  onboarding TEXT NOT NULL REFERENCES onboardings (id) ON DELETE CASCADE,
  entity INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  reason_code TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (onboarding, reason_code)
) STRICT, WITHOUT ROWID;
CREATE INDEX risk_signals_by_entity ON risk_signals (entity);

CREATE TABLE decisions (
  seq INTEGER PRIMARY KEY,
  entity INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('manual', 'playbook_run')),
  status TEXT NOT NULL CHECK (status IN ('pass', 'fail', 'none')),
  playbook_key TEXT,
  sealed_note BLOB,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX decisions_by_entity ON decisions (entity, seq);

CREATE TABLE owners (
  seq INTEGER PRIMARY KEY,
  business INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  user INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  ownership_stake INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (business, user)
) STRICT;
CREATE INDEX owners_by_user ON owners (user);

-- Tokens are known by their SHA-256 only. outcome: JSON of who and which onboardings, when completed. user: who must be
-- there to complete it; sealed_request is empty once they are deleted, too.
CREATE TABLE onboarding_sessions (
  id INTEGER PRIMARY KEY,
  space INTEGER NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  digest BLOB NOT NULL UNIQUE,
  sealed_request BLOB NOT NULL,
  onboarding TEXT REFERENCES onboardings (id) ON DELETE SET NULL,
  user INTEGER REFERENCES entities (id) ON DELETE SET NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  has_expired INTEGER NOT NULL DEFAULT 0,
  completed_at INTEGER,
  validation_digest BLOB UNIQUE,
  validation_expires_at INTEGER,
  outcome TEXT
) STRICT;
CREATE INDEX onboarding_sessions_by_onboarding ON onboarding_sessions (onboarding) WHERE onboarding IS NOT NULL;
CREATE INDEX onboarding_sessions_by_expiry ON onboarding_sessions (expires_at) WHERE completed_at IS NULL;
CREATE INDEX onboarding_sessions_by_user ON onboarding_sessions (user) WHERE user IS NOT NULL;

-- The old secret signs beside the new one until old_until.
CREATE TABLE webhooks (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  space INTEGER NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  url TEXT NOT NULL,
  kinds TEXT NOT NULL,
  sealed_secret BLOB NOT NULL,
  sealed_old_secret BLOB,
  old_until INTEGER,
  enabled INTEGER NOT NULL DEFAULT 1,
  disabled_reason TEXT,
  failing_since INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX webhooks_by_space ON webhooks (space);

CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  space INTEGER NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  fp_id TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX events_by_space ON events (space, seq);

-- A series of attempts to bring an event to an endpoint.
CREATE TABLE deliveries (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  event TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  webhook TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
  attempts INTEGER NOT NULL DEFAULT 0,
  next_at INTEGER,
  mischief TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX deliveries_due ON deliveries (webhook, next_at, seq) WHERE next_at IS NOT NULL;
CREATE INDEX deliveries_by_event ON deliveries (event);
CREATE INDEX deliveries_by_webhook ON deliveries (webhook);

CREATE TABLE delivery_attempts (
  delivery TEXT NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
  attempt INTEGER NOT NULL,
  at INTEGER NOT NULL,
  response_status INTEGER,
  error TEXT,
  ms REAL NOT NULL,
  hint TEXT,
  PRIMARY KEY (delivery, attempt)
) STRICT, WITHOUT ROWID;
`,
  // 4: Bank links and their data. Times are milliseconds since the Unix epoch, days are days since then. Only the columns
  // that find and order an account or a transaction are in plain text. Amounts, names and texts are sealed under the key
  // of the entity and are lost with it.
  `
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
`,
  // 5: Fault rules as canonical JSON, oldest first. `draws` counts the draws of a probability, which continue after a
  // restart.
  `
CREATE TABLE fault_rules (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  rule TEXT NOT NULL,
  hits INTEGER NOT NULL DEFAULT 0,
  draws INTEGER NOT NULL DEFAULT 0,
  enabled INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL
) STRICT;
`,
  // 6: A seal for each row that grants access: an HMAC under a key of the vault. Older rows are sealed once, at the
  // upgrade.
  `
ALTER TABLE api_keys ADD COLUMN seal BLOB;
ALTER TABLE client_tokens ADD COLUMN seal BLOB;
ALTER TABLE webhooks ADD COLUMN seal BLOB;
ALTER TABLE entities ADD COLUMN seal BLOB;
`,
  // 7: Ids of records that were deleted or revoked on purpose, since a snapshot loaded later may still contain them.
  `
CREATE TABLE tombstones (
  kind TEXT NOT NULL CHECK (kind IN ('entity', 'token', 'key', 'disabled_key')),
  id TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
`,
  // 8: Seals for the rows of sessions, bank links and verification results. Older rows are sealed once, at the upgrade.
  `
ALTER TABLE onboarding_sessions ADD COLUMN seal BLOB;
ALTER TABLE bank_link_intents ADD COLUMN seal BLOB;
ALTER TABLE bank_links ADD COLUMN seal BLOB;
ALTER TABLE onboardings ADD COLUMN seal BLOB;
ALTER TABLE decisions ADD COLUMN seal BLOB;
`,
  // 9: Second copies of keys that existed once only, so that a damaged page of one copy is detected.
  `
CREATE INDEX idempotency_ids_by_entity ON idempotency_ids (fp_id);

CREATE INDEX playbooks_by_age ON playbooks (space, created_at);
`,
  // 10: Sessions get an id, a reference to their entity and playbook, and the time of cancellation.
  `
ALTER TABLE onboarding_sessions ADD COLUMN session_id TEXT;
ALTER TABLE onboarding_sessions ADD COLUMN playbook_key TEXT;
ALTER TABLE onboarding_sessions ADD COLUMN fp_id TEXT;
ALTER TABLE onboarding_sessions ADD COLUMN fp_bid TEXT;
ALTER TABLE onboarding_sessions ADD COLUMN canceled_at INTEGER;

-- 11 random bytes are 22 hexadecimal digits. What a session from before says of whom it is about stays as far as it is known.
UPDATE onboarding_sessions SET session_id = 'ses_' || lower(hex(randomblob(11)));
UPDATE onboarding_sessions SET
  playbook_key = (SELECT onboardings.playbook_key FROM onboardings
    WHERE onboardings.id = coalesce(onboarding, outcome ->> 'business', outcome ->> 'user')),
  fp_id = coalesce(
    outcome ->> 'fp_id',
    (SELECT entities.fp_id FROM entities WHERE entities.id = user),
    (SELECT fp_id FROM onboardings WHERE id = onboarding AND entity IS NOT NULL AND substr(fp_id, 1, 6) = 'fp_id_')
  ),
  fp_bid = (SELECT fp_id FROM onboardings
    WHERE id = coalesce(outcome ->> 'business', onboarding) AND substr(fp_id, 1, 7) = 'fp_bid_');

CREATE UNIQUE INDEX onboarding_sessions_by_session_id ON onboarding_sessions (session_id);
CREATE INDEX onboarding_sessions_by_age ON onboarding_sessions (space, created_at, session_id);
CREATE INDEX onboarding_sessions_by_fp_id ON onboarding_sessions (fp_id) WHERE fp_id IS NOT NULL;
CREATE INDEX onboarding_sessions_by_fp_bid ON onboarding_sessions (fp_bid) WHERE fp_bid IS NOT NULL;
`,
  // 11: Stored configurations of the vault proxy. Everything except the target's origin is sealed: paths, headers,
  // certificates, rules and the name. Times are milliseconds since the Unix epoch.
  `
CREATE TABLE proxy_configurations (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  space INTEGER NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  origin TEXT NOT NULL,
  sealed_configuration BLOB NOT NULL,
  enabled INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  seal BLOB
) STRICT;
CREATE INDEX proxy_configurations_by_space ON proxy_configurations (space);
`,
  // 12: Indexes of entities in the order of their pages, so that listing needs no sorting or skipping, and of entities
  // by the root key that seals theirs. Most have no status and are left out of the index by status.
  `
DROP INDEX entities_by_age;
CREATE INDEX entities_by_age ON entities (space, kind, created_at, fp_id);
CREATE INDEX entities_by_status ON entities (space, kind, status, created_at, fp_id) WHERE status <> 'none';
CREATE INDEX entities_by_root_key ON entities (root_key_version);
`,
  // 13: Blind indexes of new entities stay in their rows until they are moved to the table in a batch. The table has
  // those of all entities up to this row id.
  `
CREATE TABLE fingerprint_listing (
  row INTEGER PRIMARY KEY CHECK (row = 1),
  up_to INTEGER NOT NULL
) STRICT;
INSERT INTO fingerprint_listing SELECT 1, coalesce(max(id), 0) FROM entities;
`,
  // 14: The hosted flow. `held_files`: sealed files of people who have not completed their flow yet; the sealed request
  // of the session has their keys. `documents`: JSON of the kinds that a playbook asks for, null for none.
  `
CREATE TABLE held_files (
  name TEXT PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES onboarding_sessions (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX held_files_by_session ON held_files (session);
ALTER TABLE playbooks ADD COLUMN owners_playbook_key TEXT;
ALTER TABLE playbooks ADD COLUMN documents TEXT;
ALTER TABLE playbooks ADD COLUMN selfie INTEGER NOT NULL DEFAULT 0;
`,
  // 15: Access log entries by entity, in sorted runs. Each run is built once from a fixed number of rows, sorted by
  // entity, and appended to the earlier ones. An index over all rows would change a separate page for each row. Entries
  // from before the upgrade are added to runs with later commits.
  `
DROP INDEX access_log_by_entity;
-- fp_id is empty where an entry is about no single entity.
CREATE TABLE access_log_runs (
  run INTEGER NOT NULL,
  fp_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (run, fp_id, seq)
) STRICT, WITHOUT ROWID;
`,
  // 16: Indexes for support staff: entities by label, tags by text, and runs that wait for a person, in the order in
  // which they began to wait. Entities without a label and runs that don't wait are left out.
  `
CREATE INDEX entities_by_label ON entities (space, label) WHERE label IS NOT NULL;
CREATE INDEX entities_in_review ON entities (space, kind) WHERE requires_manual_review = 1;
CREATE INDEX tags_by_text ON tags (tag, entity);
CREATE INDEX onboardings_in_review ON onboardings (space, changed_at, seq) WHERE requires_manual_review = 1;
`,
  // 17: The page where a person links a bank. `bank_pages`: the choices made there for an intent, and its redirect,
  // sealed.
  `
CREATE TABLE bank_pages (
  digest BLOB PRIMARY KEY REFERENCES bank_link_intents (digest) ON DELETE CASCADE,
  sealed BLOB NOT NULL
) STRICT, WITHOUT ROWID;
ALTER TABLE playbooks ADD COLUMN bank_link INTEGER NOT NULL DEFAULT 0;
`,
  // 18: Case work of support staff: decisions about watchlist and media hits, and notes. Their texts and names are
  // sealed in sealed_note and sealed_text.
  `
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
`,
  // 19: A deletion takes effect in one small commit, however much it deletes: rows of which one parent may have very many
  // don't cascade. Triggers note the deleted parent in debris, and its rows are removed in slices afterwards.
  `
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
`,
  // 20: What somebody has asked a user for, until the user has given it. Note, document, fields and operator are sealed.
  `
CREATE TABLE info_requests (
  entity INTEGER PRIMARY KEY REFERENCES entities (id) ON DELETE CASCADE,
  sealed BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  seal BLOB NOT NULL
) STRICT;
`,
  // 21: Who works on a case. The operator is sealed.
  `
CREATE TABLE claims (
  entity INTEGER PRIMARY KEY REFERENCES entities (id) ON DELETE CASCADE,
  sealed_operator BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  until INTEGER NOT NULL,
  seal BLOB NOT NULL
) STRICT;
`,
  // 22: The signed headers of an attempt: Unix seconds, and the text of the signature. Null where nothing was sent, and
  // in attempts from before.
  `
ALTER TABLE delivery_attempts ADD COLUMN webhook_timestamp INTEGER;
ALTER TABLE delivery_attempts ADD COLUMN webhook_signature TEXT;
`,
];
