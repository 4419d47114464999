/** The control plane under /_kyclone/ (contract §11): what a person, a test or the CLI asks of the emulator itself. */
import { Type } from '@sinclair/typebox';
import { ClockState } from './clock.ts';
import { controlToken, endpoint, open, type Stability } from './endpoint.ts';
import { EXPECTS } from './expectation.ts';
import { inspectorEndpoints } from './inspector.ts';
import { named } from './named.ts';
import { PermissionName, ScopeName } from './permissions.ts';
import { EgressPolicy, Settings, SettingsPatch } from './settings.ts';
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
  WordOf,
} from './shapes.ts';
import { ProxyExplanation, ProxySummary } from './vault-proxy.ts';

const emulator = { stability: 'emulator' satisfies Stability, errors: [] } as const;
const control = { ...emulator, auth: controlToken } as const;
const strict = { additionalProperties: false } as const;

const Info = named(
  'Instance',
  Type.Object({
    version: Type.String(),
    pid: Type.Integer(),
    url: Type.String(),
    instance: Type.String(),
    storage: OneOf(['durable', 'ephemeral']),
    started_at: Timestamp,
    clock: ClockState,
    egress_policy: EgressPolicy,
    vocabulary: Settings.properties.vocabulary,
    counts: Counts,
    faults: Type.Integer(),
    pending_work: Type.Integer(),
  }),
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

const KeyName = Type.String({ minLength: 1, maxLength: 100 });

const Slot = named(
  'KeySlot',
  Type.Object({
    id: Type.String(),
    kind: OneOf(['keychain', 'passphrase', 'key_file', 'environment', 'recovery']),
    created_at: Timestamp,
    last_used_at: Nullable(Timestamp),
  }),
);

const StoreCheck = named(
  'StoreCheck',
  Type.Object({
    status: OneOf(['never', 'running', 'done', 'failed']),
    checked: Type.Integer({ description: 'steps that are done: one for each table, one for the file' }),
    steps: Type.Integer({
      description: '0 until the copy is made; 0 for an instance in memory, which has no file',
    }),
    problems: Type.Array(Type.String(), { description: "SQLite's words, 100 at most; no values" }),
    failure: Nullable(Type.String({ description: 'why the check could not be made' })),
  }),
);

const Keyring = named(
  'Keyring',
  Type.Object({
    root_key_version: Type.Integer(),
    min_root_key_version: Type.Integer(),
    slots: Type.Array(Slot),
    entities_by_root_key_version: Counts,
  }),
);

const JournalEntry = named(
  'JournalEntry',
  Type.Object({
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
    environment: Nullable(EnvironmentName),
    proxy: Type.Optional(ProxySummary),
    request: Type.Unknown({ description: 'member names with masked values' }),
    response: Type.Unknown({ description: 'member names with masked values' }),
    faults: Type.Array(Type.String()),
    hint: Type.Optional(
      Type.String({
        description:
          'what was probably meant: a path or an identifier that is close; which member of a JSON body stood twice',
      }),
    ),
  }),
);

export const ACCESS_OPERATIONS = [
  'decrypt',
  'download',
  'integrity',
  'proxy',
  'integration',
  'reflect',
  'search',
] as const;

const AccessOperation = named('AccessOperation', OneOf(ACCESS_OPERATIONS));
const AccessOutcome = named('AccessOutcome', OneOf(['granted', 'refused']));

const AccessEntry = named(
  'AccessLogEntry',
  Type.Object({
    seq: Type.Integer(),
    at: Timestamp,
    operation: AccessOperation,
    tenant: Type.String(),
    environment: EnvironmentName,
    fp_id: Nullable(Type.String()),
    identifiers: Type.Array(Type.String()),
    actor: Type.Object({ kind: WordOf(['api_key', 'client_token']), id: Type.String() }),
    outcome: AccessOutcome,
    reason: Nullable(Type.String()),
    request_id: Type.String(),
    prev_hash: Type.String({ description: 'hex' }),
    hash: Type.String({ description: 'hex HMAC-SHA256' }),
  }),
);

/** Why an instance doesn't serve requests yet, or no longer. */
export const UNREADY_REASONS = [
  'starting',
  'migrating',
  'sealed',
  'recovering',
  'stopping',
  'store_missing',
] as const;
export type UnreadyReason = (typeof UNREADY_REASONS)[number];

const Since = Type.Optional(Type.String({ format: 'date-time' }));

export const emulatorEndpoints = [
  endpoint('GET /_kyclone/health', {
    operationId: 'getHealth',
    ...emulator,
    auth: open,
    query: Type.Object({
      challenge: Type.Optional(
        Type.String({
          minLength: 22,
          maxLength: 86,
          pattern: '^[A-Za-z0-9_-]+$',
          description: '16 to 64 random bytes in base64url: asks for proof that this is the daemon',
          [EXPECTS]: '16 to 64 random bytes in base64url, without padding',
        }),
      ),
      key: Type.Optional(
        Type.String({
          pattern: '^[A-Za-z0-9_-]{22}$',
          description: 'the name of the API key to prove it by (default: the control token)',
          [EXPECTS]: '22 characters in base64url: the name that an API key has in a proof',
        }),
      ),
    }),
    response: named(
      'Health',
      Type.Object({
        status: Type.Literal('ok'),
        nonce: Type.String(),
        pid: Type.Optional(Type.Integer()),
        instance: Type.Optional(Type.String()),
        proof: Type.Optional(Type.String({ description: 'base64url HMAC-SHA256' })),
      }),
    ),
    summary: 'Whether the port is ours and listening; with a challenge, the proof of it',
    assumed: [
      {
        what: 'A challenge is answered with pid, instance and a proof: HMAC-SHA256 over JSON [challenge, pid, instance, Host], under a key that HKDF-Expand derives from the control token or, with key, from the SHA-256 of that API key',
        why: 'ours: any program that gets the port can repeat the nonce; a client has to know the daemon before it sends a secret',
      },
    ],
  }),
  endpoint('GET /_kyclone/ready', {
    operationId: 'getReadiness',
    ...emulator,
    auth: open,
    response: named(
      'Readiness',
      Type.Object({ ready: Type.Boolean(), reason: Type.Optional(WordOf(UNREADY_REASONS)) }),
    ),
    summary: 'Whether the instance serves requests; 503 with the reason while it does not',
  }),
  endpoint('GET /_kyclone/info', {
    operationId: 'getInstance',
    ...control,
    response: Info,
    summary: 'What this instance is',
  }),
  endpoint('POST /_kyclone/reset', {
    operationId: 'resetInstance',
    ...control,
    body: named(
      'ResetRequest',
      Type.Object(
        {
          hard: Type.Optional(Type.Boolean()),
          seed: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
        },
        strict,
      ),
    ),
    bodyOptional: true,
    response: named('ResetResult', Type.Object({ deleted: Counts })),
    summary: 'Delete everything but keys, playbooks and webhook endpoints; hard: back to the first start',
  }),
  endpoint('POST /_kyclone/store/check', {
    operationId: 'startStoreCheck',
    ...control,
    response: StoreCheck,
    assumed: [
      {
        what: 'the endpoint',
        why: 'ours: what kyclone doctor --deep asks for; requests are answered meanwhile, and what it finds ends writes',
      },
    ],
    summary: 'Begin to check every page of the store, on a copy, unless that is under way',
  }),
  endpoint('GET /_kyclone/store/check', {
    operationId: 'getStoreCheck',
    ...control,
    response: StoreCheck,
    assumed: [{ what: 'the endpoint', why: 'ours: how far the check is, and what it has found' }],
    summary: 'The last check of the store',
  }),
  endpoint('GET /_kyclone/settings', {
    operationId: 'getSettings',
    ...control,
    response: Settings,
    summary: 'The settings of this instance',
  }),
  endpoint('PATCH /_kyclone/settings', {
    operationId: 'updateSettings',
    ...control,
    body: SettingsPatch,
    response: Settings,
    summary: 'Merge settings; they apply at once and are kept with the instance',
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
    summary: 'API keys, newest first, of all tenants unless one is named',
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
      Type.Object({ ...ApiKey.properties, key: Type.String({ description: 'shown this once' }) }),
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
  endpoint('GET /_kyclone/keyring', {
    operationId: 'getKeyring',
    ...control,
    response: Keyring,
    summary: 'Root key versions and the slots that open the vault',
  }),
  endpoint('POST /_kyclone/keyring/rotate', {
    operationId: 'rotateKeyring',
    ...control,
    query: Type.Object({ wait: Type.Optional(Type.Boolean()) }),
    response: Keyring,
    summary: 'A new root key version; entity keys are rewrapped in the background',
  }),
  endpoint('POST /_kyclone/keyring/slots', {
    operationId: 'addKeySlot',
    ...control,
    body: named(
      'AddKeySlotRequest',
      Type.Object(
        {
          kind: OneOf(['passphrase', 'key_file', 'recovery']),
          passphrase: Type.Optional(Type.String({ minLength: 8, maxLength: 1024 })),
          path: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
        },
        strict,
      ),
    ),
    response: named(
      'AddedKeySlot',
      Type.Object({
        ...Slot.properties,
        recovery_code: Type.Optional(Type.String({ description: 'shown this once' })),
      }),
    ),
    errors: ['key_file_refused', 'vault_key_invalid'],
    summary: 'Add a way to open the vault',
  }),
  endpoint('DELETE /_kyclone/keyring/slots/{id}', {
    operationId: 'removeKeySlot',
    ...control,
    response: Empty,
    errors: ['conflict'],
    summary: 'Remove a way to open the vault; the last one stays',
  }),
  ...inspectorEndpoints,
  endpoint('GET /_kyclone/access-log', {
    operationId: 'listAccessLogEntries',
    ...control,
    query: Type.Object({
      ...CursorQuery,
      fp_id: Type.Optional(Type.String()),
      identifier: Type.Optional(Type.String()),
      operation: Type.Optional(AccessOperation),
      outcome: Type.Optional(AccessOutcome),
      since: Since,
    }),
    response: CursorPage(AccessEntry),
    summary: 'Who read what and why, newest first',
  }),
  endpoint('GET /_kyclone/access-log/verify', {
    operationId: 'verifyAccessLog',
    ...control,
    response: named(
      'AccessLogVerification',
      Type.Object({
        ok: Type.Boolean(),
        checked: Type.Integer(),
        head: Nullable(Type.String()),
        first_bad_seq: Nullable(Type.Integer()),
        anchor: Type.Object(
          {
            state: OneOf(['level', 'anchor_behind', 'log_behind', 'missing', 'damaged', 'none']),
            seq: Nullable(Type.Integer({ description: 'the last entry that the anchor knows' })),
          },
          {
            description: 'the head of the log as it is kept beside the store; none for an instance in memory',
          },
        ),
      }),
    ),
    assumed: [
      {
        what: 'anchor; ok is false when the log is behind it, or it is missing or damaged',
        why: 'ours: a log that was shortened together with its head shows only beside the store',
      },
    ],
    summary: 'Recompute the hash chain of the access log',
  }),
  endpoint('GET /_kyclone/requests', {
    operationId: 'listRequests',
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
    operationId: 'getRequest',
    ...control,
    response: JournalEntry,
    summary: 'One request of the journal',
  }),
  endpoint('GET /_kyclone/requests/{id}/proxy', {
    operationId: 'explainProxyRequest',
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
  endpoint('DELETE /_kyclone/requests', {
    operationId: 'deleteRequests',
    ...control,
    response: Empty,
    summary: 'Empty the journal',
  }),
  endpoint('GET /_kyclone/openapi.json', {
    operationId: 'getOpenApiDocument',
    ...emulator,
    auth: open,
    response: Type.Unknown(),
    summary: 'This API as an OpenAPI 3.1 document, with the current vocabulary',
  }),
  endpoint('GET /_kyclone/docs', {
    operationId: 'getDocsPage',
    ...emulator,
    auth: open,
    response: Type.String(),
    produces: 'text/html; charset=utf-8',
    summary: 'This API as a page that needs no network',
  }),
  endpoint('GET /_kyclone/form', {
    operationId: 'getFormPage',
    ...emulator,
    auth: open,
    response: Type.String(),
    produces: 'text/html; charset=utf-8',
    summary: 'A page that takes a client token and writes or reveals what it permits',
  }),
  endpoint('GET /_kyclone/form.js', {
    operationId: 'getFormScript',
    ...emulator,
    auth: open,
    response: Type.String(),
    produces: 'text/javascript; charset=utf-8',
    summary: 'The script behind that page, the same as kyclone/form of the package',
  }),
] as const;
