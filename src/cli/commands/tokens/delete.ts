import { string } from '@oclif/core/args';
import { BaseCommand } from '../../shell/base-command.ts';
import { yesFlag } from '../../shell/flags.ts';

export default class TokensDelete extends BaseCommand {
  static override aliases = ['tokens:revoke'];
  static override summary = 'Delete a client token; requests with it are refused from then on';
  static override examples = [
    '<%= config.bin %> tokens delete tok_7p793EF07xKXHqAeg5VGPj --yes',
    '<%= config.bin %> tokens delete tok_7p793EF07xKXHqAeg5VGPj --dry-run',
  ];
  static override args = {
    id: string({ description: 'id of the token (tok_…), not the token', required: true }),
  };
  static override flags = yesFlag;

  async run(): Promise<unknown> {
    const { args } = await this.parse(TokensDelete);
    await this.confirmLoss('Delete this client token');
    const answer = await this.client.call('DELETE /_kyclone/tokens/{id}', { params: { id: args.id } });
    return this.present(answer, () => 'Deleted');
  }
}
