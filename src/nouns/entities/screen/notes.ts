/** The notes of support staff, newest first (contract §11). */
import { shortTime } from '../../../kernel/text/terminal-text.ts';
import { type Inspection, itemsOf } from './inspection.ts';

export const NOTES = 'Notes';

export const notes = itemsOf((entity: Inspection) => entity.notes, {
  title: NOTES,
  columns: [
    { heading: 'AT (UTC)', cell: ({ created_at: at }) => shortTime(at) },
    { heading: 'BY', drop: 2, cell: 'operator' },
    { heading: 'NOTE', grows: true, cell: 'text' },
    { heading: 'ID', drop: 1, cell: 'id' },
  ],
  empty: 'No notes: N writes one',
  offers: ['note'],
  changesWith: ['request'],
  row: ({ id, text }, ways) => ({
    id,
    ...ways.copies(['notes', 'list', ways.fp_id], ways.inspection),
    subject: { kind: 'note', fp_id: ways.fp_id, owner: ways.kind, id, text },
  }),
});
