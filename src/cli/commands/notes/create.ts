import { string } from '@oclif/core/args';
import { BaseCommand } from '../../shell/base-command.ts';
import { readText } from '../../shell/fields.ts';
import { entityArg, spaceFlags, spaceQuery } from '../../shell/flags.ts';
import { withoutFinalNewline } from '../../shell/input.ts';
import { noteView, type Note } from '../../notes/view.ts';

export default class NotesCreate extends BaseCommand<Note> {
  static override summary = 'Write a note on a user or business, with operator (--as) and time';
  static override description =
    'Everyone who opens the case can read it. It is stored sealed, and deleted with the user or business.';
  static override examples = [
    '<%= config.bin %> notes create fp_id_7p793EF07xKXHqAeg5VGPj "moved, papers follow" --as Ada',
    '<%= config.bin %> notes create fp_bid_7p793EF07xKXHqAeg5VGPj - < reasons.txt',
  ];
  static override args = {
    ...entityArg,
    text: string({ description: 'the note: the text, @FILE, or - for stdin', required: true }),
  };
  static override flags = spaceFlags;

  async run(): Promise<Note> {
    const { args, flags } = await this.parse(NotesCreate);
    const text = withoutFinalNewline(await readText(args.text, this.input));
    const note = await this.client.call('POST /_kyclone/entities/{fp_id}/notes', {
      params: { fp_id: args.fp_id },
      query: spaceQuery(flags),
      body: { text },
    });
    return this.present(note, noteView);
  }
}
