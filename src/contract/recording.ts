/** Recording: calls of a period with their values, as the source of a fixture (ours; `kyclone record`). */
import { Type } from '@sinclair/typebox';
import { CALLER_KINDS } from './facts/credentials.ts';
import { controlToken, endpoint, type Stability } from './endpoint.ts';
import { named } from './named.ts';
import { Nullable, OneOf, Timestamp } from './shapes.ts';

const control = { stability: 'emulator' satisfies Stability, auth: controlToken } as const;

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

export const Recording = named(
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
    errors: [],
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
