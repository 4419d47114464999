/**
 * Times are milliseconds since the Unix epoch. A space is a tenant in one environment: everything that a key can
 * access. Only sealed columns ever contain vaulted values.
 */
export const foundation = `
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
`;
