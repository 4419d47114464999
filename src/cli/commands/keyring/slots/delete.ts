import { string } from '@oclif/core/args';
import { BaseCommand } from '../../../shell/base-command.ts';
import { yesFlag } from '../../../shell/flags.ts';

export default class KeyringSlotsDelete extends BaseCommand {
  static override aliases = ['keyring:remove-slot'];
  static override summary = 'Delete a slot, a way to open the vault; the last one stays';
  static override examples = [
    '<%= config.bin %> keyring slots delete 2 --yes',
    '<%= config.bin %> keyring slots delete 2 --dry-run',
  ];
  static override args = {
    id: string({ description: 'id of the slot, as keyring status shows it', required: true }),
  };
  static override flags = yesFlag;

  async run(): Promise<unknown> {
    const { args } = await this.parse(KeyringSlotsDelete);
    await this.confirmLoss('Delete this slot');
    const answer = await this.client.call('DELETE /_kyclone/keyring/slots/{id}', { params: { id: args.id } });
    return this.present(answer, () => 'Deleted');
  }
}
