/** All SQL of onboarding sessions. Tokens are known by their SHA-256; times are epoch milliseconds. */
import { requireAbsent, type TableIndex } from '../../storage/confirmed-misses.ts';
import { statement, type Database } from '../../storage/database.ts';
import { requireSeal, sealOf, type GrantRow } from '../../vault/grants/index.ts';
import type { Space } from '../api-keys/index.ts';

export interface SessionRow extends Space {
  /** Row id. */
  readonly id: number;
  readonly digest: Uint8Array;
  /** What was asked for; empty once it is completed, or never can be. */
  readonly sealed_request: Uint8Array;
  /** The incomplete onboarding that it opened. */
  readonly onboarding: string | null;
  readonly created_at: number;
  readonly expires_at: number;
  /** Whether it was expired when the clock was moved back. */
  readonly has_expired: number;
  readonly completed_at: number | null;
  readonly validation_digest: Uint8Array | null;
  /** 0: was expired when the clock was moved back. */
  readonly validation_expires_at: number | null;
  /** JSON of who and which onboardings, when completed. */
  readonly outcome: string | null;
  readonly seal: Uint8Array | null;
}

const SELECT = `SELECT onboarding_sessions.*, tenant, environment
  FROM onboarding_sessions JOIN spaces ON spaces.id = onboarding_sessions.space`;

/** Throws `vault_damaged` when somebody else has changed the session, as does what finds it by its other token. */
export function findSession(database: Database, digest: Uint8Array): SessionRow | undefined {
  const row = judged(database, statement(database, `${SELECT} WHERE digest = ?`).get(digest));
  if (!row) requireAbsent(database, BY_DIGEST, [digest]);
  return row;
}

export function findSessionByValidation(database: Database, digest: Uint8Array): SessionRow | undefined {
  const found = statement(database, `${SELECT} WHERE validation_digest = ?`).get(digest);
  const row = judged(database, found);
  if (!row) requireAbsent(database, BY_VALIDATION, [digest]);
  return row;
}

function judged(database: Database, found: unknown): SessionRow | undefined {
  const row = found as SessionRow | undefined;
  if (row) requireSeal(database, 'onboarding_sessions', row, row.seal);
  return row;
}

function updateSeal(database: Database, row: GrantRow<'onboarding_sessions'>): void {
  const seal = sealOf(database, 'onboarding_sessions', row);
  statement(database, 'UPDATE onboarding_sessions SET seal = ? WHERE id = ?').run(seal, row.id);
}

const BY_DIGEST: TableIndex = {
  table: 'onboarding_sessions',
  index: 'sqlite_autoindex_onboarding_sessions_1',
  columns: ['digest'],
};
const BY_VALIDATION: TableIndex = {
  table: 'onboarding_sessions',
  index: 'sqlite_autoindex_onboarding_sessions_2',
  columns: ['validation_digest'],
};

export function insertSession(
  database: Database,
  row: Space &
    Pick<SessionRow, 'digest' | 'sealed_request' | 'onboarding' | 'created_at' | 'expires_at'> & {
      /** Row id of the user without whom it can't be completed. */
      readonly user: number | null;
    },
): void {
  const { lastInsertRowid } = statement(
    database,
    `INSERT INTO onboarding_sessions (space, digest, sealed_request, onboarding, user, created_at, expires_at)
     VALUES (@space, @digest, @sealed_request, @onboarding, @user, @created_at, @expires_at)`,
  ).run(row);
  updateSeal(database, { ...row, ...NEW, id: Number(lastInsertRowid) });
}

const NEW = {
  has_expired: 0,
  completed_at: null,
  validation_digest: null,
  validation_expires_at: null,
  outcome: null,
};

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
  session: SessionRow,
  end: {
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
  ).run({ ...end, id: session.id });
  updateSeal(database, { ...session, ...end });
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
  const rows = statement(
    database,
    `${SELECT} WHERE (expires_at <= @now AND completed_at IS NULL AND has_expired = 0)
       OR (validation_expires_at <= @now AND validation_expires_at > 0)`,
  ).all({ now }) as SessionRow[];
  for (const row of rows) {
    judged(database, row);
    const change =
      row.completed_at === null
        ? { has_expired: 1, validation_expires_at: row.validation_expires_at }
        : { has_expired: row.has_expired, validation_expires_at: 0 };
    statement(
      database,
      'UPDATE onboarding_sessions SET has_expired = @has_expired, validation_expires_at = @validation_expires_at WHERE id = @id',
    ).run({ ...change, id: row.id });
    updateSeal(database, { ...row, ...change });
  }
}

/** Those of all tenants; how many there were. */
export function deleteAllSessions(database: Database): number {
  return statement(database, 'DELETE FROM onboarding_sessions').run().changes;
}
