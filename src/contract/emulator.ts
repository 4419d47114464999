/** The control plane under /_kyclone/ (contract §11): what a person, a test or the CLI asks of the emulator itself. */
import { Type } from '@sinclair/typebox';
import { ClockState } from './clock.ts';
import { controlToken, endpoint, open, type Stability } from './endpoint.ts';
import { inspectorEndpoints } from './inspector.ts';
import { PermissionName, ScopeName } from './permissions.ts';
import { Settings, SettingsPatch } from './settings.ts';
import {
  Counts,
  CursorPage,
  CursorQuery,
  Empty,
  EnvironmentName,
  Nullable,
  OneOf,
  TenantName,
  Timestamp,
} from './shapes.ts';
import { ProxyExplanation, ProxySummary } from './vault-proxy.ts';

const emulator = { stability: 'emulator' satisfies Stability, errors: [] } as const;
const control = { ...emulator, auth: controlToken } as const;
const strict = { additionalProperties: false } as const;

const Info = Type.Object({
  version: Type.String(),
  pid: Type.Integer(),
  url: Type.String(),
  instance: Type.String(),
  storage: OneOf(['durable', 'ephemeral']),
  started_at: Timestamp,
  clock: ClockState,
  egress_policy: Type.String(),
  vocabulary: Settings.properties.vocabulary,
  counts: Counts,
  faults: Type.Integer(),
  pending_work: Type.Integer(),
});

export const ApiKey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  tenant: Type.String(),
  environment: EnvironmentName,
  scopes: Type.Array(Type.String()),
  permissions: Type.Array(Type.String()),
  enabled: Type.Boolean(),
  created_at: Timestamp,
  last_used_at: Nullable(Timestamp),
  prefix: Type.String({ description: 'enough to recognise the key, not to use it' }),
});

const KeyName = Type.String({ minLength: 1, maxLength: 100 });

const Slot = Type.Object({
  id: Type.String(),
  kind: OneOf(['keychain', 'passphrase', 'key_file', 'environment', 'recovery']),
  created_at: Timestamp,
  last_used_at: Nullable(Timestamp),
});

const Keyring = Type.Object({
  root_key_version: Type.Integer(),
  min_root_key_version: Type.Integer(),
  slots: Type.Array(Slot),
  entities_by_root_key_version: Counts,
});

const JournalEntry = Type.Object({
  id: Type.String(),
  at: Timestamp,
  method: Type.String(),
  path: Type.String({ description: 'path tokens and query values masked' }),
  route: Nullable(Type.String()),
  status: Type.Integer(),
  code: Nullable(Type.String()),
  ms: Type.Number(),
  key_id: Type.Optional(Type.String()),
  token_id: Type.Optional(Type.String()),
  tenant: Nullable(Type.String()),
  environment: Nullable(Type.String()),
  proxy: Type.Optional(ProxySummary),
  request: Type.Unknown({ description: 'member names with masked values' }),
  response: Type.Unknown({ description: 'member names with masked values' }),
  faults: Type.Array(Type.String()),
  hint: Type.Optional(
    Type.String({ description: 'what was probably meant: a path or an identifier that is close' }),
  ),
});

export const ACCESS_OPERATIONS = [
  'decrypt',
  'download',
  'integrity',
  'proxy',
  'integration',
  'reflect',
  'search',
] as const;

const AccessEntry = Type.Object({
  seq: Type.Integer(),
  at: Timestamp,
  operation: OneOf(ACCESS_OPERATIONS),
  tenant: Type.String(),
  environment: EnvironmentName,
  fp_id: Nullable(Type.String()),
  identifiers: Type.Array(Type.String()),
  actor: Type.Object({ kind: Type.String(), id: Type.String() }),
  outcome: OneOf(['granted', 'refused']),
  reason: Nullable(Type.String()),
  request_id: Type.String(),
  prev_hash: Type.String({ description: 'hex' }),
  hash: Type.String({ description: 'hex HMAC-SHA256' }),
});

const Since = Type.Optional(Type.String({ format: 'date-time' }));

export const emulatorEndpoints = [
  endpoint('GET /_kyclone/health', {
    ...emulator,
    auth: open,
    response: Type.Object({ status: Type.Literal('ok'), nonce: Type.String() }),
    summary: 'Whether the port is ours and listening',
  }),
  endpoint('GET /_kyclone/ready', {
    ...emulator,
    auth: open,
    response: Type.Object({ ready: Type.Boolean(), reason: Type.Optional(Type.String()) }),
    summary: 'Whether the instance serves requests; 503 with the reason while it does not',
  }),
  endpoint('GET /_kyclone/info', { ...control, response: Info, summary: 'What this instance is' }),
  endpoint('POST /_kyclone/reset', {
    ...control,
    body: Type.Object(
      {
        hard: Type.Optional(Type.Boolean()),
        seed: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
      },
      strict,
    ),
    bodyOptional: true,
    response: Type.Object({ deleted: Counts }),
    summary: 'Delete everything but keys, playbooks and webhook endpoints; hard: back to the first start',
  }),
  endpoint('GET /_kyclone/settings', {
    ...control,
    response: Settings,
    summary: 'The settings of this instance',
  }),
  endpoint('PATCH /_kyclone/settings', {
    ...control,
    body: SettingsPatch,
    response: Settings,
    summary: 'Merge settings; they apply at once and are kept with the instance',
  }),
  endpoint('GET /_kyclone/api-keys', {
    ...control,
    query: Type.Object({
      ...CursorQuery,
      tenant: Type.Optional(TenantName),
      environment: Type.Optional(EnvironmentName),
    }),
    response: CursorPage(ApiKey),
    summary: 'API keys, newest first, of all tenants unless one is named',
  }),
  endpoint('POST /_kyclone/api-keys', {
    ...control,
    body: Type.Object(
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
          }),
        ),
      },
      strict,
    ),
    bodyOptional: true,
    response: Type.Object({ ...ApiKey.properties, key: Type.String({ description: 'shown this once' }) }),
    errors: ['conflict'],
    summary: 'Create an API key; a new tenant name creates the tenant',
  }),
  endpoint('PATCH /_kyclone/api-keys/{id}', {
    ...control,
    body: Type.Object(
      {
        name: Type.Optional(KeyName),
        scopes: Type.Optional(Type.Array(ScopeName)),
        permissions: Type.Optional(Type.Array(PermissionName)),
        enabled: Type.Optional(Type.Boolean()),
      },
      strict,
    ),
    response: ApiKey,
    summary: 'Change, disable or enable an API key',
  }),
  endpoint('DELETE /_kyclone/api-keys/{id}', { ...control, response: Empty, summary: 'Delete an API key' }),
  endpoint('GET /_kyclone/keyring', {
    ...control,
    response: Keyring,
    summary: 'Root key versions and the slots that open the vault',
  }),
  endpoint('POST /_kyclone/keyring/rotate', {
    ...control,
    query: Type.Object({ wait: Type.Optional(Type.Boolean()) }),
    response: Keyring,
    summary: 'A new root key version; entity keys are rewrapped in the background',
  }),
  endpoint('POST /_kyclone/keyring/slots', {
    ...control,
    body: Type.Object(
      {
        kind: OneOf(['passphrase', 'key_file', 'recovery']),
        passphrase: Type.Optional(Type.String({ minLength: 8, maxLength: 1024 })),
        path: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
      },
      strict,
    ),
    response: Type.Object({
      ...Slot.properties,
      recovery_code: Type.Optional(Type.String({ description: 'shown this once' })),
    }),
    errors: ['key_file_refused', 'vault_key_invalid'],
    summary: 'Add a way to open the vault',
  }),
  endpoint('DELETE /_kyclone/keyring/slots/{id}', {
    ...control,
    response: Empty,
    errors: ['conflict'],
    summary: 'Remove a way to open the vault; the last one stays',
  }),
  ...inspectorEndpoints,
  endpoint('GET /_kyclone/access-log', {
    ...control,
    query: Type.Object({
      ...CursorQuery,
      fp_id: Type.Optional(Type.String()),
      identifier: Type.Optional(Type.String()),
      operation: Type.Optional(OneOf(ACCESS_OPERATIONS)),
      outcome: Type.Optional(OneOf(['granted', 'refused'])),
      since: Since,
    }),
    response: CursorPage(AccessEntry),
    summary: 'Who read what and why, newest first',
  }),
  endpoint('GET /_kyclone/access-log/verify', {
    ...control,
    response: Type.Object({
      ok: Type.Boolean(),
      checked: Type.Integer(),
      head: Nullable(Type.String()),
      first_bad_seq: Nullable(Type.Integer()),
    }),
    summary: 'Recompute the hash chain of the access log',
  }),
  endpoint('GET /_kyclone/requests', {
    ...control,
    query: Type.Object({
      ...CursorQuery,
      method: Type.Optional(Type.String()),
      path: Type.Optional(Type.String({ description: 'glob: * one segment, ** any' })),
      status: Type.Optional(Type.Integer()),
      since: Since,
      control: Type.Optional(
        Type.Boolean({ description: 'false leaves out the control plane, whose calls are often our own' }),
      ),
    }),
    response: CursorPage(JournalEntry),
    assumed: [
      { what: 'the parameter control, and the members hint and proxy', why: 'ours: for people who look' },
    ],
    summary: 'The last 2,000 requests, values masked',
  }),
  endpoint('GET /_kyclone/requests/{id}', {
    ...control,
    response: JournalEntry,
    summary: 'One request of the journal',
  }),
  endpoint('GET /_kyclone/requests/{id}/proxy', {
    ...control,
    response: ProxyExplanation,
    summary: 'What the vault proxy did with one request, step by step, values masked',
    assumed: [
      {
        what: 'resolved addresses, chain and hints are texts; null where a step was not reached',
        why: '§11',
      },
    ],
  }),
  endpoint('DELETE /_kyclone/requests', { ...control, response: Empty, summary: 'Empty the journal' }),
  endpoint('GET /_kyclone/openapi.json', {
    ...emulator,
    auth: open,
    response: Type.Unknown(),
    summary: 'This API as an OpenAPI 3.1 document, with the current vocabulary',
  }),
  endpoint('GET /_kyclone/docs', {
    ...emulator,
    auth: open,
    response: Type.String(),
    produces: 'text/html; charset=utf-8',
    summary: 'This API as a page that needs no network',
  }),
  endpoint('GET /_kyclone/form', {
    ...emulator,
    auth: open,
    response: Type.String(),
    produces: 'text/html; charset=utf-8',
    summary: 'A page that takes a client token and writes or reveals what it permits',
  }),
  endpoint('GET /_kyclone/form.js', {
    ...emulator,
    auth: open,
    response: Type.String(),
    produces: 'text/javascript; charset=utf-8',
    summary: 'The script behind that page, the same as kyclone/form of the package',
  }),
] as const;
