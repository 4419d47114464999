/** All SQL of onboarding sessions. Tokens are identified by their SHA-256; times are epoch milliseconds. */
import type { Environment } from '../../entities/facts.ts';
import type { Database } from '../../../storage/database.ts';
import { statement } from '../../../storage/statement.ts';
import {
  bytes,
  initially,
  integer,
  joined,
  optional,
  table,
  text,
  textOf,
  type RowOf,
} from '../../../storage/table.ts';
import { rowSeal } from '../../../vault/grants/index.ts';

export const SESSION_COLUMNS = {
  /** Row id. */
  id: integer,
  /** Its public id. */
  session_id: text,
  digest: bytes,
  /** The request; empty once it is completed or can't be completed any more. */
  sealed_request: bytes,
  /** The incomplete onboarding that it opened or continues. */
  onboarding: optional(text),
  /** Row id of the user that the completion requires. */
  user: optional(integer),
  /** Null for a flow without a run. */
  playbook_key: optional(text),
  /** The user and the business, as far as known; after completion those of the result. */
  fp_id: optional(text),
  fp_bid: optional(text),
  created_at: integer,
  expires_at: integer,
  /** Whether it was expired when the clock was moved back. */
  has_expired: initially(0, integer),
  completed_at: initially(null, optional(integer)),
  /** When it was closed, or its user deleted. */
  canceled_at: initially(null, optional(integer)),
  validation_digest: initially(null, optional(bytes)),
  /** 0 if it was expired when the clock was moved back. */
  validation_expires_at: initially(null, optional(integer)),
  /** JSON of the entities and onboardings, when completed. */
  outcome: initially(null, optional(text)),
  space: integer,
  tenant: joined('tenant', text),
  environment: joined('environment', textOf<Environment>()),
};

export const SESSION_OPTIONS = {
  key: ['id'] as const,
  from: 'onboarding_sessions LEFT JOIN spaces ON spaces.id = onboarding_sessions.space',
  seal: rowSeal('onboarding_sessions'),
};

const SESSIONS = table('onboarding_sessions', SESSION_COLUMNS, SESSION_OPTIONS);

/** Reads throw `vault_damaged` when another program has changed the session. */
export type SessionRow = RowOf<typeof SESSIONS>;

export const findSession = SESSIONS.first<[digest: Uint8Array]>('WHERE digest = ?');
export const findSessionByValidation = SESSIONS.first<[digest: Uint8Array]>('WHERE validation_digest = ?');

/** Whether a session of any tenant has this id. */
export const isSessionId = SESSIONS.has<[session_id: string]>('session_id = ?');

export type NewSession = Omit<Parameters<typeof SESSIONS.insert>[1], 'id'>;

export function insertSession(database: Database, session: NewSession): void {
  SESSIONS.insert(database, { ...session, id: SESSIONS.next(database, 'id') });
}

const EXPIRED_WITH_REQUEST = `SELECT id FROM onboarding_sessions
     WHERE completed_at IS NULL AND (expires_at <= ? OR has_expired = 1) AND length(sealed_request) > 0`;

const HELD_FILES = table('held_files', { name: text, session: integer });
const filesOfExpired = HELD_FILES.values<[now: number], 'name'>(
  'name',
  `WHERE session IN (${EXPIRED_WITH_REQUEST})`,
);

/**
 * Destroys the data entered in sessions that are expired by `now`, since they can't be completed. Returns the names of
 * their files, whose bytes can be removed after the commit.
 */
export function forgetExpiredRequests(database: Database, now: number): string[] {
  const files = filesOfExpired(database, now);
  statement<[number]>(
    `UPDATE onboarding_sessions SET sealed_request = x'' WHERE id IN (${EXPIRED_WITH_REQUEST})`,
  ).run(database, now);
  releaseFiles(database);
  return files;
}

/** The data entered so far, sealed for its own purpose. */
export function updateRequest(database: Database, id: number, sealed_request: Uint8Array): void {
  SESSIONS.set(database, { id }, { sealed_request });
}

/** Registers a sealed file for the session's completion. Until then its row keeps the sweep from removing it. */
export const holdFile = HELD_FILES.insert;

/** Releases files whose key was deleted with the request, or which now belong to a vault. */
const releaseFiles = HELD_FILES.delete(
  'session IN (SELECT id FROM onboarding_sessions WHERE length(sealed_request) = 0)',
);
export const releaseFile = HELD_FILES.delete<[name: string]>('name = ?');

/** Invalidates its token and deletes its initial data. */
export function cancelSession(database: Database, session: SessionRow, canceled_at: number): void {
  SESSIONS.change(database, session, { canceled_at });
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
  for (const row of listOpenOf(database, { fp_id: entity.fp_id, now })) {
    if (!SESSIONS.isOwn(database, row)) continue;
    if (row.user === entity.id) SESSIONS.change(database, row, { canceled_at: now });
    else SESSIONS.change(database, row, row.fp_id === entity.fp_id ? { fp_id: null } : { fp_bid: null });
  }
}

const listOpenOf = SESSIONS.unchecked.all<{ fp_id: string; now: number }>(
  `WHERE (fp_id = @fp_id OR fp_bid = @fp_id)
     AND completed_at IS NULL AND canceled_at IS NULL AND has_expired = 0 AND expires_at > @now`,
);

function forgetRequest(database: Database, { id }: SessionRow): void {
  statement<[number]>("UPDATE onboarding_sessions SET sealed_request = x'' WHERE id = ?").run(database, id);
  releaseFiles(database);
}

/** The identified person's onboarding, and the entity it belongs to. */
export function joinSession(
  database: Database,
  session: SessionRow,
  joined: Partial<Pick<SessionRow, 'onboarding' | 'fp_id' | 'fp_bid'>>,
): void {
  SESSIONS.change(database, session, joined);
}

/** Closes the other open flows of this entity on the same playbook: one of them is finished. */
export function cancelOthers(
  database: Database,
  { id, playbook_key }: SessionRow,
  fp_id: string,
  now: number,
): void {
  for (const row of listOpenOf(database, { fp_id, now }))
    if (row.id !== id && row.playbook_key === playbook_key && SESSIONS.isOwn(database, row))
      cancelSession(database, row, now);
}

/** Deletes the request, whose data is now in the vaults. */
export function completeSession(
  database: Database,
  session: SessionRow,
  end: Pick<SessionRow, 'fp_id' | 'fp_bid'> & {
    readonly completed_at: number;
    readonly validation_digest: Uint8Array;
    readonly validation_expires_at: number;
    readonly outcome: string;
  },
): void {
  SESSIONS.change(database, session, end);
  forgetRequest(database, session);
}

/** The completed flows of a user, newest first. */
export const listCompletedOf = SESSIONS.all<{ space: number; fp_id: string }>(
  'WHERE space = @space AND fp_id = @fp_id AND completed_at IS NOT NULL ORDER BY completed_at DESC, onboarding_sessions.id DESC',
);

/** Whether an open flow has begun this onboarding, or goes on with it. */
export const isUnderWay = SESSIONS.has<{ onboarding: string; now: number }>(
  `onboarding = @onboarding
     AND completed_at IS NULL AND canceled_at IS NULL AND has_expired = 0 AND expires_at > @now`,
);

/** Gives an onboarding that an earlier flow left incomplete the external id of the flow that goes on with it. */
export function adoptOnboarding(database: Database, id: string, onboardingExternalId: string | null): void {
  statement<[string | null, string]>('UPDATE onboardings SET onboarding_external_id = ? WHERE id = ?').run(
    database,
    onboardingExternalId,
    id,
  );
}

const listExpired = SESSIONS.all<{ now: number }>(
  `WHERE (expires_at <= @now AND completed_at IS NULL AND has_expired = 0)
     OR (validation_expires_at <= @now AND validation_expires_at > 0)`,
);

/** Sessions that are expired by `now` stay expired whatever the clock says later. */
export function markExpired(database: Database, now: number): void {
  for (const row of listExpired(database, { now })) {
    SESSIONS.change(
      database,
      row,
      row.completed_at === null ? { has_expired: 1 } : { validation_expires_at: 0 },
    );
  }
}

/** In all tenants; returns how many there were. */
export const deleteAllSessions = SESSIONS.delete();
