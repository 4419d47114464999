/**
 * Stored configurations of the vault proxy. Everything except the target's origin is sealed: paths, headers,
 * certificates, rules and the name. Times are milliseconds since the Unix epoch.
 */
export const proxyConfigurations = `
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
`;
