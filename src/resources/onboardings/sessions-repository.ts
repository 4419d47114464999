/** All SQL of onboarding sessions. Tokens are known by their SHA-256; times are epoch milliseconds. */
import { statement, type Database } from '../../storage/database.ts';
import type { Space } from '../api-keys/index.ts';

export interface SessionRow extends Space {
  /** Row id. */
  readonly id: number;
  readonly digest: Uint8Array;
  /** What was asked for; empty once it is completed, or never can be. */
  readonly sealed_request: Uint8Array;
  /** The incomplete onboarding that it opened. */
  readonly onboarding: string | null;
  readonly expires_at: number;
  /** Whether it was expired when the clock was moved back. */
  readonly has_expired: number;
  readonly completed_at: number | null;
  readonly validation_digest: Uint8Array | null;
  /** 0: was expired when the clock was moved back. */
  readonly validation_expires_at: number | null;
  /** JSON of who and which onboardings, when completed. */
  readonly outcome: string | null;
}

const SELECT = `SELECT onboarding_sessions.*, tenant, environment
  FROM onboarding_sessions JOIN spaces ON spaces.id = onboarding_sessions.space`;

export function findSession(database: Database, digest: Uint8Array): SessionRow | undefined {
  return statement(database, `${SELECT} WHERE digest = ?`).get(digest) as SessionRow | undefined;
}

export function findSessionByValidation(database: Database, digest: Uint8Array): SessionRow | undefined {
  return statement(database, `${SELECT} WHERE validation_digest = ?`).get(digest) as SessionRow | undefined;
}

export function insertSession(
  database: Database,
  row: Pick<SessionRow, 'space' | 'digest' | 'sealed_request' | 'onboarding' | 'expires_at'> & {
    /** Row id of the user without whom it can't be completed. */
    readonly user: number | null;
    readonly created_at: number;
  },
): void {
  statement(
    database,
    `INSERT INTO onboarding_sessions (space, digest, sealed_request, onboarding, user, created_at, expires_at)
     VALUES (@space, @digest, @sealed_request, @onboarding, @user, @created_at, @expires_at)`,
  ).run(row);
}

/** Nobody can complete what expired before this time: the data that it was to begin with goes. */
export function forgetRequestsExpiredBefore(database: Database, before: number): void {
  statement(
    database,
    `UPDATE onboarding_sessions SET sealed_request = x''
     WHERE completed_at IS NULL AND expires_at < ? AND length(sealed_request) > 0`,
  ).run(before);
}

/** Nobody can complete what was begun for this user, who is being deleted: their data goes. */
export function forgetRequestsOf(database: Database, user: number): void {
  statement(database, "UPDATE onboarding_sessions SET sealed_request = x'' WHERE user = ?").run(user);
}

/** The request goes: what it held is in the vaults now. */
export function completeSession(
  database: Database,
  row: {
    readonly id: number;
    readonly completed_at: number;
    readonly validation_digest: Uint8Array;
    readonly validation_expires_at: number;
    readonly outcome: string;
  },
): void {
  statement(
    database,
    `UPDATE onboarding_sessions SET completed_at = @completed_at, validation_digest = @validation_digest,
       validation_expires_at = @validation_expires_at, outcome = @outcome, sealed_request = x''
     WHERE id = @id`,
  ).run(row);
}

/** The incomplete onboarding of the entity on this playbook whose sessions have all expired without an end. */
export function findAbandoned(
  database: Database,
  of: { readonly entity: number; readonly playbook_key: string; readonly now: number },
): string | undefined {
  return statement(
    database,
    `SELECT onboardings.id FROM onboardings JOIN onboarding_sessions ON onboarding = onboardings.id
     WHERE entity = @entity AND playbook_key = @playbook_key AND status = 'incomplete'
     GROUP BY onboardings.id
     HAVING max(onboarding_sessions.completed_at) IS NULL
       AND min(expires_at <= @now OR has_expired = 1) = 1
     ORDER BY seq DESC LIMIT 1`,
  )
    .pluck()
    .get(of) as string | undefined;
}

/** A new session goes on with what expired ones opened, under its own external id. */
export function adoptOnboarding(database: Database, id: string, onboardingExternalId: string | null): void {
  statement(database, 'UPDATE onboardings SET onboarding_external_id = ? WHERE id = ?').run(
    onboardingExternalId,
    id,
  );
}

/** What is expired by `now` stays so whatever the clock says later. */
export function markExpired(database: Database, now: number): void {
  statement(
    database,
    'UPDATE onboarding_sessions SET has_expired = 1 WHERE expires_at <= ? AND completed_at IS NULL',
  ).run(now);
  statement(
    database,
    'UPDATE onboarding_sessions SET validation_expires_at = 0 WHERE validation_expires_at <= ?',
  ).run(now);
}

/** Those of all tenants; how many there were. */
export function deleteAllSessions(database: Database): number {
  return statement(database, 'DELETE FROM onboarding_sessions').run().changes;
}
