/** All SQL of notes. `entity` is the row id of the entity; times are epoch milliseconds. */
import type { Database } from '../../storage/database.ts';
import { bytes, integer, table, text, type RowOf } from '../../storage/table.ts';
import { rowSeal } from '../../vault/grants/index.ts';

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

export type NoteRow = RowOf<typeof NOTES>;

export const isNoteId = NOTES.has<[id: string]>('id = ?');

export function insertNote(database: Database, note: Omit<NoteRow, 'seq' | 'seal'>): void {
  NOTES.insert(database, { ...note, seq: NOTES.next(database, 'seq') });
}

/** Newest first. Throws `vault_damaged` when another program has changed one. */
export const listNotes = NOTES.all<[entity: number]>('WHERE entity = ? ORDER BY seq DESC');

/** Returns 0 when the entity has no note of this id. */
export const deleteNote = NOTES.delete<[entity: number, id: string]>('entity = ? AND id = ?');
