/** The request of a session, and its entities (contract §10). */
import type { RequestOf } from '../../contract/registry.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Database } from '../../storage/database.ts';
import type { Space } from '../api-keys/index.ts';
import { findEntity, findEntityByExternalId, type EntityKind, type EntityRow } from '../entities/index.ts';
import type { SessionProgress } from './session-progress.ts';

export type SessionRequest = RequestOf<'POST /onboarding/session'>['body'];

/** In the form stored with the session, sealed. Without `flow` it is an onboarding. */
export type StoredSessionRequest = NewSessionRequest & {
  /** The id of the key that started the flow; absent in sessions of versions that didn't store it. */
  readonly api_key?: string;
  /** The data entered so far; absent until the page is opened. */
  readonly progress?: SessionProgress;
};

export type NewSessionRequest = (SessionRequest & { readonly flow?: undefined }) | UserFlow;

/** A flow of a known user without a new onboarding: it continues one, or asks for a new e-mail or phone. */
export interface UserFlow {
  readonly flow: 'inherit' | 'update_auth_methods';
  readonly fp_id: string;
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
  { fp_id, user_external_id, business_external_id }: SessionRequest,
): Participants {
  if (user_external_id !== undefined && user_external_id === business_external_id) {
    throw conflict('The user_external_id and the business_external_id cannot be the same');
  }
  const business = findOf(database, space, 'business', business_external_id);
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
