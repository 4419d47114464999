/**
 * The hosted flow. `held_files`: sealed files of people who have not completed their flow yet; the sealed request of
 * the session has their keys. `documents`: JSON of the kinds that a playbook asks for, null for none.
 */
export const hostedFlow = `
CREATE TABLE held_files (
  name TEXT PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES onboarding_sessions (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX held_files_by_session ON held_files (session);
ALTER TABLE playbooks ADD COLUMN owners_playbook_key TEXT;
ALTER TABLE playbooks ADD COLUMN documents TEXT;
ALTER TABLE playbooks ADD COLUMN selfie INTEGER NOT NULL DEFAULT 0;
`;
