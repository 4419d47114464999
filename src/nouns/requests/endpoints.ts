/** The journal: the last requests, masked, and the results of proxy calls (contract §11). */
import { Type } from '@sinclair/typebox';
import { control, endpoint } from '../../contract/endpoint.ts';
import {
  named,
  CursorPage,
  CursorQuery,
  Empty,
  EnvironmentName,
  Nullable,
  Timestamp,
  OneOf,
} from '../../contract/shapes.ts';
import { ProxyExplanation, ProxySummary } from '../vault-proxy/endpoints.ts';
import { CALLER_KINDS } from '../../contract/facts/credentials.ts';

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
    operator: Type.Optional(
      Nullable(Type.String({ description: 'of the console session that made the request' })),
    ),
    tenant: Nullable(Type.String()),
    environment: Nullable(EnvironmentName),
    proxy: Type.Optional(ProxySummary),
    request: Type.Unknown({ description: 'member names with masked values' }),
    response: Type.Unknown({ description: 'member names with masked values' }),
    faults: Type.Array(Type.String()),
    hint: Type.Optional(
      Type.String({
        description:
          'hints about the request: a similar path or identifier, or a repeated member of the JSON body',
      }),
    ),
  }),
);

export const requestEndpoints = [
  endpoint('GET /_kyclone/requests', {
    operationId: 'listRequests',
    ...control,
    query: Type.Object({
      ...CursorQuery,
      method: Type.Optional(Type.String()),
      path: Type.Optional(Type.String({ description: 'glob: * one segment, ** any' })),
      status: Type.Optional(Type.Integer()),
      since: Type.Optional(Type.String({ format: 'date-time' })),
      control: Type.Optional(Type.Boolean({ description: 'false leaves out calls of the control plane' })),
    }),
    response: CursorPage(JournalEntry),
    assumed: [{ what: 'the parameter control, and the members hint and proxy', why: 'ours: for debugging' }],
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
    summary: 'The steps of one vault proxy call, values masked',
    assumed: [
      {
        what: 'resolved addresses, chain and hints are texts; null for a step that was not reached',
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
] as const;

// Recording: calls of a period with their values, as the source of a fixture (ours; `kyclone record`).

const RecordedCall = named(
  'RecordedCall',
  Type.Object({
    method: Type.String(),
    path: Type.String({ description: 'without its query, except tenant, environment and dry_run' }),
    headers: Type.Record(Type.String(), Type.String(), {
      description: 'headers that the endpoint reads, without credentials',
    }),
    body: Type.Optional(Type.Unknown({ description: 'absent when there was none' })),
    caller: OneOf(CALLER_KINDS),
    tenant: Nullable(Type.String()),
    key_id: Type.Optional(Type.String({ description: 'id of the API key of the call' })),
    token: Type.Optional(Type.String({ description: 'the client token of the call' })),
    status: Type.Integer(),
    response: Type.Unknown(),
  }),
);

const Recording = named(
  'Recording',
  Type.Object({
    is_recording: Type.Boolean(),
    started_at: Nullable(Timestamp),
    calls: Type.Integer(),
    left_out: Type.Integer({
      description:
        'calls that a fixture cannot contain: files, those that depend on their query, and those beyond 1,000 calls or 64 MiB',
    }),
  }),
);

const assumed = [{ what: 'the endpoint', why: 'ours: for kyclone record' }];

export const recordingEndpoints = [
  endpoint('GET /_kyclone/recording', {
    operationId: 'getRecording',
    ...control,
    response: Recording,
    assumed,
    summary: 'Whether calls are being recorded',
  }),
  endpoint('POST /_kyclone/recording', {
    operationId: 'startRecording',
    ...control,
    response: Recording,
    errors: ['conflict'],
    assumed,
    summary: 'Start recording calls in memory, including values',
  }),
  endpoint('DELETE /_kyclone/recording', {
    operationId: 'stopRecording',
    ...control,
    response: named(
      'StoppedRecording',
      Type.Object({ ...Recording.properties, recorded: Type.Array(RecordedCall) }),
    ),
    errors: ['conflict'],
    assumed,
    summary: 'Stop the recording: returns the calls and discards them',
  }),
] as const;
