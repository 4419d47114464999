/**
 * Playbooks, runs and their results; webhook endpoints and their deliveries. Times are milliseconds since the Unix
 * epoch. Columns that begin with `sealed` may contain personal data: notes of reviewers, initial data of an entity,
 * values that rules compare with.
 */
export const onboarding = `
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
`;
