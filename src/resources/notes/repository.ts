/** All SQL of notes. `entity` is the row id of the entity; times are epoch milliseconds. */
import type { Database } from '../../storage/database.ts';
import { scalarStatement, statement } from '../../storage/statement.ts';
import { requireSeal, sealOf } from '../../vault/grants/index.ts';

export interface NoteRow {
  /** Increases with each note. */
  readonly seq: number;
  readonly id: string;
  readonly entity: number;
  /** Text and operator. */
  readonly sealed_text: Uint8Array;
  readonly created_at: number;
  readonly seal: Uint8Array;
}

export function isNoteId(database: Database, id: string): boolean {
  return scalarStatement<[string], 1>('SELECT 1 FROM notes WHERE id = ?').get(database, id) !== undefined;
}

export function insertNote(database: Database, note: Omit<NoteRow, 'seq' | 'seal'>): void {
  // Chosen here as SQLite would, since the seal covers it.
  const seq = scalarStatement<[], number>('SELECT coalesce(max(seq), 0) + 1 FROM notes').one(database);
  const row = { ...note, seq };
  statement<NoteRow>(`INSERT INTO notes (seq, id, entity, sealed_text, created_at, seal)
     VALUES (@seq, @id, @entity, @sealed_text, @created_at, @seal)`).run(database, {
    ...row,
    seal: sealOf(database, 'notes', row),
  });
}

/** Newest first. Throws `vault_damaged` when another program has changed one. */
export function listNotes(database: Database, entity: number): NoteRow[] {
  const rows = statement<[number], NoteRow>('SELECT * FROM notes WHERE entity = ? ORDER BY seq DESC').all(
    database,
    entity,
  );
  for (const row of rows) requireSeal(database, 'notes', row, row.seal);
  return rows;
}

/** Returns false when the entity has no note of this id. */
export function deleteNote(database: Database, entity: number, id: string): boolean {
  const { changes } = statement<[number, string]>('DELETE FROM notes WHERE entity = ? AND id = ?').run(
    database,
    entity,
    id,
  );
  return changes === 1;
}
