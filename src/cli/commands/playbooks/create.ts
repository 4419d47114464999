import { string as stringArg } from '@oclif/core/args';
import { option, string } from '@oclif/core/flags';
import { PLAYBOOK_KINDS } from '../../../contract/facts/onboardings.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { playbookFlags, playbookSettings, type Playbook, playbookView } from '../../playbooks/playbooks.ts';
import { spaceFlags, spaceQuery } from '../../shell/flags.ts';

export default class PlaybooksCreate extends BaseCommand<Playbook> {
  static override summary = 'Create a playbook';
  static override description =
    'Without --require a kyc or kyb playbook requires what the default one does. In the sandbox, unless --live.';
  static override examples = [
    '<%= config.bin %> playbooks create "Light KYC" --kind kyc --require id.first_name --require id.ssn9,id.ssn4',
    '<%= config.bin %> playbooks create "Slow KYB" --kind kyb --key pb_test_slow --delay 2m --default-outcome fail',
    '<%= config.bin %> playbooks create Passports --kind document --document passport --selfie',
    '<%= config.bin %> playbooks create "KYC with a bank" --kind kyc --bank-link',
    '<%= config.bin %> playbooks create Owners --kind kyb --collects-owners --owners-playbook pb_test_kycdefault000000000000',
  ];
  static override args = { name: stringArg({ description: 'name of the playbook', required: true }) };
  static override flags = {
    kind: option({ summary: 'kind of the playbook', options: PLAYBOOK_KINDS, required: true })(),
    key: string({ summary: 'a key of your choice (default: a generated one)', helpValue: 'KEY' }),
    ...playbookFlags,
    ...spaceFlags,
  };

  async run(): Promise<Playbook> {
    const { args, flags } = await this.parse(PlaybooksCreate);
    const { kind, key } = flags;
    const body = {
      name: args.name,
      kind,
      ...(key !== undefined && { key }),
      ...playbookSettings(flags),
    };
    const query = spaceQuery(flags);
    return this.present(await this.client.call('POST /_kyclone/playbooks', { query, body }), playbookView);
  }
}
