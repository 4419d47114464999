/** The access log, and the check of its chain (contract §11). */
import { Type } from '@sinclair/typebox';
import { ACCESS_OPERATIONS, ACCESS_OUTCOMES, ACTOR_KINDS, ANCHOR_STATES } from './facts/access-log.ts';
import { VerificationResult } from './comparisons.ts';
import { controlToken, endpoint, type Stability } from './endpoint.ts';
import { named } from './named.ts';
import { CursorPage, CursorQuery, EnvironmentName, Nullable, OneOf, Timestamp, WordOf } from './shapes.ts';

const control = { stability: 'emulator' satisfies Stability, errors: [], auth: controlToken } as const;

const AccessOperation = named('AccessOperation', OneOf(ACCESS_OPERATIONS));
const AccessOutcome = named('AccessOutcome', OneOf(ACCESS_OUTCOMES));

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
    actor: Type.Object({ kind: WordOf(ACTOR_KINDS), id: Type.String() }),
    operator: Nullable(
      Type.String({
        description: 'the operator named by header x-kyclone-operator; null without it',
      }),
    ),
    outcome: AccessOutcome,
    reason: Nullable(Type.String()),
    request_id: Type.String(),
    results: Nullable(
      Type.Record(Type.String(), VerificationResult, {
        description: 'of a verification: the result for each identifier, never a value',
      }),
    ),
    prev_hash: Type.String({ description: 'hex' }),
    hash: Type.String({ description: 'hex HMAC-SHA256' }),
  }),
);

const Since = Type.Optional(Type.String({ format: 'date-time' }));

export const accessLogEndpoints = [
  endpoint('GET /_kyclone/access-log', {
    operationId: 'listAccessLogEntries',
    ...control,
    query: Type.Object({
      ...CursorQuery,
      fp_id: Type.Optional(Type.String()),
      identifier: Type.Optional(Type.String()),
      operation: Type.Optional(AccessOperation),
      outcome: Type.Optional(AccessOutcome),
      operator: Type.Optional(Type.String({ description: 'the exact name' })),
      since: Since,
      result: Type.Optional(VerificationResult),
    }),
    response: CursorPage(AccessEntry),
    assumed: [
      {
        what: 'operator: the name in the header x-kyclone-operator of the request, on any endpoint',
        why: 'ours: a key is shared by a whole desk, and a trace must name a person; it is sealed at rest',
      },
      {
        what: 'the filter operator opens the sealed names, and matches the whole name',
        why: 'ours: a desk asks what one person has read',
      },
    ],
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
            state: OneOf(ANCHOR_STATES),
            seq: Nullable(Type.Integer({ description: 'the last entry that the anchor covers' })),
          },
          {
            description: "the copy of the log's head beside the store; none for an instance in memory",
          },
        ),
      }),
    ),
    assumed: [
      {
        what: 'anchor; ok is false when the log is behind it, or it is missing or damaged',
        why: 'ours: only a copy beside the store detects a log that was shortened together with its head',
      },
    ],
    summary: 'Recompute the hash chain of the access log',
  }),
] as const;
