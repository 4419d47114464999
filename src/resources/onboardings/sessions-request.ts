/** What a session is asked for, and whom it is about (contract §10). */
import type { RequestOf } from '../../contract/registry.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { JsonValue } from '../../kernel/json.ts';
import type { Database } from '../../storage/database.ts';
import { describeIdentifier, requireKnownIdentifiers } from '../../vault/identifiers/index.ts';
import type { Space } from '../api-keys/index.ts';
import {
  changesOf,
  findEntity,
  findEntityByExternalId,
  type EntityKind,
  type EntityRow,
} from '../entities/index.ts';
import type { PlaybookRow } from '../playbooks/index.ts';

type SessionRequest = RequestOf<'POST /onboarding/session'>['body'];
type Changes = ReadonlyMap<string, JsonValue>;

/** The data of the request by whose it is. Throws `invalid_request` for what the playbook has no business for. */
export function bootstrapOf(
  { bootstrap_data, business_external_id }: SessionRequest,
  { kind }: PlaybookRow,
): { user: Changes; business: Changes } {
  const all = [...changesOf(bootstrap_data)];
  requireKnownIdentifiers(all.map(([name]) => name));
  const isBusiness = ([name]: readonly [string, JsonValue]) =>
    describeIdentifier(name)?.family === 'business';
  const business = new Map(all.filter(isBusiness));
  if (kind !== 'kyb' && business_external_id !== undefined) {
    throw invalid('Member business_external_id is for kyb playbooks only');
  }
  if (kind !== 'kyb' && business.size > 0) {
    const named = [...business.keys()].slice(0, 20).join(', ');
    throw invalid(`Member bootstrap_data: only a session of a kyb playbook has ${named}`);
  }
  return { user: new Map(all.filter((entry) => !isBusiness(entry))), business };
}

/** Who of the session is there already. Throws `not_found` for an unknown fp_id, `conflict` for ids that disagree. */
export function findParticipants(
  database: Database,
  space: Space,
  { fp_id, user_external_id, business_external_id }: SessionRequest,
): { user: EntityRow | undefined; business: EntityRow | undefined } {
  if (user_external_id !== undefined && user_external_id === business_external_id) {
    throw conflict('The user_external_id and the business_external_id cannot be the same');
  }
  const business = findOf(database, space, 'business', business_external_id);
  const named = findOf(database, space, 'user', user_external_id);
  if (fp_id === undefined) return { user: named, business };
  const user = findEntity(database, space, fp_id);
  if (user?.kind !== 'user') {
    throw new ServiceError('not_found', 'Member fp_id: no user has this id in this tenant and environment');
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
