/** The notes of support staff, newest first (contract §11). */
import { shortTime } from '../../../kernel/terminal-text.ts';
import { partOf } from './inspection.ts';

export const NOTES = 'Notes';

export const notes = partOf({
  title: NOTES,
  columns: [
    { heading: 'AT (UTC)' },
    { heading: 'BY', drop: 2 },
    { heading: 'NOTE', grows: true },
    { heading: 'ID', drop: 1 },
  ],
  empty: 'No notes: N writes one',
  offers: ['note'],
  changesWith: ['request'],
  page: ({ notes: written }, ways) => ({
    rows: written.map(({ id, text, operator, created_at }) => ({
      key: id,
      cells: [shortTime(created_at), operator ?? '-', text, id],
      id,
      data: { id, text, operator, created_at },
      command: ways.command('notes', 'list', ways.fp_id),
      call: ways.inspection,
      subject: { kind: 'note', fp_id: ways.fp_id, owner: ways.kind, id, text },
    })),
  }),
});
