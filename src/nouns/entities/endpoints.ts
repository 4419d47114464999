/** Users and businesses: the same shapes under two paths (contract §2.1, §2.11–2.14, §10). */
import { Type } from '@sinclair/typebox';
import { VAULT_BODY_LIMIT_BYTES } from '../../contract/facts/limits.ts';
import { REFUSES_NULL } from '../../contract/absence.ts';
import { endpoint, ofBusiness, secretKey } from '../../contract/endpoint.ts';
import { RequiredInfo } from '../info-requests/endpoints.ts';
import { HEADERS } from '../requests/facts.ts';
import {
  ReasonBody,
  named,
  CursorPage,
  CursorQuery,
  Empty,
  EntityStatusName,
  ExternalId,
  BusinessVaultData,
  Nullable,
  SandboxId,
  UserVaultData,
} from '../../contract/shapes.ts';

const Reference = named(
  'EntityReference',
  Type.Object({
    id: Type.String(),
    external_id: Nullable(Type.String()),
    sandbox_id: Type.Optional(Type.String({ description: 'sandbox only' })),
  }),
);

const Details = Type.Object({
  ...Reference.properties,
  status: EntityStatusName,
  requires_manual_review: Type.Boolean(),
});
const User = named('User', Type.Object({ ...Details.properties, requires_additional_info: RequiredInfo }));
const Business = named('Business', Details);

const CreateHeaders = Type.Object({
  [HEADERS.externalId]: Type.Optional(ExternalId),
  [HEADERS.idempotencyId]: Type.Optional(ExternalId),
  [HEADERS.sandboxId]: Type.Optional(SandboxId),
  [HEADERS.ignoreLuhn]: Type.Optional(Type.String()),
});

const create = endpoint('POST /users', {
  operationId: 'createUser',
  auth: secretKey(),
  stability: 'stable',
  headers: CreateHeaders,
  body: Type.Union([UserVaultData, Type.Null()]),
  bodyOptional: true,
  bodyLimitBytes: VAULT_BODY_LIMIT_BYTES,
  response: Reference,
  errors: ['T120', 'conflict'],
  carriesVaultData: true,
  assumed: [
    {
      what: 'x-external-id and x-idempotency-id make create a create-or-get without initial data',
      why: 'A25–A27',
    },
  ],
  summary: 'Create a user vault, optionally with initial data',
});

const list = endpoint('GET /users', {
  operationId: 'listUsers',
  auth: secretKey({ scope: 'preview:legacy_list_users_businesses' }),
  stability: 'extension',
  query: Type.Object({ external_id: Type.Optional(Type.String()), ...CursorQuery }),
  response: CursorPage(Reference),
  summary: 'Look users up by external id',
});

const update = endpoint('PATCH /users/{fp_id}', {
  operationId: 'updateUser',
  auth: secretKey(),
  stability: 'extension',
  body: named(
    'EntityChanges',
    Type.Object({ external_id: Type.Optional({ ...ExternalId, [REFUSES_NULL]: true }) }),
  ),
  response: Reference,
  errors: ['external_id_taken'],
  assumed: [{ what: 'an external id in use by another entity is 400', why: 'A39' }],
  summary: "Change a user's external id",
});

const search = endpoint('POST /users/search', {
  operationId: 'searchUsers',
  auth: secretKey(),
  stability: 'extension',
  body: named(
    'UserSearch',
    Type.Object({
      search: Type.String({ minLength: 1, maxLength: 1024 }),
      pagination: Type.Optional(Type.Object(CursorQuery)),
    }),
  ),
  response: CursorPage(Reference),
  logsRefusalAs: 'search',
  assumed: [{ what: 'exact match by fingerprint of every searchable identifier the text fits', why: 'A71' }],
  summary: 'Find users by an exact value, without decrypting one',
});

const read = endpoint('GET /users/{fp_id}', {
  operationId: 'getUser',
  auth: secretKey(),
  response: User,
  stability: 'extension',
  summary: 'Read a user',
});

const remove = endpoint('DELETE /users/{fp_id}', {
  operationId: 'deleteUser',
  isAct: true,
  auth: secretKey(),
  body: ReasonBody,
  bodyOptional: true,
  response: Empty,
  stability: 'extension',
  summary: 'Delete a user and shred its vault',
});

export const entityEndpoints = [
  create,
  list,
  search,
  read,
  update,
  remove,
  ofBusiness(create, { body: Type.Union([BusinessVaultData, Type.Null()]) }),
  ofBusiness(list, { stability: 'stable' }),
  ofBusiness(read, { response: Business, stability: 'stable' }),
  ofBusiness(update, { stability: 'stable' }),
  ofBusiness(remove),
] as const;
