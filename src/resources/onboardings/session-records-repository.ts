/** The SQL of sessions for lists of the control plane. Times are epoch milliseconds. */
import type { SessionState } from '../../contract/facts/onboardings.ts';
import { requireAbsent, type TableIndex } from '../../storage/confirmed-misses.ts';
import type { Database } from '../../storage/database.ts';
import { joined, table, textOf, type RowOf } from '../../storage/table.ts';
import { SESSION_COLUMNS, SESSION_OPTIONS } from './sessions-repository.ts';

export interface SessionFilter {
  /** Row id. */
  readonly space: number;
  readonly state: SessionState | null;
  /** Id of a user or business. */
  readonly fp_id: string | null;
  readonly now: number;
}

const STATE = `CASE
    WHEN completed_at IS NOT NULL THEN 'completed'
    WHEN canceled_at IS NOT NULL THEN 'canceled'
    WHEN has_expired = 1 OR expires_at <= @now THEN 'expired'
    ELSE 'open'
  END`;
const MATCHES = `space = @space AND (@state IS NULL OR ${STATE} = @state)
  AND (@fp_id IS NULL OR fp_id = @fp_id OR fp_bid = @fp_id)`;

const RECORDS = table(
  'onboarding_sessions',
  { ...SESSION_COLUMNS, state: joined(STATE, textOf<SessionState>()) },
  SESSION_OPTIONS,
);

/** Reads throw `vault_damaged` when another program has changed the session. */
export type SessionRecordRow = RowOf<typeof RECORDS>;

/** Newest first, ties by id descending. */
export const listSessions = RECORDS.page<SessionFilter, 'created_at' | 'session_id'>(
  MATCHES,
  ['created_at', 'session_id'],
  'DESC',
);
export const countSessions = RECORDS.count<SessionFilter>(MATCHES);

const findById = RECORDS.first<{ session_id: string; now: number }>('WHERE session_id = @session_id');

/** A session of any tenant. */
export function findSessionById(
  database: Database,
  session_id: string,
  now: number,
): SessionRecordRow | undefined {
  const row = findById(database, { session_id, now });
  if (!row) requireAbsent(database, BY_SESSION_ID, [session_id]);
  return row;
}

const BY_SESSION_ID: TableIndex = {
  table: 'onboarding_sessions',
  index: 'onboarding_sessions_by_session_id',
  columns: ['session_id'],
};
