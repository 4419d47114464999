/** Users and businesses: the same shapes under two paths (contract §2.1, §2.11–2.14, §10). */
import { Type } from '@sinclair/typebox';
import { REFUSES_NULL } from './absence.ts';
import { endpoint, secretKey, VAULT_BODY_LIMIT_BYTES } from './endpoint.ts';
import {
  CursorPage,
  CursorQuery,
  Empty,
  ENTITY_STATUSES,
  ExternalId,
  IdentifierMap,
  Nullable,
  OneOf,
  SandboxId,
} from './shapes.ts';

export const Reference = Type.Object({
  id: Type.String(),
  external_id: Nullable(Type.String()),
  sandbox_id: Type.Optional(Type.String({ description: 'sandbox only' })),
});

const Details = Type.Object({
  ...Reference.properties,
  status: OneOf(ENTITY_STATUSES),
  requires_manual_review: Type.Boolean(),
});

const CreateHeaders = Type.Object({
  'x-external-id': Type.Optional(ExternalId),
  'x-idempotency-id': Type.Optional(ExternalId),
  'x-sandbox-id': Type.Optional(SandboxId),
  'x-fp-ignore-luhn-validation': Type.Optional(Type.String()),
});

const createDefinition = {
  auth: secretKey({ permission: 'entities.write' }),
  headers: CreateHeaders,
  body: Type.Union([IdentifierMap, Type.Null()]),
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
  errors: [],
} as const;

const updateDefinition = {
  auth: secretKey({ permission: 'entities.write' }),
  body: Type.Object({ external_id: Type.Optional({ ...ExternalId, [REFUSES_NULL]: true }) }),
  response: Reference,
  errors: ['external_id_taken'],
  assumed: [{ what: 'an external id in use by another entity is 400', why: 'A39' }],
} as const;

const searchDefinition = {
  auth: secretKey({ permission: 'decrypt:*' }),
  stability: 'extension',
  body: Type.Object({
    search: Type.String({ minLength: 1, maxLength: 1024 }),
    pagination: Type.Optional(Type.Object(CursorQuery)),
  }),
  response: CursorPage(Reference),
  errors: [],
  logsRefusalAs: 'search',
  assumed: [{ what: 'exact match by fingerprint of every searchable identifier the text fits', why: 'A71' }],
} as const;

const readDefinition = { auth: secretKey(), response: Details, errors: [] } as const;

const deleteDefinition = {
  auth: secretKey({ permission: 'entities.write' }),
  response: Empty,
  errors: [],
  stability: 'extension',
} as const;

export const entityEndpoints = [
  endpoint('POST /users', {
    ...createDefinition,
    stability: 'stable',
    summary: 'Create a user vault, optionally with initial data',
  }),
  endpoint('GET /users', {
    ...listDefinition,
    stability: 'extension',
    summary: 'Look users up by external id',
  }),
  endpoint('POST /users/search', {
    ...searchDefinition,
    summary: 'Find users by an exact value, without decrypting one',
  }),
  endpoint('GET /users/{fp_id}', { ...readDefinition, stability: 'extension', summary: 'Read a user' }),
  endpoint('PATCH /users/{fp_id}', {
    ...updateDefinition,
    stability: 'extension',
    summary: "Change a user's external id",
  }),
  endpoint('DELETE /users/{fp_id}', { ...deleteDefinition, summary: 'Delete a user and shred its vault' }),
  endpoint('POST /businesses', {
    ...createDefinition,
    stability: 'stable',
    summary: 'Create a business vault, optionally with initial data',
  }),
  endpoint('GET /businesses', {
    ...listDefinition,
    stability: 'stable',
    summary: 'Look businesses up by external id',
  }),
  endpoint('GET /businesses/{fp_bid}', {
    ...readDefinition,
    stability: 'stable',
    summary: 'Read a business',
  }),
  endpoint('PATCH /businesses/{fp_bid}', {
    ...updateDefinition,
    stability: 'stable',
    summary: "Change a business's external id",
  }),
  endpoint('DELETE /businesses/{fp_bid}', {
    ...deleteDefinition,
    summary: 'Delete a business and shred its vault',
  }),
] as const;
