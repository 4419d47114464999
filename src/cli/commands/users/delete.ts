import { BaseCommand } from '../../shell/base-command.ts';
import { userArg, liveFlag, yesFlag } from '../../shell/flags.ts';
import { deletedView } from '../../entities/view.ts';

export default class UsersDelete extends BaseCommand {
  static override summary = 'Delete a user and shred its vault; this cannot be undone';
  static override examples = [
    '<%= config.bin %> users delete fp_id_7p793EF07xKXHqAeg5VGPj --yes',
    '<%= config.bin %> users delete fp_id_7p793EF07xKXHqAeg5VGPj --dry-run',
  ];
  static override args = userArg;
  static override flags = { ...yesFlag, ...liveFlag };

  async run(): Promise<unknown> {
    const { args } = await this.parse(UsersDelete);
    await this.confirmLoss(`Delete user ${args.fp_id} and all its data`);
    const answer = await this.client.call('DELETE /users/{fp_id}', { params: { fp_id: args.fp_id } });
    return this.present(answer, deletedView);
  }
}
