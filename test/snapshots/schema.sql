CREATE TABLE access_log (
  seq INTEGER PRIMARY KEY,
  fp_id TEXT,
  entry TEXT NOT NULL,
  hash BLOB NOT NULL,
  at TEXT AS (entry ->> 'at') VIRTUAL,
  operation TEXT AS (entry ->> 'operation') VIRTUAL,
  outcome TEXT AS (entry ->> 'outcome') VIRTUAL
) STRICT;

CREATE TABLE access_log_runs (
  run INTEGER NOT NULL,
  fp_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (run, fp_id, seq)
) STRICT, WITHOUT ROWID;

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
, seal BLOB) STRICT;

CREATE INDEX api_keys_by_space ON api_keys (space);

CREATE TABLE bank_accounts (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  link INTEGER NOT NULL REFERENCES bank_links (seq) ON DELETE CASCADE,
  world_key TEXT NOT NULL,
  sealed BLOB NOT NULL
) STRICT;

CREATE INDEX bank_accounts_by_link ON bank_accounts (link, seq);

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
, seal BLOB) STRICT, WITHOUT ROWID;

CREATE INDEX bank_link_intents_by_entity ON bank_link_intents (entity);

CREATE INDEX bank_link_intents_by_link ON bank_link_intents (link) WHERE link IS NOT NULL;

CREATE TRIGGER debris_of_bank_links AFTER DELETE ON bank_links BEGIN
  INSERT OR IGNORE INTO debris VALUES ('bank_transactions', old.seq);
END;

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
, seal BLOB) STRICT;

CREATE INDEX bank_links_by_entity ON bank_links (entity);

CREATE INDEX bank_links_by_space ON bank_links (space, created_at, id);

CREATE INDEX bank_links_due ON bank_links (due_at, seq) WHERE due_at IS NOT NULL;

CREATE TABLE bank_pages (
  digest BLOB PRIMARY KEY REFERENCES bank_link_intents (digest) ON DELETE CASCADE,
  sealed BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE bank_refreshes (
  seq INTEGER PRIMARY KEY,
  link INTEGER NOT NULL REFERENCES bank_links (seq) ON DELETE CASCADE,
  products TEXT NOT NULL,
  due_at INTEGER NOT NULL
) STRICT;

CREATE INDEX bank_refreshes_by_link ON bank_refreshes (link, due_at);

CREATE TABLE "bank_transactions" (
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

CREATE INDEX bank_transactions_newest ON bank_transactions (link, ledger, day, id, account);

CREATE INDEX bank_transactions_pending ON bank_transactions (link, posts_at) WHERE pending = 1;

CREATE TABLE claims (
  entity INTEGER PRIMARY KEY REFERENCES entities (id) ON DELETE CASCADE,
  sealed_operator BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  until INTEGER NOT NULL,
  seal BLOB NOT NULL
) STRICT;

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
, has_expired INTEGER NOT NULL DEFAULT 0, seal BLOB) STRICT;

CREATE INDEX client_tokens_by_api_key ON client_tokens (api_key);

CREATE INDEX client_tokens_by_entity ON client_tokens (entity, created_at);

CREATE TABLE debris (
  of_table TEXT NOT NULL CHECK (of_table IN ('vault_values', 'bank_transactions')),
  parent INTEGER NOT NULL,
  PRIMARY KEY (of_table, parent)
) STRICT, WITHOUT ROWID;

CREATE TABLE decisions (
  seq INTEGER PRIMARY KEY,
  entity INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('manual', 'playbook_run')),
  status TEXT NOT NULL CHECK (status IN ('pass', 'fail', 'none')),
  playbook_key TEXT,
  sealed_note BLOB,
  created_at INTEGER NOT NULL
, seal BLOB) STRICT;

CREATE INDEX decisions_by_entity ON decisions (entity, seq);

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

CREATE INDEX deliveries_by_event ON deliveries (event);

CREATE INDEX deliveries_by_webhook ON deliveries (webhook);

CREATE INDEX deliveries_due ON deliveries (webhook, next_at, seq) WHERE next_at IS NOT NULL;

CREATE TABLE delivery_attempts (
  delivery TEXT NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
  attempt INTEGER NOT NULL,
  at INTEGER NOT NULL,
  response_status INTEGER,
  error TEXT,
  ms REAL NOT NULL,
  hint TEXT, webhook_timestamp INTEGER, webhook_signature TEXT,
  PRIMARY KEY (delivery, attempt)
) STRICT, WITHOUT ROWID;

CREATE TABLE document_images (
  document TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
  side TEXT NOT NULL CHECK (side IN ('front', 'back', 'selfie')),
  identifier TEXT NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (document, side)
) STRICT, WITHOUT ROWID;

CREATE TABLE documents (
  id TEXT PRIMARY KEY,
  entity INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  onboarding_id TEXT,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX documents_by_entity ON documents (entity, created_at);

CREATE TRIGGER debris_of_entities AFTER DELETE ON entities BEGIN
  INSERT OR IGNORE INTO debris VALUES ('vault_values', old.id);
END;

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
, label TEXT CHECK (label IN ('active', 'offboard_fraud', 'offboard_other')), labelled_at INTEGER, seal BLOB) STRICT;

CREATE INDEX entities_by_age ON entities (space, kind, created_at, fp_id);

CREATE UNIQUE INDEX entities_by_external_id ON entities (space, external_id) WHERE external_id IS NOT NULL;

CREATE INDEX entities_by_label ON entities (space, label) WHERE label IS NOT NULL;

CREATE INDEX entities_by_root_key ON entities (root_key_version);

CREATE INDEX entities_by_status ON entities (space, kind, status, created_at, fp_id) WHERE status <> 'none';

CREATE INDEX entities_in_review ON entities (space, kind) WHERE requires_manual_review = 1;

CREATE TABLE entity_attributes (
  entity INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  name TEXT NOT NULL CHECK (name IN ('device_id', 'cookie_id', 'ip_address')),
  sealed BLOB NOT NULL,
  PRIMARY KEY (entity, name)
) STRICT, WITHOUT ROWID;

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

CREATE TABLE fault_rules (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  rule TEXT NOT NULL,
  hits INTEGER NOT NULL DEFAULT 0,
  draws INTEGER NOT NULL DEFAULT 0,
  enabled INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE fingerprint_listing (
  row INTEGER PRIMARY KEY CHECK (row = 1),
  up_to INTEGER NOT NULL
) STRICT;

CREATE TABLE fingerprints (
  digest BLOB NOT NULL,
  entity INTEGER NOT NULL,
  PRIMARY KEY (digest, entity)
) STRICT, WITHOUT ROWID;

CREATE TABLE held_files (
  name TEXT PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES onboarding_sessions (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX held_files_by_session ON held_files (session);

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

CREATE TABLE idempotency_ids (
  space INTEGER NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  idempotency_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  fp_id TEXT NOT NULL,
  PRIMARY KEY (space, idempotency_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_ids_by_entity ON idempotency_ids (fp_id);

CREATE TABLE info_requests (
  entity INTEGER PRIMARY KEY REFERENCES entities (id) ON DELETE CASCADE,
  sealed BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  seal BLOB NOT NULL
) STRICT;

CREATE TABLE instance_keys (
  name TEXT PRIMARY KEY,
  root_key_version INTEGER NOT NULL REFERENCES root_keys (version),
  sealed_key BLOB NOT NULL
) STRICT, WITHOUT ROWID;

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

CREATE TABLE notes (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  entity INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  sealed_text BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  seal BLOB NOT NULL
) STRICT;

CREATE INDEX notes_by_entity ON notes (entity, seq);

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
, seal BLOB, session_id TEXT, playbook_key TEXT, fp_id TEXT, fp_bid TEXT, canceled_at INTEGER) STRICT;

CREATE INDEX onboarding_sessions_by_age ON onboarding_sessions (space, created_at, session_id);

CREATE INDEX onboarding_sessions_by_expiry ON onboarding_sessions (expires_at) WHERE completed_at IS NULL;

CREATE INDEX onboarding_sessions_by_fp_bid ON onboarding_sessions (fp_bid) WHERE fp_bid IS NOT NULL;

CREATE INDEX onboarding_sessions_by_fp_id ON onboarding_sessions (fp_id) WHERE fp_id IS NOT NULL;

CREATE INDEX onboarding_sessions_by_onboarding ON onboarding_sessions (onboarding) WHERE onboarding IS NOT NULL;

CREATE UNIQUE INDEX onboarding_sessions_by_session_id ON onboarding_sessions (session_id);

CREATE INDEX onboarding_sessions_by_user ON onboarding_sessions (user) WHERE user IS NOT NULL;

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
, seal BLOB) STRICT;

CREATE INDEX onboardings_by_entity ON onboardings (entity, seq) WHERE entity IS NOT NULL;

CREATE INDEX onboardings_due ON onboardings (due_at, seq) WHERE due_at IS NOT NULL;

CREATE INDEX onboardings_in_review ON onboardings (space, changed_at, seq) WHERE requires_manual_review = 1;

CREATE INDEX onboardings_open ON onboardings (space, playbook_key) WHERE completed_at IS NULL;

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

CREATE TABLE owners (
  seq INTEGER PRIMARY KEY,
  business INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  user INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  ownership_stake INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (business, user)
) STRICT;

CREATE INDEX owners_by_user ON owners (user);

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
  created_at INTEGER NOT NULL, owners_playbook_key TEXT, documents TEXT, selfie INTEGER NOT NULL DEFAULT 0, bank_link INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (space, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX playbooks_by_age ON playbooks (space, created_at);

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

CREATE TABLE risk_signals (
  onboarding TEXT NOT NULL REFERENCES onboardings (id) ON DELETE CASCADE,
  entity INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  reason_code TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (onboarding, reason_code)
) STRICT, WITHOUT ROWID;

CREATE INDEX risk_signals_by_entity ON risk_signals (entity);

CREATE TABLE root_keys (
  version INTEGER PRIMARY KEY,
  sealed_key BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE spaces (
  id INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'live')),
  created_at INTEGER NOT NULL,
  UNIQUE (tenant, environment)
) STRICT;

CREATE TABLE tags (
  id TEXT PRIMARY KEY,
  entity INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  tag TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (entity, tag)
) STRICT;

CREATE INDEX tags_by_text ON tags (tag, entity);

CREATE TABLE tombstones (
  kind TEXT NOT NULL CHECK (kind IN ('entity', 'token', 'key', 'disabled_key')),
  id TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE values_ahead (
  entity INTEGER PRIMARY KEY REFERENCES entities (id) ON DELETE CASCADE,
  token TEXT NOT NULL
) STRICT;

CREATE TABLE vault_files (
  name TEXT PRIMARY KEY,
  entity INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  identifier TEXT NOT NULL,
  version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX vault_files_by_entity ON vault_files (entity, identifier);

CREATE TABLE "vault_values" (
  entity INTEGER NOT NULL,
  identifier TEXT NOT NULL,
  version INTEGER NOT NULL,
  sealed BLOB,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (entity, identifier, version)
) STRICT, WITHOUT ROWID;

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
, seal BLOB) STRICT;

CREATE INDEX webhooks_by_space ON webhooks (space);
