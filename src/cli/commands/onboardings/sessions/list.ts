import { option } from '@oclif/core/flags';
import { SESSION_STATES } from '../../../../contract/facts/onboardings.ts';
import type { AnswerOf } from '../../../../contract/registry.ts';
import { BaseCommand } from '../../../shell/base-command.ts';
import { entityFlag, pageFlags, pageQuery, spaceFlags, spaceQuery } from '../../../shell/flags.ts';
import { sessionListView } from '../../../onboardings/sessions.ts';

type Sessions = AnswerOf<'GET /_kyclone/sessions'>;

export default class OnboardingsSessionsList extends BaseCommand<Sessions> {
  static override summary = 'List hosted flows, newest first, without their tokens';
  static override examples = [
    '<%= config.bin %> onboardings sessions list --state open',
    '<%= config.bin %> onboardings sessions list --entity fp_id_7p793EF07xKXHqAeg5VGPj --json',
  ];
  static override flags = {
    state: option({
      summary: 'only those in this state',
      options: SESSION_STATES,
    })(),
    entity: entityFlag('only those of this user or business'),
    ...pageFlags,
    ...spaceFlags,
  };

  async run(): Promise<Sessions> {
    const { flags } = await this.parse(OnboardingsSessionsList);
    const { state, entity: fp_id } = flags;
    const query = { state, fp_id, ...pageQuery(flags), ...spaceQuery(flags) };
    return this.present(await this.client.call('GET /_kyclone/sessions', { query }), sessionListView);
  }
}
