/** Snapshots: the whole state of an instance under a name, or as a file for another instance (contract §11). */
import { Type } from '@sinclair/typebox';
import { control, endpoint } from '../../../contract/endpoint.ts';
import {
  named,
  Counts,
  CursorPage,
  CursorQuery,
  EnvironmentName,
  FileContent,
  OneOf,
  Timestamp,
  UploadBody,
} from '../../../contract/shapes.ts';
import { EgressPolicy } from '../../settings/endpoints/index.ts';
import { GIB } from '../../../kernel/numbers/units.ts';

/** The largest file, including uploaded files. */
const SNAPSHOT_LIMIT_BYTES = GIB;

const Overwrite = Type.Object({ overwrite: Type.Optional(Type.Boolean()) });

const Snapshot = named(
  'Snapshot',
  Type.Object({
    name: Type.String(),
    created_at: Timestamp,
    bytes: Type.Integer(),
    schema: Type.Integer({
      description: 'schema version of the store; an older one is migrated when it is loaded',
    }),
    counts: Counts,
  }),
);

/** One entry of a list. For an untrusted file only its name, size and time are known. */
const ListedSnapshot = named(
  'ListedSnapshot',
  Type.Composite([
    Snapshot,
    Type.Object({
      problem: Type.Optional(
        Type.String({ description: 'why its content is not shown: it is damaged, or from a newer version' }),
      ),
    }),
  ]),
);

const RestoredCounts = named(
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
        Type.Object({ name: Type.String(), tenant: Type.String(), environment: EnvironmentName }),
      ),
      client_tokens: Type.Integer(),
      webhooks: Type.Array(Type.String(), { description: 'origins of webhook endpoints' }),
      proxies: Type.Array(Type.String(), { description: 'origins of the targets of proxy configurations' }),
      hosts: Type.Array(Type.String()),
      origins: Type.Array(Type.String()),
      egress_policy: EgressPolicy,
      extra_roots: Type.Integer(),
      forwards: Type.Boolean({ description: 'partner_b.forward' }),
      taken: Type.Boolean({ description: 'whether the access was imported; otherwise it was left out' }),
    },
    { description: 'access that the file grants' },
  ),
);

const Names = Type.Array(Type.String());
const Changes = named('IdentifierChanges', Type.Object({ added: Names, removed: Names, changed: Names }));

const SnapshotDiff = named(
  'SnapshotDiff',
  Type.Object({
    from: Type.String({ description: 'name of the snapshot' }),
    to: Type.String({ description: 'name of the other one; an empty text is the current state' }),
    entities: Type.Array(
      Type.Object({
        id: Type.String(),
        change: OneOf(['added', 'removed', 'changed']),
        identifiers: Changes,
        also: Type.Array(Type.String(), {
          description: 'other changes: status, label, external_id, onboardings, documents, …',
        }),
      }),
      { description: 'contains no value' },
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
    assumed: [
      {
        what: 'problem',
        why: 'ours: a snapshot with an invalid seal is listed, but its content is not read',
      },
    ],
    summary: 'Snapshots, newest first',
  }),
  endpoint('GET /_kyclone/snapshots/{name}', {
    operationId: 'getSnapshot',
    ...control,
    response: Snapshot,
    errors: ['vault_damaged', 'conflict'],
    summary: 'The content of a snapshot, in numbers',
  }),
  endpoint('DELETE /_kyclone/snapshots/{name}', {
    operationId: 'deleteSnapshot',
    ...control,
    response: named(
      'DeletedSnapshot',
      Type.Object({
        final: Type.Composite([RestoredCounts], {
          description:
            'deleted or revoked since, and in no other snapshot of this instance: now permanently deleted',
        }),
        unreadable: Type.Array(Type.Object({ name: Type.String(), problem: Type.String() }), {
          description:
            'snapshots that could not be opened for this count, the deleted one included: what they hold is not known',
        }),
      }),
    ),
    assumed: [
      { what: 'final', why: 'ours: a deletion is final only when no snapshot contains the data' },
      { what: 'unreadable', why: 'ours: a snapshot that does not open may still hold the data' },
    ],
    summary: 'Delete a snapshot',
  }),
  endpoint('POST /_kyclone/snapshots/{name}/load', {
    operationId: 'loadSnapshot',
    ...control,
    query: Type.Object({
      keep_revoked: Type.Optional(Type.Boolean({ description: 'keeps later deletions and revocations' })),
    }),
    response: named(
      'LoadedSnapshot',
      Type.Object({
        ...Snapshot.properties,
        revived: Type.Composite([RestoredCounts], {
          description: 'deleted or revoked since, and restored by this snapshot',
        }),
      }),
    ),
    errors: ['conflict', 'storage_full', 'vault_damaged'],
    assumed: [
      {
        what: 'key slots and the keys of the local user stay those of the instance; the clock is restored',
        why: 'ours: a removed slot must not return',
      },
    ],
    summary: 'Replace the state by that of a snapshot; keeps the port and the control token',
  }),
  endpoint('GET /_kyclone/snapshots/{name}/diff', {
    operationId: 'compareSnapshots',
    ...control,
    query: Type.Object({
      to: Type.Optional(
        Type.String({ description: 'name of another snapshot; by default the current state' }),
      ),
    }),
    response: SnapshotDiff,
    errors: ['conflict', 'vault_damaged'],
    assumed: [{ what: 'the endpoint', why: 'ours: for kyclone snapshot diff' }],
    summary: 'Changes between a snapshot and another one or now: names, no values',
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
        why: 'ours: the instance that loads it has another vault key',
      },
    ],
    summary: 'Download a snapshot as a file for another instance',
  }),
  endpoint('PUT /_kyclone/snapshots/{name}/content', {
    operationId: 'uploadSnapshot',
    ...control,
    query: Type.Object({
      ...Overwrite.properties,
      with_access: Type.Optional(
        Type.Boolean({
          description: 'also import the access that the file grants; by default it is left out',
        }),
      ),
    }),
    body: UploadBody,
    takesFile: true,
    bodyLimitBytes: SNAPSHOT_LIMIT_BYTES,
    response: named('ImportedSnapshot', Type.Object({ ...Snapshot.properties, access: Access })),
    errors: ['conflict', 'storage_full', 'vault_key_invalid'],
    assumed: [
      { what: 'the endpoint', why: 'ours: the counterpart of the download' },
      {
        what: 'with_access, access',
        why: 'ours: a foreign file grants no access here unless requested; a load then keeps the API keys, webhook endpoints, hosts, origins and egress of the instance',
      },
    ],
    summary: 'Import a snapshot from a file',
  }),
] as const;
