/**
 * The control plane under /_kyclone/ (contract §11): operations on the emulator itself for people, tests and the CLI.
 */
import { Type } from '@sinclair/typebox';
import { STORAGE_KINDS, UNREADY_REASONS } from './facts.ts';
import { ClockState } from '../clock/endpoints.ts';
import { controlToken, endpoint, open, type Stability } from '../../contract/endpoint.ts';
import { EXPECTS } from '../../contract/expectation.ts';
import { named, Counts, Nullable, OneOf, Timestamp, WordOf, strict } from '../../contract/shapes.ts';
import { EgressPolicy, Settings, SettingsPatch } from '../settings/endpoints/index.ts';

const emulator = { stability: 'emulator' satisfies Stability } as const;
const control = { ...emulator, auth: controlToken } as const;
const Info = named(
  'Instance',
  Type.Object({
    version: Type.String(),
    pid: Type.Integer(),
    url: Type.String(),
    instance: Type.String(),
    storage: OneOf(STORAGE_KINDS),
    sqlite: Type.String({
      description:
        "node:sqlite (Node's own) or the package that stands in for it before Node 22.16, with SQLite's version",
    }),
    started_at: Timestamp,
    clock: ClockState,
    egress_policy: EgressPolicy,
    vocabulary: Settings.properties.vocabulary,
    counts: Counts,
    faults: Type.Integer(),
    pending_work: Type.Integer(),
    not_ready: Type.Optional(WordOf(UNREADY_REASONS)),
  }),
);

const StoreCheck = named(
  'StoreCheck',
  Type.Object({
    status: OneOf(['never', 'running', 'done', 'failed']),
    checked: Type.Integer({ description: 'completed steps: one for each table, one for the file' }),
    steps: Type.Integer({
      description: '0 until the copy exists; 0 for an instance in memory, which has no file',
    }),
    problems: Type.Array(Type.String(), { description: "SQLite's words, 100 at most; no values" }),
    failure: Nullable(Type.String({ description: 'why the check could not run' })),
  }),
);

export const emulatorEndpoints = [
  endpoint('GET /_kyclone/health', {
    operationId: 'getHealth',
    ...emulator,
    auth: open,
    servedUnready: true,
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
    summary: 'Whether a daemon listens on this port; with a challenge, a proof of its identity',
    assumed: [
      {
        what: 'A challenge is answered with pid, instance and a proof: HMAC-SHA256 over JSON [challenge, pid, instance, Host], under a key that HKDF-Expand derives from the control token or, with key, from the SHA-256 of that API key',
        why: 'ours: any program that gets the port can repeat the nonce; a client must identify the daemon before it sends a secret',
      },
    ],
  }),
  endpoint('GET /_kyclone/ready', {
    operationId: 'getReadiness',
    ...emulator,
    auth: open,
    servedUnready: true,
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
    summary: 'Facts about this instance',
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
        why: 'ours: for kyclone doctor --deep; requests continue in the meantime, and damage stops writes',
      },
    ],
    summary: 'Start a check of every page of the store, on a copy, unless one is in progress',
  }),
  endpoint('GET /_kyclone/store/check', {
    operationId: 'getStoreCheck',
    ...control,
    response: StoreCheck,
    assumed: [{ what: 'the endpoint', why: 'ours: the progress and findings of the check' }],
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
  endpoint('GET /_kyclone/openapi.json', {
    operationId: 'getOpenApiDocument',
    ...emulator,
    auth: open,
    response: Type.Unknown(),
    summary: 'This API as an OpenAPI 3.1 document with the current vocabulary',
  }),
  endpoint('GET /_kyclone/docs', {
    operationId: 'getDocsPage',
    ...emulator,
    auth: open,
    response: Type.String(),
    produces: 'text/html; charset=utf-8',
    summary: 'The documentation of this API as a page that needs no network',
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
