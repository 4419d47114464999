/** Recording: the calls of a while with their values, to make a fixture of (ours; `kyclone record`). */
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
    path: Type.String({ description: 'without its query, but for tenant, environment and dry_run' }),
    headers: Type.Record(Type.String(), Type.String(), {
      description: 'those that the endpoint reads; credentials are not among them',
    }),
    body: Type.Optional(Type.Unknown({ description: 'absent when there was none' })),
    caller: OneOf(CALLER_KINDS),
    tenant: Nullable(Type.String()),
    key_id: Type.Optional(Type.String({ description: 'of the API key it was called with' })),
    token: Type.Optional(Type.String({ description: 'the client token it was called with' })),
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
        'calls that a fixture cannot hold: files, those that need their query, and those beyond 1,000 calls or 64 MiB',
    }),
  }),
);

const assumed = [{ what: 'the endpoint', why: 'ours: what kyclone record stands on' }];

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
    summary: 'Begin to record calls, values included, in memory',
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
    summary: 'End the recording: answers the calls and forgets them',
  }),
] as const;
