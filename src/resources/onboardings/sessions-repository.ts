/** All SQL of onboarding sessions. Tokens are identified by their SHA-256; times are epoch milliseconds. */
import { requireAbsent, type TableIndex } from '../../storage/confirmed-misses.ts';
import type { Database } from '../../storage/database.ts';
import { scalarStatement, statement } from '../../storage/statement.ts';
import { isSealed, requireSeal, sealOf } from '../../vault/grants/index.ts';
import type { Space } from '../api-keys/index.ts';

export interface SessionRow extends Space {
  /** Row id. */
  readonly id: number;
  /** Its public id. */
  readonly session_id: string;
  readonly digest: Uint8Array;
  /** The request; empty once it is completed or can't be completed any more. */
  readonly sealed_request: Uint8Array;
  /** The incomplete onboarding that it opened or continues. */
  readonly onboarding: string | null;
  /** Row id of the user that the completion requires. */
  readonly user: number | null;
  /** Null for a flow without a run. */
  readonly playbook_key: string | null;
  /** The user and the business, as far as known; after completion those of the result. */
  readonly fp_id: string | null;
  readonly fp_bid: string | null;
  readonly created_at: number;
  readonly expires_at: number;
  /** Whether it was expired when the clock was moved back. */
  readonly has_expired: number;
  readonly completed_at: number | null;
  /** When it was closed, or its user deleted. */
  readonly canceled_at: number | null;
  readonly validation_digest: Uint8Array | null;
  /** 0 if it was expired when the clock was moved back. */
  readonly validation_expires_at: number | null;
  /** JSON of the entities and onboardings, when completed. */
  readonly outcome: string | null;
  readonly seal: Uint8Array | null;
}

export const SELECT_SESSIONS = `SELECT onboarding_sessions.*, tenant, environment
  FROM onboarding_sessions JOIN spaces ON spaces.id = onboarding_sessions.space`;

/** Throws `vault_damaged` when another program has changed the session, as does the look-up by its other token. */
export function findSession(database: Database, digest: Uint8Array): SessionRow | undefined {
  const row = statement<[Uint8Array], SessionRow>(`${SELECT_SESSIONS} WHERE digest = ?`).get(
    database,
    digest,
  );
  if (row) requireSealed(database, row);
  else requireAbsent(database, BY_DIGEST, [digest]);
  return row;
}

export function findSessionByValidation(database: Database, digest: Uint8Array): SessionRow | undefined {
  const row = statement<[Uint8Array], SessionRow>(`${SELECT_SESSIONS} WHERE validation_digest = ?`).get(
    database,
    digest,
  );
  if (row) requireSealed(database, row);
  else requireAbsent(database, BY_VALIDATION, [digest]);
  return row;
}

/** Throws `vault_damaged` for a row that another program has changed. */
export function requireSealed(database: Database, row: SessionRow): void {
  requireSeal(database, 'onboarding_sessions', row, row.seal);
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

/** Whether a session of any tenant has this id. */
export function isSessionId(database: Database, id: string): boolean {
  return (
    scalarStatement<[string], 1>('SELECT 1 FROM onboarding_sessions WHERE session_id = ?').get(
      database,
      id,
    ) !== undefined
  );
}

export type NewSession = Space &
  Pick<
    SessionRow,
    | 'session_id'
    | 'digest'
    | 'sealed_request'
    | 'onboarding'
    | 'user'
    | 'playbook_key'
    | 'fp_id'
    | 'fp_bid'
    | 'created_at'
    | 'expires_at'
  >;

export function insertSession(database: Database, session: NewSession): void {
  const { lastInsertRowid } =
    statement<NewSession>(`INSERT INTO onboarding_sessions (space, session_id, digest, sealed_request, onboarding, user, playbook_key, fp_id,
       fp_bid, created_at, expires_at)
     VALUES (@space, @session_id, @digest, @sealed_request, @onboarding, @user, @playbook_key, @fp_id, @fp_bid,
       @created_at, @expires_at)`).run(database, session);
  const id = Number(lastInsertRowid);
  statement<[Uint8Array, number]>('UPDATE onboarding_sessions SET seal = ? WHERE id = ?').run(
    database,
    sealOf(database, 'onboarding_sessions', { ...session, ...NEW, id }),
    id,
  );
}

const NEW = {
  has_expired: 0,
  completed_at: null,
  canceled_at: null,
  validation_digest: null,
  validation_expires_at: null,
  outcome: null,
};

/** Columns of a session that may change. */
type Changes = Partial<Pick<SessionRow, keyof typeof NEW | 'playbook_key' | 'fp_id' | 'fp_bid'>>;

/** Seals the row again. */
function update(database: Database, before: SessionRow, changes: Changes): void {
  const row = { ...before, ...changes };
  statement<{
    seal: Uint8Array;
    has_expired: number;
    fp_id: string | null;
    completed_at: number | null;
    validation_digest: Uint8Array | null;
    validation_expires_at: number | null;
    outcome: string | null;
    playbook_key: string | null;
    fp_bid: string | null;
    canceled_at: number | null;
    id: number;
    session_id: string;
    digest: Uint8Array;
    sealed_request: Uint8Array;
    onboarding: string | null;
    user: number | null;
    created_at: number;
    expires_at: number;
    space: number;
    tenant: string;
    environment: string;
  }>(`UPDATE onboarding_sessions SET playbook_key = @playbook_key, fp_id = @fp_id, fp_bid = @fp_bid,
       has_expired = @has_expired, completed_at = @completed_at, canceled_at = @canceled_at,
       validation_digest = @validation_digest, validation_expires_at = @validation_expires_at, outcome = @outcome,
       seal = @seal
     WHERE id = @id`).run(database, { ...row, seal: sealOf(database, 'onboarding_sessions', row) });
}

const EXPIRED_WITH_REQUEST = `SELECT id FROM onboarding_sessions
     WHERE completed_at IS NULL AND (expires_at <= ? OR has_expired = 1) AND length(sealed_request) > 0`;

/**
 * Destroys the data entered in sessions that are expired by `now`, since they can't be completed. Returns the names of
 * their files, whose bytes can be removed after the commit.
 */
export function forgetExpiredRequests(database: Database, now: number): string[] {
  const files = scalarStatement<[number], string>(
    `SELECT name FROM held_files WHERE session IN (${EXPIRED_WITH_REQUEST})`,
  ).all(database, now);
  statement<[number]>(
    `UPDATE onboarding_sessions SET sealed_request = x'' WHERE id IN (${EXPIRED_WITH_REQUEST})`,
  ).run(database, now);
  releaseFiles(database);
  return files;
}

/** The data entered so far, sealed for its own purpose. */
export function updateRequest(database: Database, id: number, sealed_request: Uint8Array): void {
  statement<[Uint8Array, number]>('UPDATE onboarding_sessions SET sealed_request = ? WHERE id = ?').run(
    database,
    sealed_request,
    id,
  );
}

/** Registers a sealed file for the session's completion. Until then its row keeps the sweep from removing it. */
export function holdFile(database: Database, file: { name: string; session: number }): void {
  statement<{ name: string; session: number }>(
    'INSERT INTO held_files (name, session) VALUES (@name, @session)',
  ).run(database, file);
}

/** Releases files whose key was deleted with the request, or which now belong to a vault. */
function releaseFiles(database: Database): void {
  statement(`DELETE FROM held_files
     WHERE session IN (SELECT id FROM onboarding_sessions WHERE length(sealed_request) = 0)`).run(database);
}

export function releaseFile(database: Database, name: string): void {
  statement<[string]>('DELETE FROM held_files WHERE name = ?').run(database, name);
}

/** Invalidates its token and deletes its initial data. */
export function cancelSession(database: Database, session: SessionRow, canceled_at: number): void {
  update(database, session, { canceled_at });
  forgetRequest(database, session);
}

/**
 * Call it in the write job that deletes the entity. Cancels sessions that require this user, and deletes their initial
 * data. Sessions that name the entity by an external id will create a new one. A row that another program has changed
 * is invalid anyway, and stays as it is.
 */
export function endSessionsOf(database: Database, entity: { id: number; fp_id: string }, now: number): void {
  statement<[number]>("UPDATE onboarding_sessions SET sealed_request = x'' WHERE user = ?").run(
    database,
    entity.id,
  );
  releaseFiles(database);
  const rows = statement<
    { fp_id: string; now: number },
    SessionRow
  >(`${SELECT_SESSIONS} WHERE (fp_id = @fp_id OR fp_bid = @fp_id)
       AND completed_at IS NULL AND canceled_at IS NULL AND has_expired = 0 AND expires_at > @now`).all(
    database,
    { fp_id: entity.fp_id, now },
  );
  for (const row of rows) {
    if (!isSealed(database, 'onboarding_sessions', row, row.seal)) continue;
    if (row.user === entity.id) update(database, row, { canceled_at: now });
    else update(database, row, row.fp_id === entity.fp_id ? { fp_id: null } : { fp_bid: null });
  }
}

function forgetRequest(database: Database, { id }: SessionRow): void {
  statement<[number]>("UPDATE onboarding_sessions SET sealed_request = x'' WHERE id = ?").run(database, id);
  releaseFiles(database);
}

/** Deletes the request, whose data is now in the vaults. */
export function completeSession(
  database: Database,
  session: SessionRow,
  end: Pick<SessionRow, 'playbook_key' | 'fp_id' | 'fp_bid'> & {
    readonly completed_at: number;
    readonly validation_digest: Uint8Array;
    readonly validation_expires_at: number;
    readonly outcome: string;
  },
): void {
  update(database, session, end);
  forgetRequest(database, session);
}

/**
 * The incomplete onboarding of the entity on this playbook whose sessions have all expired or were canceled, unless it
 * waits for a document.
 */
export function findAbandoned(
  database: Database,
  of: { readonly entity: number; readonly playbook_key: string; readonly now: number },
): string | undefined {
  return scalarStatement<
    { entity: number; playbook_key: string; now: number },
    string
  >(`SELECT onboardings.id FROM onboardings JOIN onboarding_sessions ON onboarding = onboardings.id
     WHERE entity = @entity AND onboardings.playbook_key = @playbook_key
       AND status = 'incomplete' AND next_outcome IS NULL
     GROUP BY onboardings.id
     HAVING max(onboarding_sessions.completed_at) IS NULL
       AND min(expires_at <= @now OR has_expired = 1 OR canceled_at IS NOT NULL) = 1
     ORDER BY seq DESC LIMIT 1`).get(database, of);
}

/** Assigns an onboarding opened by expired sessions to a new session, under its external id. */
export function adoptOnboarding(database: Database, id: string, onboardingExternalId: string | null): void {
  statement<[string | null, string]>('UPDATE onboardings SET onboarding_external_id = ? WHERE id = ?').run(
    database,
    onboardingExternalId,
    id,
  );
}

/** Sessions that are expired by `now` stay expired whatever the clock says later. */
export function markExpired(database: Database, now: number): void {
  const rows = statement<
    { now: number },
    SessionRow
  >(`${SELECT_SESSIONS} WHERE (expires_at <= @now AND completed_at IS NULL AND has_expired = 0)
       OR (validation_expires_at <= @now AND validation_expires_at > 0)`).all(database, { now });
  for (const row of rows) {
    requireSealed(database, row);
    update(database, row, row.completed_at === null ? { has_expired: 1 } : { validation_expires_at: 0 });
  }
}

/** In all tenants; returns how many there were. */
export function deleteAllSessions(database: Database): number {
  return statement('DELETE FROM onboarding_sessions').run(database).changes;
}
