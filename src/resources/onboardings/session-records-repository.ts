/** The SQL of sessions for lists of the control plane. Times are epoch milliseconds. */
import type { SessionState } from '../../contract/facts/onboardings.ts';
import { requireAbsent, type TableIndex } from '../../storage/confirmed-misses.ts';
import type { Database } from '../../storage/database.ts';
import { scalarStatement, statement } from '../../storage/statement.ts';
import { requireSealed, SELECT_SESSIONS, type SessionRow } from './sessions-repository.ts';

export interface SessionFilter {
  /** Row id. */
  readonly space: number;
  readonly state: SessionState | null;
  /** Id of a user or business. */
  readonly fp_id: string | null;
  readonly now: number;
}

export type SessionRecordRow = SessionRow & { readonly state: SessionState };

const STATE = `CASE
    WHEN completed_at IS NOT NULL THEN 'completed'
    WHEN canceled_at IS NOT NULL THEN 'canceled'
    WHEN has_expired = 1 OR expires_at <= @now THEN 'expired'
    ELSE 'open'
  END`;
const MATCHES = `space = @space AND (@state IS NULL OR ${STATE} = @state)
  AND (@fp_id IS NULL OR fp_id = @fp_id OR fp_bid = @fp_id)`;

/**
 * Newest first, ties by id descending; up to one more than `limit`, starting after the place `after`. Throws
 * `vault_damaged`.
 */
export function listSessions(
  database: Database,
  filter: SessionFilter,
  page: { after: { created_at: number; session_id: string } | undefined; limit: number },
): SessionRecordRow[] {
  const rows = statement<
    SessionFilter & { after_at: number | null; after_id: string | null; limit: number },
    SessionRecordRow
  >(`SELECT *, ${STATE} AS state FROM (${SELECT_SESSIONS})
     WHERE ${MATCHES} AND (@after_at IS NULL OR (created_at, session_id) < (@after_at, @after_id))
     ORDER BY created_at DESC, session_id DESC LIMIT @limit + 1`).all(database, {
    ...filter,
    after_at: page.after?.created_at ?? null,
    after_id: page.after?.session_id ?? null,
    limit: page.limit,
  });
  for (const row of rows) requireSealed(database, row);
  return rows;
}

export function countSessions(database: Database, filter: SessionFilter): number {
  return scalarStatement<SessionFilter, number>(
    `SELECT count(*) FROM onboarding_sessions WHERE ${MATCHES}`,
  ).one(database, filter);
}

/** A session of any tenant. Throws `vault_damaged` when another program has changed it. */
export function findSessionById(
  database: Database,
  session_id: string,
  now: number,
): SessionRecordRow | undefined {
  const row = statement<{ session_id: string; now: number }, SessionRecordRow>(
    `SELECT *, ${STATE} AS state FROM (${SELECT_SESSIONS}) WHERE session_id = @session_id`,
  ).get(database, { session_id, now });
  if (row) requireSealed(database, row);
  else requireAbsent(database, BY_SESSION_ID, [session_id]);
  return row;
}

const BY_SESSION_ID: TableIndex = {
  table: 'onboarding_sessions',
  index: 'onboarding_sessions_by_session_id',
  columns: ['session_id'],
};
