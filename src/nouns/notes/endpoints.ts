/** Notes of support staff about an entity (contract §11). */
import { Type } from '@sinclair/typebox';
import { NOTE_LIMIT } from '../../contract/facts/cases.ts';
import { controlToken, endpoint } from '../../contract/endpoint.ts';
import { named, Empty, Nullable, SpaceQuery, Timestamp, OptionalReason } from '../../contract/shapes.ts';

export const Note = named(
  'Note',
  Type.Object({
    id: Type.String(),
    text: Type.String(),
    operator: Nullable(Type.String()),
    created_at: Timestamp,
  }),
);

const control = { stability: 'emulator', auth: controlToken, query: Type.Object(SpaceQuery) } as const;

export const noteEndpoints = [
  endpoint('GET /_kyclone/entities/{fp_id}/notes', {
    operationId: 'listNotes',
    ...control,
    response: Type.Array(Note),
    assumed: [
      {
        what: 'newest first; stored sealed, deleted with the entity',
        why: 'ours: notes about a person are personal data',
      },
    ],
    summary: 'The notes on an entity, newest first',
  }),
  endpoint('POST /_kyclone/entities/{fp_id}/notes', {
    operationId: 'createNote',
    ...control,
    body: named(
      'CreateNoteRequest',
      Type.Object(
        { text: Type.String({ minLength: 1, maxLength: NOTE_LIMIT }) },
        { additionalProperties: false },
      ),
    ),
    response: Note,
    summary: 'Write a note on an entity',
  }),
  endpoint('DELETE /_kyclone/entities/{fp_id}/notes/{note_id}', {
    operationId: 'deleteNote',
    isAct: true,
    ...control,
    body: named(
      'DeleteNoteRequest',
      Type.Object({ reason: OptionalReason }, { additionalProperties: false }),
    ),
    bodyOptional: true,
    response: Empty,
    summary: 'Delete a note',
  }),
] as const;
