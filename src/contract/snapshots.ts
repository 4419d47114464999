/** Snapshots: the whole state of an instance under a name, or as a file to carry elsewhere (contract §11). */
import { Type } from '@sinclair/typebox';
import { controlToken, endpoint, type Stability } from './endpoint.ts';
import {
  Counts,
  CursorPage,
  CursorQuery,
  Empty,
  FileContent,
  OneOf,
  Timestamp,
  UploadBody,
} from './shapes.ts';
import { GIB } from '../kernel/units.ts';

const control = { stability: 'emulator' satisfies Stability, auth: controlToken } as const;

export const SNAPSHOT_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
/** What one file may hold, uploaded files included. */
export const SNAPSHOT_LIMIT_BYTES = GIB;

const Overwrite = Type.Object({ overwrite: Type.Optional(Type.Boolean()) });

export const Snapshot = Type.Object({
  name: Type.String(),
  created_at: Timestamp,
  bytes: Type.Integer(),
  schema: Type.Integer({ description: 'of the store; an older one is migrated when it is loaded' }),
  counts: Counts,
});

const Names = Type.Array(Type.String());
const Changes = Type.Object({ added: Names, removed: Names, changed: Names });

export const SnapshotDiff = Type.Object({
  from: Type.String({ description: 'name of the snapshot' }),
  to: Type.String({ description: 'name of the other one; the empty text is the state of now' }),
  entities: Type.Array(
    Type.Object({
      id: Type.String(),
      change: OneOf(['added', 'removed', 'changed']),
      identifiers: Changes,
      also: Type.Array(Type.String(), {
        description: 'what else of it changed: status, label, external_id, onboardings, documents, …',
      }),
    }),
    { description: 'no value is in it' },
  ),
  counts: Type.Object({ from: Counts, to: Counts }),
});

export const snapshotEndpoints = [
  endpoint('PUT /_kyclone/snapshots/{name}', {
    ...control,
    query: Overwrite,
    response: Snapshot,
    errors: ['conflict', 'storage_full'],
    summary: 'Save the whole state under a name',
  }),
  endpoint('GET /_kyclone/snapshots', {
    ...control,
    query: Type.Object(CursorQuery),
    response: CursorPage(Snapshot),
    errors: [],
    summary: 'Snapshots, newest first',
  }),
  endpoint('GET /_kyclone/snapshots/{name}', {
    ...control,
    response: Snapshot,
    errors: [],
    summary: 'What a snapshot holds',
  }),
  endpoint('DELETE /_kyclone/snapshots/{name}', {
    ...control,
    response: Empty,
    errors: [],
    summary: 'Delete a snapshot',
  }),
  endpoint('POST /_kyclone/snapshots/{name}/load', {
    ...control,
    response: Snapshot,
    errors: ['conflict', 'storage_full', 'vault_damaged'],
    assumed: [
      {
        what: 'key slots stay those of the instance, and so do the keys of the local user; the clock is as it was saved',
        why: 'ours: a slot that was removed does not come back',
      },
    ],
    summary: 'Replace the state by that of a snapshot; the port and the control token stay',
  }),
  endpoint('GET /_kyclone/snapshots/{name}/diff', {
    ...control,
    query: Type.Object({
      to: Type.Optional(Type.String({ description: 'name of another snapshot; left out: the state of now' })),
    }),
    response: SnapshotDiff,
    errors: ['conflict', 'vault_damaged'],
    assumed: [{ what: 'the endpoint', why: 'ours: what kyclone snapshot diff shows' }],
    summary: 'What changed between a snapshot and another or now: names, no values',
  }),
  endpoint('GET /_kyclone/snapshots/{name}/content', {
    ...control,
    response: FileContent,
    produces: 'application/octet-stream',
    answers: 'the snapshot as one encrypted file, for another instance',
    errors: ['conflict', 'storage_full', 'vault_damaged'],
    assumed: [
      {
        what: 'the file opens with the snapshot key of this user, or with KYCLONE_SNAPSHOT_KEY',
        why: 'ours: the vault of the instance that loads it has another key',
      },
    ],
    summary: 'A snapshot as a file that another instance can take',
  }),
  endpoint('PUT /_kyclone/snapshots/{name}/content', {
    ...control,
    query: Overwrite,
    body: UploadBody,
    takesFile: true,
    bodyLimitBytes: SNAPSHOT_LIMIT_BYTES,
    response: Snapshot,
    errors: ['conflict', 'storage_full', 'vault_key_invalid'],
    assumed: [{ what: 'the endpoint', why: 'ours: the other half of the download' }],
    summary: 'Take in a snapshot from a file',
  }),
] as const;
