import { string } from '@oclif/core/args';
import { BaseCommand } from '../../shell/base-command.ts';
import { entityArg, spaceFlags, spaceQuery, yesFlag } from '../../shell/flags.ts';

export default class NotesDelete extends BaseCommand {
  static override summary = 'Delete a note';
  static override examples = [
    '<%= config.bin %> notes delete fp_id_7p793EF07xKXHqAeg5VGPj note_7p793EF07xKXHqAeg5VGPj --yes',
    '<%= config.bin %> notes delete fp_id_7p793EF07xKXHqAeg5VGPj note_7p793EF07xKXHqAeg5VGPj --dry-run',
  ];
  static override args = {
    ...entityArg,
    note_id: string({ description: 'id of the note (note_…)', required: true }),
  };
  static override flags = { ...yesFlag, ...spaceFlags };

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(NotesDelete);
    await this.confirmLoss('Delete this note');
    const answer = await this.client.call('DELETE /_kyclone/entities/{fp_id}/notes/{note_id}', {
      params: { fp_id: args.fp_id, note_id: args.note_id },
      query: spaceQuery(flags),
    });
    return this.present(answer, () => 'Deleted');
  }
}
