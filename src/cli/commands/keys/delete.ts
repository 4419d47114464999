import { string } from '@oclif/core/args';
import { BaseCommand } from '../../shell/base-command.ts';
import { yesFlag } from '../../shell/flags.ts';

export default class KeysDelete extends BaseCommand {
  static override aliases = ['keys:revoke'];
  static override summary = 'Delete an API key; requests that use it are refused from then on';
  static override examples = [
    '<%= config.bin %> keys delete key_7p793EF07xKXHqAeg5VGPj --yes',
    '<%= config.bin %> keys delete key_7p793EF07xKXHqAeg5VGPj --yes --json',
  ];
  static override args = {
    id: string({ description: 'id of the key (key_…), not the key', required: true }),
  };
  static override flags = yesFlag;

  async run(): Promise<unknown> {
    const { args } = await this.parse(KeysDelete);
    await this.confirmLoss('Delete this API key');
    const answer = await this.client.call('DELETE /_kyclone/api-keys/{id}', { params: { id: args.id } });
    return this.present(answer, () => 'Deleted');
  }
}
