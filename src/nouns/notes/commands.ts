import { string } from '@oclif/core/args';
import type { AnswerOf } from '../../contract/registry.ts';
import { derived } from '../../cli/shell/derived.ts';
import { readText } from '../../cli/shell/fields.ts';
import { entityArg, spaceFlags, yesFlag, whyFlag } from '../../cli/shell/flags.ts';
import { withoutFinalNewline } from '../../cli/shell/input.ts';
import { shortTime, table } from '../../cli/shell/layout.ts';
import type { Style } from '../../cli/shell/output.ts';

export default {
  'notes:create': derived('POST /_kyclone/entities/{fp_id}/notes', {
    summary: 'Write a note on a user or business, with operator (--as) and time',
    description:
      'Everyone who opens the case can read it. It is stored sealed, and deleted with the user or business.',
    examples: [
      'notes create fp_id_7p793EF07xKXHqAeg5VGPj "moved, papers follow" --as Ada',
      'notes create fp_bid_7p793EF07xKXHqAeg5VGPj - < reasons.txt',
    ],
    args: {
      ...entityArg,
      text: string({ description: 'the note: the text, @FILE, or - for stdin', required: true }),
    },
    flags: spaceFlags,
    send: async ({ args }, { input }) => ({ text: withoutFinalNewline(await readText(args.text, input)) }),
    view: noteView,
  }),
  'notes:delete': derived('DELETE /_kyclone/entities/{fp_id}/notes/{note_id}', {
    summary: 'Delete a note',
    examples: [
      'notes delete fp_id_7p793EF07xKXHqAeg5VGPj note_7p793EF07xKXHqAeg5VGPj --yes --reason "wrong person"',
      'notes delete fp_id_7p793EF07xKXHqAeg5VGPj note_7p793EF07xKXHqAeg5VGPj --dry-run',
    ],
    args: { ...entityArg, note_id: string({ description: 'id of the note (note_…)', required: true }) },
    flags: { ...whyFlag, ...yesFlag, ...spaceFlags },
    confirm: 'Delete this note',
    view: () => 'Deleted',
  }),
  'notes:list': derived('GET /_kyclone/entities/{fp_id}/notes', {
    summary: 'List the notes on a user or business, newest first',
    examples: ['notes list fp_id_7p793EF07xKXHqAeg5VGPj', 'notes list fp_bid_7p793EF07xKXHqAeg5VGPj --json'],
    args: entityArg,
    flags: spaceFlags,
    view: noteListView,
  }),
};

type Note = AnswerOf<'GET /_kyclone/entities/{fp_id}/notes'>[number];

function noteListView(notes: readonly Note[], style: Style): string {
  const rows = notes.map(({ created_at, operator, text, id }) => [shortTime(created_at), operator, text, id]);
  return table(
    [{ text: 'AT (UTC)', drop: 1 }, { text: 'BY', drop: 2 }, 'NOTE', 'ID'],
    rows,
    style,
    'No notes',
  );
}

function noteView(note: Note, style: Style): string {
  return noteListView([note], style);
}
