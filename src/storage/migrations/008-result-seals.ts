/** Seals for the rows of sessions, bank links and verification results. Older rows are sealed once, at the upgrade. */
export const resultSeals = `
ALTER TABLE onboarding_sessions ADD COLUMN seal BLOB;
ALTER TABLE bank_link_intents ADD COLUMN seal BLOB;
ALTER TABLE bank_links ADD COLUMN seal BLOB;
ALTER TABLE onboardings ADD COLUMN seal BLOB;
ALTER TABLE decisions ADD COLUMN seal BLOB;
`;
