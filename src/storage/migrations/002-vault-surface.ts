/** Client tokens, files, documents, labels and tags. Times are milliseconds since the Unix epoch. */
export const vaultSurface = `
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
`;
