import { BaseCommand } from '../../shell/base-command.ts';
import { yesFlag, spaceFlags, spaceQuery } from '../../shell/flags.ts';
import { playbookArg } from '../../playbooks/playbooks.ts';
import { deletedView } from '../../entities/view.ts';

export default class PlaybooksDelete extends BaseCommand {
  static override summary = 'Delete a playbook that has no open onboardings';
  static override examples = [
    '<%= config.bin %> playbooks delete pb_test_mine --yes',
    '<%= config.bin %> playbooks delete pb_test_mine --dry-run',
  ];
  static override args = playbookArg;
  static override flags = { ...yesFlag, ...spaceFlags };

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(PlaybooksDelete);
    await this.confirmLoss('Delete this playbook');
    const answer = await this.client.call('DELETE /_kyclone/playbooks/{key}', {
      params: { key: args.key },
      query: spaceQuery(flags),
    });
    return this.present(answer, deletedView);
  }
}
