/** Snapshots: the whole state of an instance under a name, or as a file to carry elsewhere (contract §11). */
import { Type, type Static } from '@sinclair/typebox';
import { controlToken, endpoint, type Stability } from './endpoint.ts';
import { named } from './named.ts';
import { EgressPolicy } from './settings.ts';
import {
  Counts,
  CursorPage,
  CursorQuery,
  EnvironmentName,
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

export const Snapshot = named(
  'Snapshot',
  Type.Object({
    name: Type.String(),
    created_at: Timestamp,
    bytes: Type.Integer(),
    schema: Type.Integer({ description: 'of the store; an older one is migrated when it is loaded' }),
    counts: Counts,
  }),
);

/** One of a list: what is known of a file that can't be trusted is its name, its size and its time. */
const ListedSnapshot = named(
  'ListedSnapshot',
  Type.Composite([
    Snapshot,
    Type.Object({
      problem: Type.Optional(
        Type.String({
          description: 'why nothing of its content is shown: it is damaged, or of a newer version',
        }),
      ),
    }),
  ]),
);

const Revived = named(
  'RevivedCounts',
  Type.Object({
    entities: Type.Integer(),
    tokens: Type.Integer({ description: 'client tokens that have not expired' }),
    keys: Type.Integer({ description: 'API keys' }),
  }),
);

const Access = named(
  'SnapshotAccess',
  Type.Object(
    {
      api_keys: Type.Array(
        Type.Object({
          name: Type.String(),
          tenant: Type.String(),
          environment: EnvironmentName,
        }),
      ),
      client_tokens: Type.Integer(),
      webhooks: Type.Array(Type.String(), { description: 'origins of the endpoints' }),
      proxies: Type.Array(Type.String(), { description: 'origins of the targets of proxy configurations' }),
      hosts: Type.Array(Type.String()),
      origins: Type.Array(Type.String()),
      egress_policy: EgressPolicy,
      extra_roots: Type.Integer(),
      forwards: Type.Boolean({ description: 'partner_b.forward' }),
      taken: Type.Boolean({ description: 'whether it was taken in; left behind otherwise' }),
    },
    { description: 'what the file grants or opens' },
  ),
);

export type SnapshotAccess = Static<typeof Access>;

const Names = Type.Array(Type.String());
const Changes = named('IdentifierChanges', Type.Object({ added: Names, removed: Names, changed: Names }));

export const SnapshotDiff = named(
  'SnapshotDiff',
  Type.Object({
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
  }),
);

export const snapshotEndpoints = [
  endpoint('PUT /_kyclone/snapshots/{name}', {
    operationId: 'saveSnapshot',
    ...control,
    query: Overwrite,
    response: Snapshot,
    errors: ['conflict', 'storage_full'],
    summary: 'Save the whole state under a name',
  }),
  endpoint('GET /_kyclone/snapshots', {
    operationId: 'listSnapshots',
    ...control,
    query: Type.Object(CursorQuery),
    response: CursorPage(ListedSnapshot),
    errors: [],
    assumed: [
      { what: 'problem', why: 'ours: a snapshot whose seal fails is named, and its content is not read' },
    ],
    summary: 'Snapshots, newest first',
  }),
  endpoint('GET /_kyclone/snapshots/{name}', {
    operationId: 'getSnapshot',
    ...control,
    response: Snapshot,
    errors: ['vault_damaged', 'conflict'],
    summary: 'What a snapshot holds',
  }),
  endpoint('DELETE /_kyclone/snapshots/{name}', {
    operationId: 'deleteSnapshot',
    ...control,
    response: named(
      'DeletedSnapshot',
      Type.Object({
        final: Type.Composite([Revived], {
          description:
            'deleted or revoked since, and in no other snapshot of this instance: gone for good now',
        }),
      }),
    ),
    errors: [],
    assumed: [{ what: 'final', why: 'ours: deletion is final only when no snapshot stands that holds it' }],
    summary: 'Delete a snapshot',
  }),
  endpoint('POST /_kyclone/snapshots/{name}/load', {
    operationId: 'loadSnapshot',
    ...control,
    query: Type.Object({
      keep_revoked: Type.Optional(
        Type.Boolean({ description: 'what was deleted or revoked since stays so' }),
      ),
    }),
    response: named(
      'LoadedSnapshot',
      Type.Object({
        ...Snapshot.properties,
        revived: Type.Composite([Revived], {
          description: 'deleted or revoked since, and alive again with this snapshot',
        }),
      }),
    ),
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
    operationId: 'compareSnapshots',
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
    operationId: 'downloadSnapshot',
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
    operationId: 'uploadSnapshot',
    ...control,
    query: Type.Object({
      ...Overwrite.properties,
      with_access: Type.Optional(
        Type.Boolean({
          description: 'take in what the file grants or opens, too; left out: it stays behind',
        }),
      ),
    }),
    body: UploadBody,
    takesFile: true,
    bodyLimitBytes: SNAPSHOT_LIMIT_BYTES,
    response: named('ImportedSnapshot', Type.Object({ ...Snapshot.properties, access: Access })),
    errors: ['conflict', 'storage_full', 'vault_key_invalid'],
    assumed: [
      { what: 'the endpoint', why: 'ours: the other half of the download' },
      {
        what: 'with_access, access',
        why: 'ours: a file of somebody else grants nothing here unless it is asked for; a load then keeps the API keys, webhook endpoints, hosts, origins and egress of the instance',
      },
    ],
    summary: 'Take in a snapshot from a file',
  }),
] as const;
