/** The request of a session, its entities, and the data entered since (contract §10, §14). */
import type { LoginMethod, SessionStep, USER_FLOWS } from '../facts.ts';
import type { AUTH_KINDS } from '../../hosted/facts.ts';
import type { RequestOf } from '../../../contract/registry.ts';
import { LOOPBACK_HOSTS } from '../../requests/facts.ts';
import type { DocumentKind, DocumentSide } from '../../vault/facts.ts';
import { ServiceError, conflict, invalid } from '../../../kernel/errors.ts';
import type { JsonValue } from '../../../kernel/text/json.ts';
import type { Database } from '../../../storage/database.ts';
import type { Space } from '../../api-keys/service/index.ts';
import {
  findEntity,
  findEntityByExternalId,
  type EntityKind,
  type EntityRow,
} from '../../entities/service/index.ts';
import type { Contact } from './known-person.ts';

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

/** The owners of a business, as the page sends them. */
export type GivenOwners = RequestOf<'POST /hosted/session/owners'>['body'];
export type GivenOwner = GivenOwners['others'][number];

/** The data entered in an open hosted flow (contract §14), stored sealed with the session. */
export interface SessionProgress {
  readonly step: SessionStep;
  readonly wrongCodes: number;
  /** The target of the one-time code, as typed; undefined when it comes from the user's vault. */
  readonly contact?: Contact;
  readonly verifiedBy?: (typeof AUTH_KINDS)[number];
  /** The user recognised by the verified contact. */
  readonly fp_id?: string;
  /** By identifier; null for bootstrap data that was removed. */
  readonly data: Readonly<Record<string, JsonValue>>;
  /** Names of the screens that were sent. */
  readonly screens: readonly string[];
  readonly owners?: GivenOwners;
  readonly document?: {
    readonly kind: DocumentKind;
    readonly country: string;
    /** Descriptors of sealed files, including their keys, in base64. */
    readonly files: Readonly<Partial<Record<DocumentSide, string>>>;
  };
  readonly bank?: {
    readonly institution: string;
    readonly persona: string | null;
    /** Keys of the persona's accounts. */
    readonly accounts: readonly string[] | null;
    /** Whether the page of the bank alone has ended with an intent. */
    readonly isAgreed?: true;
  };
  readonly hasConsented?: true;
}

export const NO_PROGRESS: SessionProgress = { step: 'identify', wrongCodes: 0, data: {}, screens: [] };

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

// The redirect target of a hosted flow's page (contract §14).

const HTTP = /^https?:\/\//i;
const LOOPBACK: ReadonlySet<string> = new Set(LOOPBACK_HOSTS);
/** Characters that URL parsers silently drop or replace. */
const BLANK_OR_CONTROL = /[\s\p{Cc}\\]/u;

/**
 * Throws `invalid_request` unless it is an http or https URL without fragment and credentials, and its host is loopback
 * or, including its port, that of an origin in the setting `cors.origins`.
 */
export function requireRedirectUrl(text: string, origins: readonly string[]): void {
  const url = HTTP.test(text) && !BLANK_OR_CONTROL.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (!url) throw refused('must be an http or https URL');
  if (text.includes('#')) throw refused('must have no fragment');
  if (url.username !== '' || url.password !== '') throw refused('must have no user name and password');
  if (LOOPBACK.has(url.hostname) || origins.some((origin) => new URL(origin).host === url.host)) return;
  throw refused(
    'must lead to a loopback host or to the host of an origin in the setting cors.origins: kyclone config set cors.origins',
  );
}

function refused(why: string): Error {
  return invalid(`redirect_url ${why}`);
}
