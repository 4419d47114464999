/** Sessions get an id, a reference to their entity and playbook, and the time of cancellation. */
export const sessionRecords = `
ALTER TABLE onboarding_sessions ADD COLUMN session_id TEXT;
ALTER TABLE onboarding_sessions ADD COLUMN playbook_key TEXT;
ALTER TABLE onboarding_sessions ADD COLUMN fp_id TEXT;
ALTER TABLE onboarding_sessions ADD COLUMN fp_bid TEXT;
ALTER TABLE onboarding_sessions ADD COLUMN canceled_at INTEGER;

-- 11 random bytes are 22 hexadecimal digits. What a session from before says of whom it is about stays as far as it is known.
UPDATE onboarding_sessions SET session_id = 'ses_' || lower(hex(randomblob(11)));
UPDATE onboarding_sessions SET
  playbook_key = (SELECT onboardings.playbook_key FROM onboardings
    WHERE onboardings.id = coalesce(onboarding, outcome ->> 'business', outcome ->> 'user')),
  fp_id = coalesce(
    outcome ->> 'fp_id',
    (SELECT entities.fp_id FROM entities WHERE entities.id = user),
    (SELECT fp_id FROM onboardings WHERE id = onboarding AND entity IS NOT NULL AND substr(fp_id, 1, 6) = 'fp_id_')
  ),
  fp_bid = (SELECT fp_id FROM onboardings
    WHERE id = coalesce(outcome ->> 'business', onboarding) AND substr(fp_id, 1, 7) = 'fp_bid_');

CREATE UNIQUE INDEX onboarding_sessions_by_session_id ON onboarding_sessions (session_id);
CREATE INDEX onboarding_sessions_by_age ON onboarding_sessions (space, created_at, session_id);
CREATE INDEX onboarding_sessions_by_fp_id ON onboarding_sessions (fp_id) WHERE fp_id IS NOT NULL;
CREATE INDEX onboarding_sessions_by_fp_bid ON onboarding_sessions (fp_bid) WHERE fp_bid IS NOT NULL;
`;
