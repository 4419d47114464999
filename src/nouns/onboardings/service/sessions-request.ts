/** The request of a session, and its entities (contract §10). */
import type { LoginMethod, USER_FLOWS } from '../facts.ts';
import type { RequestOf } from '../../../contract/registry.ts';
import { ServiceError, conflict } from '../../../kernel/errors.ts';
import type { Database } from '../../../storage/database.ts';
import type { Space } from '../../api-keys/service/index.ts';
import {
  findEntity,
  findEntityByExternalId,
  type EntityKind,
  type EntityRow,
} from '../../entities/service/index.ts';
import type { SessionProgress } from './session-progress.ts';

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
  const entity =
    externalId === undefined ? undefined : findEntityByExternalId(database, space.space, externalId);
  if (entity && entity.kind !== kind) throw conflict(`The ${kind}_external_id belongs to a ${entity.kind}`);
  return entity;
}
