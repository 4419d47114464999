import { BaseCommand } from '../../shell/base-command.ts';
import { playbookArg, type Playbook } from '../../playbooks/flags.ts';
import { spaceFlags, spaceQuery } from '../../shell/space.ts';
import { playbookView } from '../../playbooks/view.ts';

export default class PlaybooksGet extends BaseCommand<Playbook> {
  static override summary = 'Show a playbook: what it requires and what its runs come to';
  static override examples = [
    '<%= config.bin %> playbooks get pb_test_kycdefault000000000000',
    '<%= config.bin %> playbooks get pb_test_kybdefault000000000000 --output yaml',
  ];
  static override args = playbookArg;
  static override flags = spaceFlags;

  async run(): Promise<Playbook> {
    const { args, flags } = await this.parse(PlaybooksGet);
    const playbook = await this.client.call('GET /_kyclone/playbooks/{key}', {
      params: { key: args.key },
      query: spaceQuery(flags),
    });
    return this.present(playbook, playbookView);
  }
}
