import { string } from '@oclif/core/args';
import type { AnswerOf } from '../../contract/registry.ts';
import { derived } from '../../cli/shell/derived.ts';
import { readLine } from '../../cli/shell/fields.ts';
import { entityArg, spaceFlags, yesFlag, whyFlag } from '../../cli/shell/flags.ts';
import { listView, shortTime } from '../../cli/shell/layout.ts';

const noteListView = listView<AnswerOf<'GET /_kyclone/entities/{fp_id}/notes'>>('No notes', [
  ['AT (UTC)', ({ created_at }) => shortTime(created_at), 1],
  ['BY', 'operator', 2],
  ['NOTE', 'text'],
  ['ID', 'id'],
]);

export default {
  'notes:create': derived('POST /_kyclone/entities/{fp_id}/notes', {
    summary: 'Write a note on a user or business, with operator (--as) and time',
    description:
      'Everyone who opens the case can read it. It is stored sealed, and deleted with the user or business.',
    examples: ['fp_id_… "moved, papers follow" --as Ada', 'fp_bid_… - < reasons.txt'],
    args: {
      ...entityArg,
      text: string({ description: 'the note: the text, @FILE, or - for stdin', required: true }),
    },
    flags: spaceFlags,
    send: async ({ args }, { input }) => ({ text: await readLine(args.text, input) }),
    view: (note, style) => noteListView([note], style),
  }),
  'notes:delete': derived('DELETE /_kyclone/entities/{fp_id}/notes/{note_id}', {
    summary: 'Delete a note',
    examples: ['fp_id_… note_… --yes --reason "wrong person"', 'fp_id_… note_… --dry-run'],
    args: { ...entityArg, note_id: string({ description: 'id of the note (note_…)', required: true }) },
    flags: { ...whyFlag, ...yesFlag, ...spaceFlags },
    confirm: 'Delete this note',
  }),
  'notes:list': derived('GET /_kyclone/entities/{fp_id}/notes', {
    summary: 'List the notes on a user or business, newest first',
    examples: ['fp_id_…', 'fp_bid_… --json'],
    args: entityArg,
    flags: spaceFlags,
    view: noteListView,
  }),
};
