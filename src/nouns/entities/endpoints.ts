/** Users and businesses: the same shapes under two paths (contract §2.1, §2.11–2.14, §10). */
import { Type } from '@sinclair/typebox';
import { VAULT_BODY_LIMIT_BYTES } from '../../contract/facts/limits.ts';
import { REFUSES_NULL } from '../../contract/absence.ts';
import { endpoint, secretKey } from '../../contract/endpoint.ts';
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

const createDefinition = {
  auth: secretKey(),
  headers: CreateHeaders,
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
} as const;

const listDefinition = {
  auth: secretKey({ scope: 'preview:legacy_list_users_businesses' }),
  query: Type.Object({ external_id: Type.Optional(Type.String()), ...CursorQuery }),
  response: CursorPage(Reference),
} as const;

const updateDefinition = {
  auth: secretKey(),
  body: named(
    'EntityChanges',
    Type.Object({ external_id: Type.Optional({ ...ExternalId, [REFUSES_NULL]: true }) }),
  ),
  response: Reference,
  errors: ['external_id_taken'],
  assumed: [{ what: 'an external id in use by another entity is 400', why: 'A39' }],
} as const;

const searchDefinition = {
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
} as const;

const readDefinition = { auth: secretKey() } as const;

const deleteDefinition = {
  isAct: true,
  auth: secretKey(),
  body: ReasonBody,
  bodyOptional: true,
  response: Empty,
  stability: 'extension',
} as const;

export const entityEndpoints = [
  endpoint('POST /users', {
    operationId: 'createUser',
    ...createDefinition,
    body: Type.Union([UserVaultData, Type.Null()]),
    stability: 'stable',
    summary: 'Create a user vault, optionally with initial data',
  }),
  endpoint('GET /users', {
    operationId: 'listUsers',
    ...listDefinition,
    stability: 'extension',
    summary: 'Look users up by external id',
  }),
  endpoint('POST /users/search', {
    operationId: 'searchUsers',
    ...searchDefinition,
    summary: 'Find users by an exact value, without decrypting one',
  }),
  endpoint('GET /users/{fp_id}', {
    operationId: 'getUser',
    ...readDefinition,
    response: User,
    stability: 'extension',
    summary: 'Read a user',
  }),
  endpoint('PATCH /users/{fp_id}', {
    operationId: 'updateUser',
    ...updateDefinition,
    stability: 'extension',
    summary: "Change a user's external id",
  }),
  endpoint('DELETE /users/{fp_id}', {
    operationId: 'deleteUser',
    ...deleteDefinition,
    summary: 'Delete a user and shred its vault',
  }),
  endpoint('POST /businesses', {
    operationId: 'createBusiness',
    ...createDefinition,
    body: Type.Union([BusinessVaultData, Type.Null()]),
    stability: 'stable',
    summary: 'Create a business vault, optionally with initial data',
  }),
  endpoint('GET /businesses', {
    operationId: 'listBusinesses',
    ...listDefinition,
    stability: 'stable',
    summary: 'Look businesses up by external id',
  }),
  endpoint('GET /businesses/{fp_bid}', {
    operationId: 'getBusiness',
    ...readDefinition,
    response: Business,
    stability: 'stable',
    summary: 'Read a business',
  }),
  endpoint('PATCH /businesses/{fp_bid}', {
    operationId: 'updateBusiness',
    ...updateDefinition,
    stability: 'stable',
    summary: "Change a business's external id",
  }),
  endpoint('DELETE /businesses/{fp_bid}', {
    operationId: 'deleteBusiness',
    ...deleteDefinition,
    summary: 'Delete a business and shred its vault',
  }),
] as const;
