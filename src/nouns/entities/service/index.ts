import type { BodyOf, HeadersOf, QueryOf } from '../../../contract/endpoint.ts';
import type { AnswerOf, EndpointKey, Registry, RequestOf } from '../../../contract/registry.ts';
import { isJsonObject, type JsonValue } from '../../../kernel/json.ts';
import type { Database } from '../../../storage/database.ts';
import type { AccessCall } from '../../../vault/access-entry.ts';
import type { Caller } from '../../api-keys/service/index.ts';
import { answer, answered, vaultAnswer, type Handlers, done } from '../../handlers.ts';
import type { EntityRow } from './repository.ts';
import { detailsView, referenceView, type Entities, type EntityKind, type SearchCall } from './operations.ts';

export {
  createEntities,
  detailsView,
  getEntity,
  placeOf,
  referenceView,
  type Entities,
  type EntityKind,
} from './operations.ts';
export {
  countByKind,
  holdsEntities,
  deleteAllEntities,
  findEntity,
  findEntityByExternalId,
  findEntityById,
  findEntityByRow,
  updateStatus,
  type EntityRow,
} from './repository.ts';
export { listEntities, type EntityFilter } from './lists-repository.ts';

type Create = Registry['POST /users'];
type List = Registry['GET /users'];
type Search = Registry['POST /users/search'];
type Removal = RequestOf<'DELETE /users/{fp_id}'>['body'];
type Update = Registry['PATCH /users/{fp_id}'];

type EntityKeys = Extract<
  EndpointKey,
  | `${string} /users`
  | `${string} /users/search`
  | `${string} /users/{fp_id}`
  | `${string} /businesses`
  | `${string} /businesses/{fp_bid}`
>;

export function entityHandlers(context: {
  readonly entities: Entities;
  readonly database: Database;
  /** What was asked of a user (contract §11). */
  readonly infoRequests: {
    required(database: Database, user: EntityRow): AnswerOf<'GET /users/{fp_id}'>['requires_additional_info'];
  };
}): Handlers<EntityKeys> {
  const { entities, database, infoRequests } = context;
  const users = handlersOfKind(entities, 'user');
  const businesses = handlersOfKind(entities, 'business');
  return {
    'POST /users': users.create,
    'GET /users': users.list,
    'POST /users/search': users.search,
    'GET /users/{fp_id}': ({ entity }) =>
      answer({
        ...detailsView(entity),
        requires_additional_info: infoRequests.required(database, entity),
      }),
    'PATCH /users/{fp_id}': users.update,
    'DELETE /users/{fp_id}': users.remove,

    'POST /businesses': businesses.create,
    'GET /businesses': businesses.list,
    'GET /businesses/{fp_bid}': ({ entity }) => answer(detailsView(entity)),
    'PATCH /businesses/{fp_bid}': businesses.update,
    'DELETE /businesses/{fp_bid}': businesses.remove,
  };
}

/** Handlers shared by users and businesses; `search` is for users only. */
function handlersOfKind(entities: Entities, kind: EntityKind) {
  return {
    create: async (request: { caller: Caller; headers: HeadersOf<Create>; body: BodyOf<Create> }) => {
      const { headers } = request;
      const { entity, version } = await entities.create(request.caller, {
        kind,
        changes: changesOf(request.body),
        externalId: headers['x-external-id'],
        idempotencyId: headers['x-idempotency-id'],
        sandboxId: headers['x-sandbox-id'],
        skipLuhn: skipsLuhn(headers),
      });
      return vaultAnswer(referenceView(entity), version);
    },
    list: ({ caller, query }: { caller: Caller; query: QueryOf<List> }) =>
      answer(entities.list(caller, kind, query)),
    search: (request: SearchCall & { body: BodyOf<Search> }) =>
      answered(entities.search(request, request.body)),
    update: async ({ entity, body }: { entity: EntityRow; body: BodyOf<Update> }) =>
      answer(referenceView(await entities.update(entity, body))),
    remove: ({ entity, body, ...call }: AccessCall & { entity: EntityRow; body: Removal }) =>
      done(entities.remove(entity, { call, reason: body?.reason })),
  };
}

/** The business's endpoint of a user's. */
type BusinessKey<Key> = Key extends `${infer Method} /users/{fp_id}${infer Rest}`
  ? Extract<EndpointKey, `${Method} /businesses/{fp_bid}${Rest}`>
  : never;

/**
 * Handlers of users, and the same for businesses. They must not read `params.fp_id`, which a business's request lacks:
 * `entity` has the id.
 */
export function forBusinessesToo<Keys extends EndpointKey>(
  handlers: Handlers<Keys>,
): Handlers<Keys | BusinessKey<Keys>> {
  const both = Object.entries(handlers).flatMap(([key, handle]) => [
    [key, handle],
    [key.replace('/users/{fp_id}', '/businesses/{fp_bid}'), handle],
  ]);
  return Object.fromEntries(both) as Handlers<Keys | BusinessKey<Keys>>;
}

/** The identifier map of a body as a Map, so that no member name has a meaning in JavaScript. */
export function changesOf(body: unknown): Map<string, JsonValue> {
  return new Map(isJsonObject(body) ? Object.entries(body) : []);
}

export function skipsLuhn(headers: { 'x-fp-ignore-luhn-validation'?: string }): boolean {
  return headers['x-fp-ignore-luhn-validation'] === 'true';
}
