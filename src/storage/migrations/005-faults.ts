/**
 * Fault rules as canonical JSON, oldest first. `draws` counts the draws of a probability, which continue after a
 * restart.
 */
export const faults = `
CREATE TABLE fault_rules (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  rule TEXT NOT NULL,
  hits INTEGER NOT NULL DEFAULT 0,
  draws INTEGER NOT NULL DEFAULT 0,
  enabled INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL
) STRICT;
`;
