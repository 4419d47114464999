/** Users who share data with other users (contract §2.10, §6). */
import { Type } from '@sinclair/typebox';
import { DUPLICATES_LIMIT } from '../../contract/facts/limits.ts';
import { endpoint, secretKey } from '../../contract/endpoint.ts';
import { named, LabelName, Nullable } from '../../contract/shapes.ts';

/** The vocabulary may rename `name_dob`, here and in the document. */
const DuplicateKindName = named('DuplicateKind', Type.String());

export const DuplicateRecord = named(
  'Duplicate',
  Type.Object({
    fp_id: Type.String({ description: 'the other user' }),
    external_id: Nullable(Type.String()),
    kind: DuplicateKindName,
    label: Nullable(LabelName),
    tags: Type.Array(Type.String()),
  }),
);

export const duplicateEndpoints = [
  endpoint('GET /users/{fp_id}/duplicates', {
    operationId: 'listUserDuplicates',
    auth: secretKey({ scope: 'preview:list_duplicate_users' }),
    stability: 'preview',
    query: Type.Object({
      kinds: Type.Optional(Type.String({ description: 'comma-separated kinds; all by default' })),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: DUPLICATES_LIMIT, default: DUPLICATES_LIMIT }),
      ),
    }),
    response: Type.Array(DuplicateRecord),
    logsRefusalAs: 'compare',
    assumed: [
      { what: 'kinds is a comma list; limit defaults to 100', why: 'A37' },
      {
        what: 'needs review; the access log has the call, with the identifiers compared',
        why: 'ours: the answer shows which values are equal',
      },
      { what: 'matched by the tabled recipes, one record per user and kind, users only', why: 'A60' },
    ],
    summary: 'Other users who share data with this one',
  }),
] as const;
