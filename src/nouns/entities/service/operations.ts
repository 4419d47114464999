/** Users and businesses: create or get, read, look up, change, delete (contract §2.1, §2.11–2.14, §10). */
import { outcomeOfSandboxId } from '../../outcomes/facts.ts';
import { businessKey, type BusinessKey } from '../../../contract/endpoint.ts';
import type { AnswerOf, EndpointKey, RequestOf } from '../../../contract/registry.ts';
import { cursorPage, decodeCursor, encodeCursor, pageSize } from '../../cursor.ts';
import { ServiceError, invalid, conflict } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids/ids.ts';
import { isJsonObject, type JsonValue } from '../../../kernel/text/json.ts';
import type { Randomness } from '../../../kernel/ids/random.ts';
import type { Database } from '../../../storage/database.ts';
import { removeDebris, sweepDebris } from '../../../storage/debris.ts';
import { integer, table, text } from '../../../storage/table.ts';
import { accessEntry } from '../../../vault/access-entry.ts';
import { requireKnownIdentifiers } from '../../../vault/identifiers/index.ts';
import { addTombstone } from '../../../vault/tombstones.ts';
import type { Caller, Space } from '../../api-keys/service/index.ts';
import { answer, vaultAnswer, type Handlers, written } from '../../handlers.ts';
import { listEntities, type EntityFilter } from './lists-repository.ts';
import {
  deleteEntity,
  findEntity,
  findEntityByExternalId,
  findEntityById,
  insertEntity,
  isEntityId,
  updateExternalId,
  type EntityRow,
} from './repository.ts';
import type { Needs } from '../../needs.ts';

// The SQL of idempotency ids and the entities created with them (contract §2.1).

const IDEMPOTENCY_IDS = table('idempotency_ids', {
  space: integer,
  idempotency_id: text,
  kind: text,
  fp_id: text,
});

const findIdempotencyId = IDEMPOTENCY_IDS.first<[space: number, idempotency_id: string]>(
  'WHERE space = ? AND idempotency_id = ?',
);
const insertIdempotencyId = IDEMPOTENCY_IDS.insert;

export type EntityKind = EntityRow['kind'];

interface CreateRequest {
  readonly kind: EntityKind;
  readonly changes: ReadonlyMap<string, JsonValue>;
  readonly externalId: string | undefined;
  readonly idempotencyId: string | undefined;
  readonly sandboxId: string | undefined;
  readonly skipLuhn: boolean;
}

interface ByKey {
  readonly caller: Caller;
}

export type Entities = ReturnType<typeof createEntities>;

const SANDBOX_ID_CHARACTERS = 12;
const NO_CHANGES: CreateRequest['changes'] = new Map();

type EntityKeys = Extract<
  EndpointKey,
  `${string} /users${'' | '/search' | '/{fp_id}'}` | `${string} /businesses${'' | '/{fp_bid}'}`
>;

export function createEntities(
  context: Needs<'queue' | 'vault' | 'accessLog' | 'acts' | 'clock' | 'random'> & {
    /** Called within the write job that deletes the entity, before the deletion. */
    onRemoval: (database: Database, entity: EntityRow) => void;
  },
) {
  const { queue, vault, accessLog, acts, clock, random, onRemoval } = context;

  /** Checks and seals the first data; `store` is then called in the write job. */
  function prepare(
    { tenant, environment, space }: Space,
    request: CreateRequest,
  ): { store: (database: Database) => EntityRow } {
    const fp_id = newId(request.kind, random, (id) => isEntityId(queue.database, id));
    const sandbox_id = environment === 'live' ? null : (request.sandboxId ?? newSandboxId(random));
    const { kind, changes, skipLuhn, externalId: external_id = null } = request;
    const draft = vault.draft({ fp_id, kind, tenant, environment }, { changes, skipLuhn });
    return {
      store(database) {
        const row = {
          fp_id,
          space,
          tenant,
          environment,
          kind,
          external_id,
          sandbox_id,
          vault_version: draft.version,
          fingerprints: draft.fingerprints,
          created_at: clock.now(),
          ...draft.sealedKey(),
        };
        const id = insertEntity(database, row);
        draft.store(database, id);
        const fresh = {
          status: 'none',
          requires_manual_review: false,
          updated_at: row.created_at,
          label: null,
        } as const;
        return { ...row, ...fresh, id };
      },
    };
  }

  /** Returns the names of its files. */
  function shred(database: Database, entity: EntityRow): readonly string[] {
    const files = vault.forget(database, entity);
    onRemoval(database, entity);
    deleteEntity(database, entity.id);
    addTombstone(database, { kind: 'entity', id: entity.fp_id, at: clock.now() });
    removeDebris(database);
    return files;
  }

  /** Newest first, ties by id descending. */
  function page(
    filter: EntityFilter,
    place: ReturnType<typeof placeIn>,
    confirm: (row: EntityRow) => void = () => undefined,
  ): AnswerOf<'GET /users'> {
    const { rows, count } = listEntities(queue.database, filter, place);
    rows.forEach((row) => confirm(row));
    return cursorPage(rows, {
      size: place.limit,
      count,
      cursorOf: (row) => encodeCursor(row.created_at, row.fp_id),
      view: referenceView,
    });
  }

  const list =
    (kind: EntityKind) =>
    ({ caller, query }: ByKey & Pick<RequestOf<'GET /users'>, 'query'>) =>
      answer(page({ space: caller, kind, external_id: query.external_id }, placeIn(query)));

  /** One transaction: the entity with its first data, or nothing. An existing entity if the id headers name one. */
  const create =
    (kind: EntityKind) =>
    async ({ caller, headers, body }: ByKey & Pick<RequestOf<'POST /users'>, 'headers' | 'body'>) => {
      const request: CreateRequest = {
        kind,
        changes: changesOf(body),
        externalId: headers['x-external-id'],
        idempotencyId: headers['x-idempotency-id'],
        sandboxId: headers['x-sandbox-id'],
        skipLuhn: skipsLuhn(headers),
      };
      requireKnownIdentifiers(request.changes.keys());
      refuseMixedCreate(caller, request);
      const prepared = prepare(caller, request);
      const entity = await queue.write((database) => {
        const known = findKnown(database, caller, request);
        if (known) return known;
        const made = prepared.store(database);
        if (request.idempotencyId !== undefined) {
          const { space } = caller;
          insertIdempotencyId(database, {
            space,
            idempotency_id: request.idempotencyId,
            kind,
            fp_id: made.fp_id,
          });
        }
        return made;
      });
      return vaultAnswer(referenceView(entity), entity.vault_version);
    };

  return {
    /** Within an existing write job: creates an entity with an empty vault. The external id must be free. */
    createWithin(
      database: Database,
      space: Space,
      { kind, externalId }: { readonly kind: EntityKind; readonly externalId: string | undefined },
    ): EntityRow {
      const blank = { changes: NO_CHANGES, idempotencyId: undefined, sandboxId: undefined, skipLuhn: false };
      return prepare(space, { kind, externalId, ...blank }).store(database);
    },

    /** Shreds it in a store that is not served yet; its files are not copied when it is served. */
    removeFrom(database: Database, fpId: string): void {
      const entity = findEntityById(database, fpId);
      if (entity) shred(database, entity);
    },

    /** `asked`: what was asked of a user (contract §11). */
    handlers(
      asked: (
        database: Database,
        user: EntityRow,
      ) => AnswerOf<'GET /users/{fp_id}'>['requires_additional_info'],
    ): Handlers<EntityKeys> {
      return {
        'POST /users': create('user'),
        'POST /businesses': create('business'),
        'GET /users': list('user'),
        'GET /businesses': list('business'),

        // Users with exactly this value under a searchable identifier (contract §10); recorded in the access log.
        async 'POST /users/search'({ body: { search, pagination = {} }, caller, requestId, operator }) {
          const { tenant, environment } = caller;
          const { found, identifiers, confirm } = vault.search(queue.database, caller, search);
          const place = placeIn(pagination);
          const call = { caller, requestId, operator };
          const access = { operation: 'search', identifiers, outcome: 'granted', reason: null } as const;
          await accessLog.record(accessEntry(call, { tenant, environment }, { ...access, at: clock.now() }));
          return answer(page({ space: caller, kind: 'user', found }, place, confirm));
        },

        'GET /users/{fp_id}': ({ entity }) =>
          answer({ ...detailsView(entity), requires_additional_info: asked(queue.database, entity) }),
        'GET /businesses/{fp_bid}': ({ entity }) => answer(detailsView(entity)),

        ...forBusinessesToo({
          'PATCH /users/{fp_id}': ({ entity, body: { external_id } }) =>
            written(queue, (database) => {
              const current = getEntity(database, entity, entity.fp_id, entity.kind);
              if (external_id === undefined || external_id === current.external_id)
                return referenceView(current);
              if (findEntityByExternalId(database, entity.space, external_id)) {
                throw new ServiceError('external_id_taken', 'The external_id is in use by another entity');
              }
              const changed = { ...current, external_id };
              updateExternalId(database, { ...changed, updated_at: clock.now() });
              return referenceView(changed);
            }),

          // Shreds the entity: what is left can't be opened without its key. The access log has who deleted which id.
          async 'DELETE /users/{fp_id}'({ entity, body, ...call }) {
            const released = await queue.free((database) => {
              const current = getEntity(database, entity, entity.fp_id, entity.kind);
              const effect = `deleted ${current.kind}`;
              acts.record(database, call, current, { operation: 'delete', effect, reason: body?.reason });
              return shred(database, current);
            });
            await sweepDebris(queue);
            queue.scrub();
            await vault.discard(released);
            return answer({});
          },
        }),
      };
    },
  };
}

/** Avoids ids that choose an outcome. */
function newSandboxId(random: Randomness): string {
  let id = random.id(SANDBOX_ID_CHARACTERS, 'sandbox id');
  while (outcomeOfSandboxId(id) !== undefined) id = random.id(SANDBOX_ID_CHARACTERS, 'sandbox id');
  return id;
}

/** The entity; `not_found` in another tenant or environment, or for the other kind (contract §0.6). */
export function getEntity(database: Database, space: Space, fpId: string, kind?: EntityKind): EntityRow {
  const entity = findEntity(database, space, fpId);
  if (!entity || (kind && entity.kind !== kind)) {
    throw new ServiceError('not_found', `No ${kind ?? 'entity'} has this id in this tenant and environment`);
  }
  return entity;
}

export function placeOf(cursor: string | undefined): { created_at: number; fp_id: string } | undefined {
  if (cursor === undefined) return undefined;
  const [created_at, fp_id] = decodeCursor(cursor, ['number', 'string']);
  return { created_at, fp_id };
}

const placeIn = ({ cursor, page_size }: { readonly cursor?: string; readonly page_size?: number }) => ({
  after: placeOf(cursor),
  limit: pageSize(page_size),
});

export function referenceView(entity: EntityRow): AnswerOf<'POST /users'> {
  const { fp_id: id, external_id, sandbox_id } = entity;
  return sandbox_id === null ? { id, external_id } : { id, external_id, sandbox_id };
}

/** Without what only a user has. */
export function detailsView(entity: EntityRow): AnswerOf<'GET /businesses/{fp_bid}'> {
  return {
    ...referenceView(entity),
    status: entity.status,
    requires_manual_review: entity.requires_manual_review,
  };
}

function refuseMixedCreate(caller: Caller, request: CreateRequest): void {
  const isCreateOrGet = request.externalId !== undefined || request.idempotencyId !== undefined;
  if (isCreateOrGet && request.changes.size > 0) {
    throw invalid(
      'With x-external-id or x-idempotency-id the body must be empty: create first, then write the vault',
    );
  }
  if (caller.environment === 'live' && request.sandboxId !== undefined) {
    throw invalid('Header x-sandbox-id is for sandbox keys only, and this key is a live one');
  }
}

/** The entity named by the id headers (contract §2.1); `conflict` when they disagree. */
function findKnown(database: Database, caller: Caller, request: CreateRequest): EntityRow | undefined {
  const byIdempotency =
    request.idempotencyId && findIdempotencyId(database, caller.space, request.idempotencyId);
  const external = request.externalId
    ? findEntityByExternalId(database, caller.space, request.externalId)
    : undefined;
  if (external && external.kind !== request.kind) {
    throw conflict(`The x-external-id belongs to a ${external.kind}`);
  }
  if (!byIdempotency) {
    if (external && request.idempotencyId !== undefined) {
      const { kind, idempotencyId: idempotency_id } = request;
      insertIdempotencyId(database, { space: caller.space, idempotency_id, kind, fp_id: external.fp_id });
    }
    return external;
  }
  if (byIdempotency.kind !== request.kind) {
    throw conflict(`The x-idempotency-id was used for a ${byIdempotency.kind}`);
  }
  if (external && external.fp_id !== byIdempotency.fp_id) {
    throw conflict('The x-external-id and the x-idempotency-id name different entities');
  }
  const entity = findEntity(database, caller, byIdempotency.fp_id);
  if (!entity) throw invalid('The x-idempotency-id belongs to an entity that was deleted');
  return entity;
}

/**
 * Handlers of users, and the same for businesses. They must not read `params.fp_id`, which a business's request lacks:
 * `entity` has the id.
 */
export function forBusinessesToo<Keys extends EndpointKey>(
  handlers: Handlers<Keys>,
): Handlers<Keys | Extract<EndpointKey, BusinessKey<Keys>>> {
  const both = Object.entries(handlers).flatMap(([key, handle]) => [
    [key, handle],
    [businessKey(key as Keys), handle],
  ]);
  return Object.fromEntries(both) as ReturnType<typeof forBusinessesToo<Keys>>;
}

/** The identifier map of a body as a Map, so that no member name has a meaning in JavaScript. */
export function changesOf(body: unknown): Map<string, JsonValue> {
  return new Map(isJsonObject(body) ? Object.entries(body) : []);
}

export function skipsLuhn(headers: { 'x-fp-ignore-luhn-validation'?: string }): boolean {
  return headers['x-fp-ignore-luhn-validation'] === 'true';
}
