import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { pageFlags, pageQuery } from '../../shell/flags.ts';
import { spaceFlags, spaceQuery } from '../../shell/space.ts';
import { outcomeListView } from '../../outcomes/view.ts';

type Outcomes = AnswerOf<'GET /_kyclone/outcomes'>;

export default class OutcomesList extends BaseCommand<Outcomes> {
  static override summary =
    'List the rules that decide what runs come to, in the order in which they are asked';
  static override examples = ['<%= config.bin %> outcomes list', '<%= config.bin %> outcomes list --json'];
  static override flags = { ...pageFlags, ...spaceFlags };

  async run(): Promise<Outcomes> {
    const { flags } = await this.parse(OutcomesList);
    const query = { ...pageQuery(flags), ...spaceQuery(flags) };
    return this.present(await this.client.call('GET /_kyclone/outcomes', { query }), outcomeListView);
  }
}
