import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { pageFlags, pageQuery, spaceFlags, spaceQuery } from '../../shell/flags.ts';
import { outcomeListView } from '../../outcomes/outcomes.ts';

type Outcomes = AnswerOf<'GET /_kyclone/outcomes'>;

export default class OutcomesList extends BaseCommand<Outcomes> {
  static override summary = 'List outcome rules, in the order of application';
  static override examples = ['<%= config.bin %> outcomes list', '<%= config.bin %> outcomes list --json'];
  static override flags = { ...pageFlags, ...spaceFlags };

  async run(): Promise<Outcomes> {
    const { flags } = await this.parse(OutcomesList);
    const query = { ...pageQuery(flags), ...spaceQuery(flags) };
    return this.present(await this.client.call('GET /_kyclone/outcomes', { query }), outcomeListView);
  }
}
