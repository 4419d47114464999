import { option } from '@oclif/core/flags';
import { PLAYBOOK_KINDS } from '../../../contract/facts/onboardings.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { pageFlags, pageQuery, spaceFlags, spaceQuery } from '../../shell/flags.ts';
import { playbookListView } from '../../playbooks/playbooks.ts';

type Playbooks = AnswerOf<'GET /_kyclone/playbooks'>;

export default class PlaybooksList extends BaseCommand<Playbooks> {
  static override summary = 'List playbooks, newest first: what users and businesses are onboarded onto';
  static override examples = [
    '<%= config.bin %> playbooks list',
    '<%= config.bin %> playbooks list --kind kyb --live --json',
  ];
  static override flags = {
    kind: option({ summary: 'only those of this kind', options: PLAYBOOK_KINDS })(),
    ...pageFlags,
    ...spaceFlags,
  };

  async run(): Promise<Playbooks> {
    const { flags } = await this.parse(PlaybooksList);
    const query = { kind: flags.kind, ...pageQuery(flags), ...spaceQuery(flags) };
    return this.present(await this.client.call('GET /_kyclone/playbooks', { query }), playbookListView);
  }
}
