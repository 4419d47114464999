/** API keys, created and listed by the control plane (contract §0.2, §11). */
import { type Static, Type } from '@sinclair/typebox';
import { control, endpoint, secretKey } from '../../contract/endpoint.ts';
import { EXPECTS } from '../../contract/expectation.ts';
import { PERMISSIONS, SCOPES } from '../../contract/facts/permissions.ts';
import {
  named,
  CursorPage,
  CursorQuery,
  Empty,
  EnvironmentName,
  Nullable,
  TenantName,
  Timestamp,
  strict,
} from '../../contract/shapes.ts';

const ScopeName = named('Scope', Type.Union(SCOPES.map((scope) => Type.Literal(scope))));
export const PermissionName = named(
  'Permission',
  Type.Union([
    ...PERMISSIONS.map((permission) => Type.Literal(permission)),
    Type.String({
      pattern: '^decrypt:(?:\\*|[A-Za-z0-9_\\-][^*,]{0,253}(?:\\.\\*)?)$',
      [EXPECTS]: 'decrypt: followed by a data identifier, a family such as card.*, or *',
    }),
  ]),
);

export const ApiKey = named(
  'ApiKey',
  Type.Object({
    id: Type.String(),
    name: Type.String(),
    tenant: Type.String(),
    environment: EnvironmentName,
    scopes: Type.Array(ScopeName),
    permissions: Type.Array(PermissionName),
    enabled: Type.Boolean(),
    created_at: Timestamp,
    last_used_at: Nullable(Timestamp),
    prefix: Type.String({ description: 'enough to recognise the key, not to use it' }),
  }),
);

export type ApiKey = Static<typeof ApiKey>;

const KeyName = Type.String({ minLength: 1, maxLength: 100 });

export const apiKeyEndpoints = [
  endpoint('GET /org/api_keys/check', {
    operationId: 'validateApiKey',
    auth: secretKey(),
    stability: 'deprecated',
    response: Empty,
    assumed: [{ what: 'an empty object for every key that is enabled', why: '§2.25' }],
    summary: 'Whether the secret key of the call is good',
  }),
  endpoint('GET /_kyclone/api-keys', {
    operationId: 'listApiKeys',
    ...control,
    query: Type.Object({
      ...CursorQuery,
      tenant: Type.Optional(TenantName),
      environment: Type.Optional(EnvironmentName),
    }),
    response: CursorPage(ApiKey),
    summary: 'API keys, newest first; of all tenants by default',
  }),
  endpoint('POST /_kyclone/api-keys', {
    operationId: 'createApiKey',
    ...control,
    body: named(
      'CreateApiKeyRequest',
      Type.Object(
        {
          name: Type.Optional(KeyName),
          tenant: Type.Optional(TenantName),
          environment: Type.Optional(EnvironmentName),
          scopes: Type.Optional(Type.Array(ScopeName)),
          permissions: Type.Optional(Type.Array(PermissionName)),
          key: Type.Optional(
            Type.String({
              pattern: '^sk_(test|live)_[0-9A-Za-z]{16,128}$',
              description: 'a fixed value, 24 characters or more',
              [EXPECTS]: 'sk_test_ or sk_live_ followed by 16 to 128 letters or digits',
            }),
          ),
        },
        strict,
      ),
    ),
    bodyOptional: true,
    response: named(
      'CreatedApiKey',
      Type.Object({ ...ApiKey.properties, key: Type.String({ description: 'shown only once' }) }),
    ),
    errors: ['conflict'],
    summary: 'Create an API key; a new tenant name creates the tenant',
  }),
  endpoint('PATCH /_kyclone/api-keys/{id}', {
    operationId: 'updateApiKey',
    ...control,
    body: named(
      'UpdateApiKeyRequest',
      Type.Object(
        {
          name: Type.Optional(KeyName),
          scopes: Type.Optional(Type.Array(ScopeName)),
          permissions: Type.Optional(Type.Array(PermissionName)),
          enabled: Type.Optional(Type.Boolean()),
        },
        strict,
      ),
    ),
    response: ApiKey,
    summary: 'Change, disable or enable an API key',
  }),
  endpoint('DELETE /_kyclone/api-keys/{id}', {
    operationId: 'deleteApiKey',
    ...control,
    response: Empty,
    summary: 'Delete an API key',
  }),
] as const;
