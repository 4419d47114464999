/** Sessions as the control plane shows and closes them, without their tokens (contract §11); what a vault change ends. */
import type { SessionState } from '../facts.ts';
import type { AnswerOf, EndpointKey, RequestOf } from '../../../contract/registry.ts';
import { viewAs } from '../../../contract/shapes.ts';
import { timestamp } from '../../../kernel/time/clock.ts';
import { orderedPage } from '../../cursor.ts';
import { ServiceError, conflict } from '../../../kernel/errors.ts';
import type { Database } from '../../../storage/database.ts';
import { joined, type RowOf, table, textOf } from '../../../storage/table.ts';
import type { VaultListener } from '../../../vault/vault-changes.ts';
import type { VaultReads } from '../../../vault/vault-reads.ts';
import { spaceOf } from '../../api-keys/service/index.ts';
import { findEntityByRow } from '../../entities/service/index.ts';
import { Session } from '../endpoints/sessions.ts';
import { answer, type Handlers, doneWriting } from '../../handlers.ts';
import type { Events } from '../../webhooks/service/index.ts';
import { STEP_UP_IMAGES } from './readiness.ts';
import { listStepUps } from './repository.ts';
import type { SessionTokens } from './session-tokens.ts';
import { cancelSession, listCompletedOf, SESSION_COLUMNS, SESSION_OPTIONS } from './sessions-repository.ts';
import type { SessionOutcome } from './session-ends.ts';
import type { StatusChanges } from './status-changes.ts';
import { DOCUMENT_ARRIVED } from './transitions.ts';
import type { Needs } from '../../needs.ts';

// The SQL of sessions for lists of the control plane. Times are epoch milliseconds.

interface SessionFilter {
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
type SessionRecordRow = RowOf<typeof RECORDS>;

/** Newest first, ties by id descending. */
const sessionsOf = RECORDS.page<SessionFilter, 'created_at' | 'session_id'>(
  MATCHES,
  { created_at: 'number', session_id: 'string' },
  'DESC',
);

/** A session of any tenant. */
const findSessionById = RECORDS.first<{ session_id: string; now: number }>('WHERE session_id = @session_id');

type SessionView = AnswerOf<'GET /_kyclone/sessions/{id}'>;
type SpaceChoice = RequestOf<'GET /_kyclone/sessions/{id}'>['query'];

/** Sessions without their tokens: answers the calls about them. */
export function createSessionRecords(
  context: Needs<'queue' | 'clock'> & { readonly tokens: Pick<SessionTokens, 'requestOf'> },
) {
  const { queue, clock, tokens } = context;

  return {
    // How a user was identified in the flows that the user has completed, newest first.
    'GET /users/{fp_id}/auth_events': ({ entity: { space, fp_id } }) => {
      const events = listCompletedOf(queue.database, { space, fp_id }).flatMap(({ outcome }) => {
        if (outcome === null) return [];
        const { kind, at } = (JSON.parse(outcome) as SessionOutcome).auth;
        return [{ kind, timestamp: timestamp(at) }];
      });
      return answer(events);
    },

    // Newest first.
    'GET /_kyclone/sessions': ({ query }) => {
      const { space } = spaceOf(queue.database, query);
      const filter = { space, state: query.state ?? null, fp_id: query.fp_id ?? null, now: clock.now() };
      return answer(orderedPage(query, { ...sessionsOf(queue.database, filter), view }));
    },

    'GET /_kyclone/sessions/{id}': ({ params, query }) =>
      answer(view(getSession(queue.database, params.id, query))),

    // Invalidates its token; does nothing to an expired or canceled one. Throws `conflict` for a completed one.
    'DELETE /_kyclone/sessions/{id}': ({ params, query }) =>
      doneWriting(queue, (database) => {
        const session = getSession(database, params.id, query);
        if (session.state === 'completed') throw conflict('The onboarding session is completed already');
        if (session.state === 'open') cancelSession(database, session, clock.now());
      }),
  } satisfies Partial<Handlers<EndpointKey>>;

  function getSession(database: Database, id: string, choice: SpaceChoice): SessionRecordRow {
    const { space } = spaceOf(database, choice);
    const session = findSessionById(database, { session_id: id, now: clock.now() });
    if (session?.space === space) return session;
    throw new ServiceError('not_found', 'No onboarding session has this id in this tenant and environment');
  }

  /** The current step of the page (contract §14): the first one until the page is opened. */
  function stepOf(row: SessionRecordRow): SessionView['step'] {
    return row.sealed_request.length === 0
      ? 'identify'
      : (tokens.requestOf(row).progress?.step ?? 'identify');
  }

  function view(row: SessionRecordRow): SessionView {
    return viewAs(Session, {
      ...row,
      id: row.session_id,
      step: row.state === 'open' ? stepOf(row) : null,
      created_at: timestamp(row.created_at),
      expires_at: timestamp(row.expires_at),
    });
  }
}

export { proposedOwners } from './bootstrap.ts';
export {
  createOnboardings,
  type OnboardingItem,
  type Onboardings,
  type OnboardingView,
} from './operations.ts';
export { createSessions, type Sessions } from './sessions.ts';
export { createSessionTokens, type SessionTokens } from './session-tokens.ts';
export { bootstrapOf, offeredBy, type Bootstrap } from './bootstrap.ts';
export type { Engine } from './engine.ts';
export { FRONT_IMAGES } from './readiness.ts';
export { DOMESTIC, groupsOf } from './readiness.ts';
export {
  findParticipants,
  NO_PROGRESS,
  requireRedirectUrl,
  type GivenOwner,
  type SessionProgress,
  type StoredSessionRequest,
} from './sessions-request.ts';
export { comparable, findByContact, storedText, type Contact } from './known-person.ts';
export { contactsOf, dataOf } from './session-owners.ts';
export { findIncomplete } from './repository.ts';
export {
  cancelSession,
  endSessionsOf,
  findSession,
  holdFile,
  releaseFile,
  type SessionRow,
} from './sessions-repository.ts';
export { createStatusChanges } from './status-changes.ts';

/**
 * The effects of a vault change in its write job: the event vault.updated, and the end of a step-up that waited for an
 * image (contract §4.5, §9.2). A vault calls this, so it only reads vaults.
 */
export function createVaultChanges(context: {
  readonly vault: VaultReads;
  readonly events: Events;
  readonly changes: StatusChanges;
}): VaultListener['changed'] {
  const { vault, events, changes } = context;
  return (database, { id }, { identifiers, version, source }) => {
    const entity = findEntityByRow(database, id);
    if (!entity) throw new Error('the vault of an entity that is not there was changed');
    const { fp_id, external_id } = entity;
    const members = { fields: identifiers, source, external_id };
    events.emit(database, entity, { kind: 'vault.updated', fp_id, members });
    const images = identifiers.filter((identifier) => STEP_UP_IMAGES.has(identifier));
    if (images.length === 0 || vault.present(database, entity, version, images).length === 0) return;
    for (const row of listStepUps(database, id)) changes.apply(database, row, DOCUMENT_ARRIVED);
  };
}
