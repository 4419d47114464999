/** Notes on users and businesses (contract §11). */
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { timestamp, type Clock } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Randomness } from '../../kernel/random.ts';
import { givenReason } from '../../kernel/reason.ts';
import type { Database } from '../../storage/database.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import { unlessDamaged } from '../../vault/changes.ts';
import { DAMAGED_MASK } from '../../vault/masked.ts';
import type { PrivateValues } from '../../vault/private-values.ts';
import { spaceOf } from '../api-keys/index.ts';
import { getEntity, type EntityRow } from '../entities/index.ts';
import { deleteNote, insertNote, isNoteId, listNotes, type NoteRow } from './repository.ts';

export type Note = AnswerOf<'GET /_kyclone/entities/{fp_id}/notes'>[number];
type Written = Pick<Note, 'text' | 'operator'>;
type About = Pick<RequestOf<'GET /_kyclone/entities/{fp_id}/notes'>, 'params' | 'query'>;
const DAMAGED: Written = { text: DAMAGED_MASK, operator: null };

export interface Notes {
  /** Newest first; a note that doesn't open is marked and hides no other. */
  all(database: Database, entity: EntityRow): Note[];
  list(about: About): Note[];
  create(about: About, written: Written): Promise<Note>;
  /** Throws `not_found` for a note of another entity. */
  remove(about: About, id: string): Promise<void>;
}

export function createNotes(context: {
  readonly queue: WriteQueue;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly privateValues: PrivateValues;
}): Notes {
  const { queue, clock, random, privateValues } = context;

  function view({ id, sealed_text, created_at }: NoteRow): Note {
    const read = () => JSON.parse(privateValues.open('note', id, sealed_text)) as Written;
    return { id, ...(unlessDamaged(read) ?? DAMAGED), created_at: timestamp(created_at) };
  }

  function entityOf(database: Database, { params, query }: About): EntityRow {
    return getEntity(database, spaceOf(database, query), params.fp_id);
  }

  function all(database: Database, { id }: EntityRow): Note[] {
    return listNotes(database, id).map(view);
  }

  return {
    all,
    list: (about) => all(queue.database, entityOf(queue.database, about)),

    create(about, { text, operator }) {
      if (givenReason(text) === undefined)
        throw new ServiceError('invalid_request', 'text must not be blank');
      return queue.write((database) => {
        const entity = entityOf(database, about);
        const id = newId('note', random, (taken) => isNoteId(database, taken));
        const written = JSON.stringify({ text, operator } satisfies Written);
        const sealed_text = privateValues.seal('note', id, written);
        const created_at = clock.now();
        insertNote(database, { id, entity: entity.id, sealed_text, created_at });
        return { id, text, operator, created_at: timestamp(created_at) };
      });
    },

    remove: (about, id) =>
      queue.free((database) => {
        if (deleteNote(database, entityOf(database, about).id, id) > 0) return;
        throw new ServiceError('not_found', 'This entity has no note with this id');
      }),
  };
}
