/** The access log, and the check of its chain (contract §11). */
import { Type } from '@sinclair/typebox';
import {
  ACCESS_MISSES,
  ACCESS_OPERATIONS,
  ACCESS_OUTCOMES,
  ACTOR_KINDS,
  ANCHOR_STATES,
  OPERATOR_HEADER,
  SEEN_HEADER,
} from './facts.ts';
import { VerificationResult } from '../comparisons/endpoints.ts';
import { control, endpoint } from '../../contract/endpoint.ts';
import {
  named,
  CursorPage,
  CursorQuery,
  EnvironmentName,
  Nullable,
  OneOf,
  Timestamp,
  WordOf,
} from '../../contract/shapes.ts';

export const ACT_HEADERS = Type.Object({
  [OPERATOR_HEADER]: Type.Optional(
    Type.String({ description: 'ours: the operator, percent-encoded UTF-8', examples: ['Ada'] }),
  ),
  [SEEN_HEADER]: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        'ours: the seq of the last entry of the access log that the caller knew; 409 if somebody else has acted since',
    }),
  ),
});

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
      Type.String({ description: 'the operator named by header x-kyclone-operator; null without it' }),
    ),
    outcome: AccessOutcome,
    reason: Nullable(Type.String()),
    effect: Nullable(
      Type.String({ description: 'what an action did, such as none -> offboard_fraud; null for a read' }),
    ),
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

export const accessLogEndpoints = [
  endpoint('GET /_kyclone/access-log', {
    operationId: 'listAccessLogEntries',
    ...control,
    query: Type.Object({
      ...CursorQuery,
      tenant: Type.Optional(Type.String()),
      environment: Type.Optional(EnvironmentName),
      fp_id: Type.Optional(Type.String()),
      external_id: Type.Optional(Type.String({ description: 'of the user or business, whole' })),
      identifier: Type.Optional(Type.String()),
      operation: Type.Optional(AccessOperation),
      outcome: Type.Optional(AccessOutcome),
      operator: Type.Optional(Type.String({ description: 'the whole name, in any case' })),
      since: Type.Optional(Type.String({ format: 'date-time' })),
      until: Type.Optional(Type.String({ format: 'date-time', description: 'only before this time' })),
      q: Type.Optional(
        Type.String({
          description:
            'words, each of which is in the operator, an id, an identifier, the operation or the reason',
        }),
      ),
      result: Type.Optional(VerificationResult),
      misses: Type.Optional(WordOf(ACCESS_MISSES)),
    }),
    response: CursorPage(AccessEntry),
    assumed: [
      {
        what: 'operator: the name in the header x-kyclone-operator of the request, on any endpoint',
        why: 'ours: a key is shared by a whole desk, and a trace must name a person; it is sealed at rest',
      },
      {
        what: 'actions of people and apps on an entity or an event, with effect and reason',
        why: 'ours: a record says who acted, why and with what result; such a reason is sealed at rest',
      },
      {
        what: 'the filters operator and q open the sealed names; operator matches the whole name, in any case',
        why: 'ours: a desk asks what one person has read',
      },
      {
        what: 'the filters tenant, environment, external_id and until',
        why: 'ours: the log is read for one person or one day',
      },
      {
        what: 'the filter misses: three values that do not match, of one entity within any 60 minutes',
        why: 'ours: a desk looks for somebody who guesses the data of a person',
      },
    ],
    summary: 'Who read or did what and why, newest first',
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
          { description: "the copy of the log's head beside the store; none for an instance in memory" },
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
