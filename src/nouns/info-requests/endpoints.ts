/** What somebody has asked a user for (contract §11). */
import { Type } from '@sinclair/typebox';
import { controlToken, endpoint } from '../../contract/endpoint.ts';
import { INFO_REQUEST_LIMITS } from '../../contract/facts/cases.ts';
import { DOCUMENT_KINDS } from '../vault/facts.ts';
import { named, Nullable, OneOf, SpaceQuery, Timestamp, OptionalReason } from '../../contract/shapes.ts';

/** On the user, while the request is open. */
export const RequiredInfo = Nullable(
  named(
    'RequiredInfo',
    Type.Object({ timestamp: Timestamp, note: Type.String({ description: 'what the user is asked for' }) }),
  ),
);

const InfoRequest = named(
  'InfoRequest',
  Type.Object({
    timestamp: Timestamp,
    note: Type.String(),
    document: Nullable(OneOf(DOCUMENT_KINDS)),
    fields: Type.Array(Type.String()),
    operator: Nullable(Type.String()),
  }),
);

export const infoRequestEndpoints = [
  endpoint('POST /_kyclone/entities/{fp_id}/request_info', {
    operationId: 'requestInfo',
    isAct: true,
    stability: 'emulator',
    auth: controlToken,
    query: Type.Object(SpaceQuery),
    body: named(
      'RequestInfoRequest',
      Type.Object(
        {
          note: Type.String({ minLength: 1, maxLength: INFO_REQUEST_LIMITS.note }),
          document: Type.Optional(OneOf(DOCUMENT_KINDS)),
          fields: Type.Optional(
            Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
              maxItems: INFO_REQUEST_LIMITS.fields,
            }),
          ),
          reason: OptionalReason,
        },
        { additionalProperties: false },
      ),
    ),
    response: InfoRequest,
    assumed: [
      {
        what: 'for users only; a new request replaces an open one; note and fields are stored sealed, and deleted with the user',
        why: 'ours: they are about a person',
      },
      {
        what: 'the next link of the user asks for these fields and this document, runs nothing, and ends with the result that stands',
        why: '§14',
      },
    ],
    summary: 'Ask a user for more: the next link of that user asks for it, and the user shows it until then',
  }),
] as const;
