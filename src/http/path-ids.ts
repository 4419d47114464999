/** Explains a wrong user or business id in a path. The id itself is never repeated: it could be a value. */
import { ServiceError } from '../kernel/errors.ts';
import { ID_PREFIX } from '../kernel/ids.ts';
import type { EntityKind } from '../resources/entities/index.ts';
import { nearestRoute, type AskedPath } from './near-misses.ts';
import { ENTITY_ID, findRoute } from './router.ts';

const FORMS = {
  user: { prefix: ID_PREFIX.user, pattern: /^fp_id_[0-9A-Za-z]{22}$/ },
  business: { prefix: ID_PREFIX.business, pattern: /^fp_bid_[0-9A-Za-z]{22}$/ },
} as const;

/** `not_found` for an unknown path, either because its id is malformed or with the nearest path as a suggestion. */
export function noEndpoint(asked: AskedPath): ServiceError {
  const kind = kindOfBadId(asked);
  if (kind !== undefined) return noSuchId(kind);
  return new ServiceError('not_found', 'No endpoint has this path', { meant: nearestRoute(asked) });
}

/**
 * The kind of entity whose id belongs in this path; undefined unless a malformed id is the reason that no endpoint
 * matches.
 */
function kindOfBadId({ method, url, words }: AskedPath): EntityKind | undefined {
  const [, family, id = '', rest = ''] = /^\/(users|businesses)\/([^/?]+)([^?]*)/.exec(url) ?? [];
  if (family === undefined || ENTITY_ID.test(id)) return undefined;
  const isPath = findRoute(method, `/${family}/fp_x${rest}`, words).allowed().length > 0;
  return isPath ? (family === 'users' ? 'user' : 'business') : undefined;
}

/** `not_found` for a malformed id. */
function noSuchId(kind: EntityKind): ServiceError {
  const form = `${FORMS[kind].prefix} followed by 22 letters and digits`;
  return new ServiceError('not_found', `The path has no id of a ${kind}, which is ${form}`);
}

/** `not_found` for an id that no entity of this kind has. `meant`: the same call for the other kind. */
export function noEntity(
  id: string,
  { kind, meant }: { kind: EntityKind; meant: string | undefined },
): ServiceError {
  const other = kind === 'user' ? 'business' : 'user';
  if (id.startsWith(FORMS[other].prefix)) {
    const message = `This path takes the id of a ${kind} (${FORMS[kind].prefix}…), not of a ${other} (${FORMS[other].prefix}…)`;
    return new ServiceError('not_found', message, { meant });
  }
  if (!FORMS[kind].pattern.test(id)) return noSuchId(kind);
  return new ServiceError('not_found', `No ${kind} has this id in this tenant and environment`, { meant });
}
