import { string } from '@oclif/core/flags';
import { BaseCommand } from '../../shell/base-command.ts';
import {
  playbookArg,
  playbookFlags,
  playbookSettings,
  type Playbook,
  playbookView,
} from '../../playbooks/playbooks.ts';
import { spaceFlags, spaceQuery } from '../../shell/flags.ts';

export default class PlaybooksUpdate extends BaseCommand<Playbook> {
  static override summary = 'Change a playbook';
  static override description =
    'Changes of its requirements, its rules or its default outcome make a new version. --require replaces all that ' +
    'was required before. A delay of 0 means none.';
  static override examples = [
    '<%= config.bin %> playbooks update pb_test_mine --default-outcome manual_review',
    '<%= config.bin %> playbooks update pb_test_mine --require id.email --require id.ssn9,id.itin --delay 0s',
    '<%= config.bin %> playbooks update pb_test_mine --document id_card --document passport --selfie',
    '<%= config.bin %> playbooks update pb_test_mine --no-selfie --no-document',
  ];
  static override args = playbookArg;
  static override flags = {
    name: string({ summary: 'name of the playbook', helpValue: 'TEXT' }),
    ...playbookFlags,
    ...spaceFlags,
  };

  async run(): Promise<Playbook> {
    const { args, flags } = await this.parse(PlaybooksUpdate);
    const playbook = await this.client.call('PATCH /_kyclone/playbooks/{key}', {
      params: { key: args.key },
      query: spaceQuery(flags),
      body: { ...(flags.name !== undefined && { name: flags.name }), ...playbookSettings(flags) },
    });
    return this.present(playbook, playbookView);
  }
}
