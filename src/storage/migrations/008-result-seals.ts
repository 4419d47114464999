/** Seals for the rows of sessions, of bank links and of results of verifications. Older rows get theirs once. */
export const resultSeals = `
ALTER TABLE onboarding_sessions ADD COLUMN seal BLOB;
ALTER TABLE bank_link_intents ADD COLUMN seal BLOB;
ALTER TABLE bank_links ADD COLUMN seal BLOB;
ALTER TABLE onboardings ADD COLUMN seal BLOB;
ALTER TABLE decisions ADD COLUMN seal BLOB;
`;
