/** Documents: images that belong together, and the vault version of each (contract §2.9, §2.20, §5). */
import { Type } from '@sinclair/typebox';
import { DOCUMENT_TYPES } from '../vault/facts.ts';
import { endpoint, ofBusiness, secretKey } from '../../contract/endpoint.ts';
import { named, OneOf, Timestamp } from '../../contract/shapes.ts';

const DocumentTypeName = named('DocumentType', OneOf(DOCUMENT_TYPES));

const Image = named(
  'DocumentImage',
  Type.Object({
    identifier: Type.String(),
    version: Type.Integer({ description: 'decrypt <identifier>:<version> for exactly this image' }),
  }),
);

export const DocumentRecord = named(
  'Document',
  Type.Object({
    id: Type.String(),
    created_at: Timestamp,
    document_type: DocumentTypeName,
    onboarding_id: Type.String({ description: 'empty outside an onboarding' }),
    images: Type.Object({
      front: Type.Optional(Image),
      back: Type.Optional(Image),
      selfie: Type.Optional(Image),
    }),
  }),
);

const list = endpoint('GET /users/{fp_id}/documents', {
  operationId: 'listUserDocuments',
  auth: secretKey({ scope: 'preview:documents_list' }),
  stability: 'preview',
  query: Type.Object({ onboarding_id: Type.Optional(Type.String()) }),
  response: Type.Array(DocumentRecord),
  assumed: [
    {
      what: 'uploads group into records as stated; onboarding_id is empty outside an onboarding',
      why: 'A59',
    },
  ],
  summary: "A user's documents, newest first",
});

export const documentEndpoints = [
  list,
  endpoint('GET /users/{fp_id}/liveness', {
    operationId: 'listUserLiveness',
    auth: secretKey(),
    stability: 'deprecated',
    response: Type.Array(
      named(
        'LivenessCheck',
        Type.Object({
          timestamp: Timestamp,
          document_id: Type.String(),
          onboarding_id: Type.String({ description: 'empty outside an onboarding' }),
        }),
      ),
    ),
    assumed: [{ what: 'one for each document with a selfie, newest first', why: '§2.25' }],
    summary: "A user's selfies, each with its document",
  }),
  ofBusiness(list),
] as const;
