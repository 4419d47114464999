/**
 * Tokens of hosted flows (contract §10). They are stored as SHA-256 only. The request that started a session is sealed
 * until its data is in the vaults.
 */
import { jsonText, parseJson } from '../../../kernel/text/json.ts';
import { hash, timingSafeEqual } from 'node:crypto';
import type { AnswerOf, RequestOf } from '../../../contract/registry.ts';
import { HOSTED_PATHS } from '../../hosted/facts.ts';
import { RUN_KINDS } from '../facts.ts';
import { timestamp } from '../../../kernel/time/clock.ts';
import { defined } from '../../../kernel/defined.ts';
import { ServiceError, invalid, conflict } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids/ids.ts';
import { MINUTE_MS } from '../../../kernel/numbers/units.ts';
import type { Database } from '../../../storage/database.ts';
import type { Vault } from '../../../vault/vault.ts';
import {
  bothOf,
  findKeyRights,
  requirePermission,
  rightsOf,
  type Caller,
  type FlowCaller,
  type KeyRights,
} from '../../api-keys/service/index.ts';
import { findEntity, type EntityRow } from '../../entities/service/index.ts';
import type { Owners } from '../../owners/service.ts';
import type { Playbooks } from '../../playbooks/service.ts';
import { findIncomplete, findOnboarding } from './repository.ts';
import type { NewSessionRequest, Participants, StoredSessionRequest, UserFlow } from './sessions-request.ts';
import {
  findSession,
  forgetExpiredRequests,
  insertSession,
  isSessionId,
  updateRequest,
  type SessionRow,
} from './sessions-repository.ts';
import type { Needs } from '../../needs.ts';

export type HostedLink = AnswerOf<'POST /onboarding/session'>;

export const SESSION_TTL_MS = 60 * 60_000;
const PREFIX = 'obtok_';
const PATTERN = /^obtok_[0-9A-Za-z]{34}$/;
export const TOKEN_CHARACTERS = 34;

export interface NewSessionToken {
  /** The initial data of the flow; stored sealed. */
  readonly request: NewSessionRequest;
  readonly playbookKey: string | null;
  /** The incomplete onboarding that the flow continues. */
  readonly onboarding: string | null;
  readonly participants: Participants;
  /** Milliseconds. */
  readonly ttlMs: number;
}

/** The key that made a link. */
export interface LinkKey extends KeyRights {
  readonly kind: 'hosted_session';
  readonly id: string;
  /** What made the link limits it to values that a vault lacks, whatever the key may do. */
  readonly keepsStored: boolean;
}

/** Everything here must be called within a write job. */
export type SessionTokens = ReturnType<typeof createSessionTokens>;

export interface SessionTokensContext extends Needs<'queue' | 'clock' | 'random' | 'privateValues'> {
  readonly vault: Pick<Vault, 'discard'>;
  /** The address of the instance, for the link. */
  readonly baseUrl: () => string;
}

export function createSessionTokens(context: SessionTokensContext) {
  const { queue, clock, random, privateValues, vault, baseUrl } = context;

  function forgetWithin(database: Database): void {
    const files = forgetExpiredRequests(database, clock.now());
    if (files.length > 0) queue.afterCommit(() => void vault.discard(files));
  }

  async function forgetExpired(): Promise<void> {
    if (!queue.isReadOnly) await queue.write(forgetWithin);
  }

  function sealed(digest: Uint8Array, request: StoredSessionRequest): Uint8Array {
    return privateValues.seal('session request', Buffer.from(digest).toString('hex'), jsonText(request));
  }

  function find(database: Database, token: string): SessionRow | undefined {
    const session = PATTERN.test(token) ? findSession(database, digestOf(token)) : undefined;
    return session && timingSafeEqual(session.digest, digestOf(token)) ? session : undefined;
  }

  function requestOf({ digest, sealed_request }: SessionRow): StoredSessionRequest {
    if (sealed_request.length === 0) throw conflict('The user of the onboarding session was deleted');
    const id = Buffer.from(digest).toString('hex');
    return parseJson(
      privateValues.open('session request', id, sealed_request),
    ) as unknown as StoredSessionRequest;
  }

  /** What the link of an open session may do now. Throws `code` when its key is gone, disabled or unknown. */
  function keyOf(database: Database, session: SessionRow, code: 'unauthenticated' | 'conflict'): LinkKey {
    const { api_key: id, session_permissions: granted } = requestOf(session);
    const ofKey = id === undefined ? undefined : findKeyRights(database, id);
    const rights = ofKey && granted ? bothOf(rightsOf(granted), ofKey) : ofKey;
    const keepsStored = granted?.includes('vault.write') === false;
    if (id !== undefined && rights) return { kind: 'hosted_session', id, keepsStored, ...rights };
    const why =
      id === undefined
        ? 'This link was made before an upgrade of kyclone'
        : 'The key that made this link was deleted or disabled';
    throw new ServiceError(code, `${why}: ask for another link`);
  }

  function hasExpired({ has_expired, expires_at }: SessionRow): boolean {
    return has_expired === 1 || clock.now() >= expires_at;
  }

  return {
    /**
     * The link may do what the key may do, as long as it may (contract §0.3), and no more than the console session that
     * made it (§11.1).
     */
    issue(
      database: Database,
      { space, tenant, environment, id: api_key, sessionPermissions: session_permissions }: Caller,
      { request, playbookKey, onboarding, participants, ttlMs }: NewSessionToken,
    ): HostedLink {
      const token = PREFIX + random.secretText(TOKEN_CHARACTERS);
      const digest = digestOf(token);
      const created_at = clock.now();
      const expires_at = created_at + ttlMs;
      forgetWithin(database);
      const { user, business } = participants;
      insertSession(database, {
        space,
        tenant,
        environment,
        digest,
        onboarding,
        created_at,
        expires_at,
        session_id: newId('onboardingSession', random, (id) => isSessionId(database, id)),
        sealed_request: sealed(digest, { ...request, api_key, session_permissions }),
        user: request.fp_id === undefined ? null : (user?.id ?? null),
        playbook_key: playbookKey,
        fp_id: user?.fp_id ?? null,
        fp_bid: business?.fp_id ?? null,
      });
      return {
        token,
        link: `${baseUrl()}${HOSTED_PATHS.onboarding}#${token}`,
        expires_at: timestamp(expires_at),
      };
    },

    /** The open session of a token. Throws `invalid_request` or, when it is over, `conflict`. */
    open(database: Database, token: string): SessionRow {
      const session = find(database, token);
      if (!session) throw invalid('token is not the token of an onboarding session');
      requireUnended(session);
      if (hasExpired(session)) {
        throw invalid('The onboarding session of this token has expired: start another');
      }
      requirePermission(keyOf(database, session, 'conflict'), 'onboard');
      return session;
    },

    /** The session of a token, whether it is over or not. Throws `unauthenticated`, `token_expired`. */
    authenticate(token: string): FlowCaller {
      const session = find(queue.database, token);
      if (!session) {
        throw new ServiceError(
          'unauthenticated',
          'This call takes the token of a hosted flow (obtok_…) in header x-fp-authorization',
        );
      }
      if (session.completed_at === null && session.canceled_at === null && hasExpired(session)) {
        // If the store can't be written now, this is repeated when the page polls again, or at the next start.
        if (session.sealed_request.length > 0) forgetExpired().catch(() => undefined);
        throw new ServiceError(
          'token_expired',
          'The token of this hosted flow has expired: ask for another link',
        );
      }
      const { space, tenant, environment, session_id: id, digest } = session;
      const isOver = session.completed_at !== null || session.canceled_at !== null;
      const key = isOver ? undefined : keyOf(queue.database, session, 'unauthenticated');
      const place = { space, tenant, environment };
      return { kind: 'hosted_session', flow: 'session', id, ...place, digest, permissions: key?.permissions };
    },

    /** Destroys data entered in expired sessions, including pictures. Keeps their rows. */
    forgetExpired,

    /** The open session of an authenticated token. Throws `conflict` when it is over. */
    current(database: Database, { digest }: FlowCaller): SessionRow {
      const session = findSession(database, digest);
      if (!session) throw conflict('The onboarding session is gone');
      requireUnended(session);
      requirePermission(keyOf(database, session, 'unauthenticated'), 'onboard');
      return session;
    },

    /** Stores the entered data with the session, sealed. */
    keep(database: Database, { id, digest }: SessionRow, request: StoredSessionRequest): void {
      updateRequest(database, id, sealed(digest, request));
    },

    /** The request that started it. Throws `conflict` when its user was deleted. */
    requestOf,
    /** What the key of an open session may do now. Throws `conflict` when the key was deleted or disabled. */
    writerOf: (database: Database, session: SessionRow): LinkKey => keyOf(database, session, 'conflict'),
  };
}

function requireUnended(session: SessionRow): void {
  if (session.completed_at !== null) throw conflict('The onboarding session is completed already');
  if (session.canceled_at === null) return;
  throw conflict('The onboarding session was closed, or its user was deleted');
}

export function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

// The flows that `POST /users/{fp_id}/token` starts (contract §10). They change nothing about the user.

export type UserTokenRequest = RequestOf<'POST /users/{fp_id}/token'>['body'];

/**
 * Throws `playbook_unknown`, `invalid_request` for members that the kind doesn't take, `not_found` for a business of
 * another person, and `conflict` for a user without an onboarding to continue.
 */
export function userFlowOf(
  database: Database,
  caller: Caller,
  {
    user,
    body,
    playbooks,
    owners,
  }: { user: EntityRow; body: UserTokenRequest; playbooks: Playbooks; owners: Owners },
): NewSessionToken {
  const { kind, key, ttl_min, limit_auth_methods, fp_bid } = body;
  const { fp_id } = user;
  const ttlMs = ttl_min === undefined ? SESSION_TTL_MS : ttl_min * MINUTE_MS;
  const limits = defined({ limit_auth_methods });
  if (kind === 'onboard' || kind === 'reonboard' || (kind === 'document' && key !== undefined)) {
    if (key === undefined)
      throw invalid(`key is missing: a token of kind ${kind} needs the key of a playbook`);
    if (kind === 'reonboard' && body.allow_reonboard === false) {
      throw invalid('allow_reonboard must be true or absent: a token of kind reonboard onboards again');
    }
    const kinds =
      kind === 'document' ? (['document'] as const) : RUN_KINDS[fp_bid === undefined ? 'user' : 'business'];
    const playbook = playbooks.require(database, caller, key, kinds);
    const business =
      fp_bid === undefined ? undefined : businessOf(database, caller, { user, fp_bid, owners });
    const allow_reonboard = kind === 'reonboard' ? true : body.allow_reonboard;
    return {
      request: { key, fp_id, ...defined({ fp_bid, allow_reonboard }), ...limits },
      playbookKey: playbook.key,
      onboarding: null,
      participants: { user, business },
      ttlMs,
    };
  }
  for (const name of ['key', 'allow_reonboard', 'fp_bid'] as const)
    if (body[name] !== undefined) {
      throw invalid(`${name} must be absent: a token of kind ${kind} starts no onboarding on a playbook`);
    }
  // It stores a new e-mail address or phone number over an earlier one.
  if (kind === 'update_auth_methods') requirePermission(caller, 'vault.write');
  const onboarding = kind === 'inherit' ? (findIncomplete(database, user.id) ?? null) : null;
  if (kind === 'inherit' && onboarding === null) {
    throw conflict('The user has no incomplete onboarding to continue');
  }
  const request: UserFlow = { flow: kind, fp_id, ...limits };
  const playbookKey =
    onboarding === null ? null : (findOnboarding(database, onboarding)?.playbook_key ?? null);
  return { request, playbookKey, onboarding, participants: { user, business: undefined }, ttlMs };
}

/** The business of this owner. Throws `not_found`. */
function businessOf(
  database: Database,
  caller: Caller,
  { user, fp_bid, owners }: { user: EntityRow; fp_bid: string; owners: Owners },
): EntityRow {
  const business = findEntity(database, caller, fp_bid);
  const isOwned = owners.ofUser(database, user).some((owned) => owned.fp_bid === fp_bid);
  if (business?.kind === 'business' && isOwned) return business;
  throw new ServiceError('not_found', 'fp_bid: this user owns no business with this id');
}
