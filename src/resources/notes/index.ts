import type { EndpointKey } from '../../contract/registry.ts';
import { answer, type Handlers } from '../handlers.ts';
import type { Notes } from './service.ts';

export { createNotes, type Note, type Notes } from './service.ts';

type NoteKeys = Extract<EndpointKey, `${string}/notes` | `${string}/notes/{note_id}`>;

export function noteHandlers(notes: Notes): Handlers<NoteKeys> {
  return {
    'GET /_kyclone/entities/{fp_id}/notes': (request) => answer(notes.list(request)),
    'POST /_kyclone/entities/{fp_id}/notes': async ({ body, operator, ...about }) =>
      answer(await notes.create(about, { text: body.text, operator })),
    'DELETE /_kyclone/entities/{fp_id}/notes/{note_id}': async (request) => {
      await notes.remove(request, request.params.note_id);
      return answer({});
    },
  };
}
