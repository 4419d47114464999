/**
 * The page where a person links a bank. `bank_pages`: the choices made there for an intent, and its redirect, sealed.
 */
export const bankPages = `
CREATE TABLE bank_pages (
  digest BLOB PRIMARY KEY REFERENCES bank_link_intents (digest) ON DELETE CASCADE,
  sealed BLOB NOT NULL
) STRICT, WITHOUT ROWID;
ALTER TABLE playbooks ADD COLUMN bank_link INTEGER NOT NULL DEFAULT 0;
`;
