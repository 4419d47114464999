/** Notes on users and businesses (contract §11). */
import type { AnswerOf, EndpointKey, RequestOf } from '../../contract/registry.ts';
import { timestamp } from '../../kernel/time/clock.ts';
import { ServiceError, invalid } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids/ids.ts';
import { givenReason } from '../../kernel/text/text.ts';
import type { Database } from '../../storage/database.ts';
import { bytes, integer, type RowOf, table, text } from '../../storage/table.ts';
import { unlessDamaged } from '../../vault/envelope.ts';
import { rowSeal } from '../../vault/grants/index.ts';
import { DAMAGED_MASK } from '../../vault/masked.ts';
import { callOfControl } from '../../vault/access-entry.ts';
import { spaceOf } from '../api-keys/service/index.ts';
import { type EntityRow, getEntity } from '../entities/service/index.ts';
import { answer, type Handlers, done, written } from '../handlers.ts';
import type { Needs } from '../needs.ts';

// All SQL of notes. `entity` is the row id of the entity; times are epoch milliseconds.

const NOTES = table(
  'notes',
  {
    /** Increases with each note. */
    seq: integer,
    id: text,
    entity: integer,
    /** Text and operator. */
    sealed_text: bytes,
    created_at: integer,
  },
  { seal: rowSeal('notes') },
);

const isNoteId = NOTES.has<[id: string]>('id = ?');

/** Newest first. Throws `vault_damaged` when another program has changed one. */
const listNotes = NOTES.all<[entity: number]>('WHERE entity = ? ORDER BY seq DESC');

/** Returns 0 when the entity has no note of this id. */
const deleteNote = NOTES.delete<[entity: number, id: string]>('entity = ? AND id = ?');

export type Note = AnswerOf<'GET /_kyclone/entities/{fp_id}/notes'>[number];
type Written = Pick<Note, 'text' | 'operator'>;
const DAMAGED: Written = { text: DAMAGED_MASK, operator: null };

type NoteKeys = Extract<EndpointKey, `${string}/notes` | `${string}/notes/{note_id}`>;

export type Notes = ReturnType<typeof createNotes>;

export function createNotes(context: Needs<'queue' | 'clock' | 'random' | 'privateValues' | 'acts'>) {
  const { queue, clock, random, privateValues, acts } = context;

  function view({ id, sealed_text, created_at }: RowOf<typeof NOTES>): Note {
    const read = () => JSON.parse(privateValues.open('note', id, sealed_text)) as Written;
    return { id, ...(unlessDamaged(read) ?? DAMAGED), created_at: timestamp(created_at) };
  }

  function entityOf(
    database: Database,
    { params, query }: Pick<RequestOf<'GET /_kyclone/entities/{fp_id}/notes'>, 'params' | 'query'>,
  ): EntityRow {
    return getEntity(database, spaceOf(database, query), params.fp_id);
  }

  /** Newest first; a note that doesn't open is marked and hides no other. */
  function all(database: Database, { id }: EntityRow): Note[] {
    return listNotes(database, id).map(view);
  }

  return {
    all,
    handlers: {
      'GET /_kyclone/entities/{fp_id}/notes': (about) =>
        answer(all(queue.database, entityOf(queue.database, about))),

      'POST /_kyclone/entities/{fp_id}/notes': ({ body: { text }, operator, ...about }) => {
        if (givenReason(text) === undefined) throw invalid('text must not be blank');
        return written(queue, (database) => {
          const entity = entityOf(database, about);
          const id = newId('note', random, (taken) => isNoteId(database, taken));
          const written = JSON.stringify({ text, operator } satisfies Written);
          const sealed_text = privateValues.seal('note', id, written);
          const created_at = clock.now();
          const seq = NOTES.next(database, 'seq');
          NOTES.insert(database, { id, entity: entity.id, seq, sealed_text, created_at });
          return { id, text, operator, created_at: timestamp(created_at) };
        });
      },

      'DELETE /_kyclone/entities/{fp_id}/notes/{note_id}': ({ params, query, body, ...by }) =>
        done(
          queue.free((database) => {
            const entity = entityOf(database, { params, query });
            if (deleteNote(database, entity.id, params.note_id) === 0) {
              throw new ServiceError('not_found', 'This entity has no note with this id');
            }
            const act = {
              operation: 'note',
              effect: `deleted ${params.note_id}`,
              reason: body?.reason,
            } as const;
            acts.record(database, callOfControl(by), entity, act);
          }),
        ),
    } satisfies Handlers<NoteKeys>,
  };
}
