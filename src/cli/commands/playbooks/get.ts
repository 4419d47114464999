import { BaseCommand } from '../../shell/base-command.ts';
import { playbookArg, type Playbook, playbookView } from '../../playbooks/playbooks.ts';
import { spaceFlags, spaceQuery } from '../../shell/flags.ts';

export default class PlaybooksGet extends BaseCommand<Playbook> {
  static override summary = 'Show a playbook: its requirements and the outcomes of its runs';
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
