import type { AnswerOf } from '../../contract/registry.ts';
import { shortTime, table } from '../shell/layout.ts';
import type { Style } from '../shell/output.ts';

export type Note = AnswerOf<'GET /_kyclone/entities/{fp_id}/notes'>[number];

export function noteListView(notes: readonly Note[], style: Style): string {
  const rows = notes.map(({ created_at, operator, text, id }) => [shortTime(created_at), operator, text, id]);
  return table(
    [{ text: 'AT (UTC)', drop: 1 }, { text: 'BY', drop: 2 }, 'NOTE', 'ID'],
    rows,
    style,
    'No notes',
  );
}

export function noteView(note: Note, style: Style): string {
  return noteListView([note], style);
}
