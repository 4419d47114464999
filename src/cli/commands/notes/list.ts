import { BaseCommand } from '../../shell/base-command.ts';
import { entityArg, spaceFlags, spaceQuery } from '../../shell/flags.ts';
import { noteListView, type Note } from '../../notes/view.ts';

export default class NotesList extends BaseCommand<Note[]> {
  static override summary = 'List the notes on a user or business, newest first';
  static override examples = [
    '<%= config.bin %> notes list fp_id_7p793EF07xKXHqAeg5VGPj',
    '<%= config.bin %> notes list fp_bid_7p793EF07xKXHqAeg5VGPj --json',
  ];
  static override args = entityArg;
  static override flags = spaceFlags;

  async run(): Promise<Note[]> {
    const { args, flags } = await this.parse(NotesList);
    const notes = await this.client.call('GET /_kyclone/entities/{fp_id}/notes', {
      params: { fp_id: args.fp_id },
      query: spaceQuery(flags),
    });
    return this.present(notes, noteListView);
  }
}
