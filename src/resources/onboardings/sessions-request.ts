/** The request of a session, or of a user's token, and its entities (contract §10). */
import type { LoginMethod, USER_FLOWS, PlaybookKind } from '../../contract/facts/onboardings.ts';
import type { RequestOf } from '../../contract/registry.ts';
import { defined } from '../../kernel/defined.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import type { Database } from '../../storage/database.ts';
import { type Space, requirePermission, type Caller } from '../api-keys/index.ts';
import { findEntity, findEntityByExternalId, type EntityKind, type EntityRow } from '../entities/index.ts';
import type { Owners } from '../owners/index.ts';
import type { Playbooks } from '../playbooks/index.ts';
import { findIncomplete, findOnboarding } from './repository.ts';
import type { SessionProgress } from './session-progress.ts';
import { SESSION_TTL_MS, type NewSessionToken } from './session-tokens.ts';

export type SessionRequest = RequestOf<'POST /onboarding/session'>['body'];

/** In the form stored with the session, sealed. Without `flow` it is an onboarding. */
export type StoredSessionRequest = NewSessionRequest & {
  /** The id of the key that started the flow; absent in sessions of versions that didn't store it. */
  readonly api_key?: string;
  /** Those of the console session that made the link; absent when a key made it. */
  readonly session_permissions?: readonly string[] | undefined;
  /** The data entered so far; absent until the page is opened. */
  readonly progress?: SessionProgress;
};

export type NewSessionRequest = (OnboardingRequest & { readonly flow?: undefined }) | UserFlow;

/** An onboarding. */
export type OnboardingRequest = SessionRequest & Limits & { readonly fp_bid?: string };

/**
 * A flow of a known user without a new onboarding: it continues one, asks for a document or for a new e-mail or phone,
 * or only for what somebody has asked the user for.
 */
export interface UserFlow extends Limits {
  readonly flow: (typeof USER_FLOWS)[number];
  readonly fp_id: string;
}

interface Limits {
  /** The only methods by which the person may be identified; by default those that need a code. */
  readonly limit_auth_methods?: readonly LoginMethod[];
}

/** The existing entities of the session. */
export interface Participants {
  readonly user: EntityRow | undefined;
  readonly business: EntityRow | undefined;
}

/** Throws `not_found` for an unknown fp_id, `conflict` for ids that disagree. */
export function findParticipants(
  database: Database,
  space: Space,
  { fp_id, fp_bid, user_external_id, business_external_id }: OnboardingRequest,
): Participants {
  if (user_external_id !== undefined && user_external_id === business_external_id) {
    throw conflict('The user_external_id and the business_external_id cannot be the same');
  }
  const business =
    fp_bid === undefined
      ? findOf(database, space, 'business', business_external_id)
      : findEntity(database, space, fp_bid);
  const named = findOf(database, space, 'user', user_external_id);
  if (fp_id === undefined) return { user: named, business };
  const user = findEntity(database, space, fp_id);
  if (user?.kind !== 'user') {
    throw new ServiceError('not_found', 'fp_id: no user has this id in this tenant and environment');
  }
  if (user_external_id !== undefined && user.external_id !== user_external_id) {
    throw conflict('The user_external_id is not that of the user of fp_id');
  }
  return { user, business };
}

function findOf(
  database: Database,
  space: Space,
  kind: EntityKind,
  externalId: string | undefined,
): EntityRow | undefined {
  const entity = externalId === undefined ? undefined : findEntityByExternalId(database, space, externalId);
  if (entity && entity.kind !== kind) throw conflict(`The ${kind}_external_id belongs to a ${entity.kind}`);
  return entity;
}

export function conflict(message: string): ServiceError {
  return new ServiceError('conflict', message);
}

export function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}

// The flows that `POST /users/{fp_id}/token` starts (contract §10). They change nothing about the user.

export type UserTokenRequest = RequestOf<'POST /users/{fp_id}/token'>['body'];

const OF_USERS: readonly PlaybookKind[] = ['kyc', 'document'];

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
      kind === 'document' ? (['document'] as const) : fp_bid === undefined ? OF_USERS : (['kyb'] as const);
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
