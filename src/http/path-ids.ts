/** What is wrong with the id of a user or business in a path. The id itself is never repeated: it could be a value. */
import { ServiceError } from '../kernel/errors.ts';
import type { EntityKind } from '../resources/entities/index.ts';
import type { Asked } from './near-misses.ts';
import { ENTITY_ID, findRoute } from './router.ts';

const FORMS = {
  user: { prefix: 'fp_id_', pattern: /^fp_id_[0-9A-Za-z]{22}$/ },
  business: { prefix: 'fp_bid_', pattern: /^fp_bid_[0-9A-Za-z]{22}$/ },
} as const;

/** Of which kind an id should stand in the path of a request that no endpoint has; undefined when that is not why. */
export function kindOfBadId({ method, url, words }: Asked): EntityKind | undefined {
  const [, family, id = '', rest = ''] = /^\/(users|businesses)\/([^/?]+)([^?]*)/.exec(url) ?? [];
  if (family === undefined || ENTITY_ID.test(id)) return undefined;
  const isPath = findRoute(method, `/${family}/fp_x${rest}`, words).allowed().length > 0;
  return isPath ? (family === 'users' ? 'user' : 'business') : undefined;
}

/** `not_found` for an id that isn't one. */
export function noSuchId(kind: EntityKind): ServiceError {
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
