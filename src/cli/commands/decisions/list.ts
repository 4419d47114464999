import { entityEndpoint } from '../../../client/entity-endpoint.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { entityArg, liveFlag, offsetFlags, offsetQuery } from '../../shell/flags.ts';
import { decisionListView } from '../../decisions/view.ts';

type Decisions = AnswerOf<'GET /users/{fp_id}/decisions'>;

export default class DecisionsList extends BaseCommand<Decisions> {
  static override summary =
    'List the decisions about a user or business, from runs and manual ones, newest first';
  static override description =
    'Manual decisions are listed here and in the timeline, with reviewer and reason; audit list shows who read what.';
  static override examples = [
    '<%= config.bin %> decisions list fp_id_7p793EF07xKXHqAeg5VGPj',
    '<%= config.bin %> decisions list fp_bid_7p793EF07xKXHqAeg5VGPj --page 1 --json',
  ];
  static override args = entityArg;
  static override flags = { ...offsetFlags, ...liveFlag };

  async run(): Promise<Decisions> {
    const { args, flags } = await this.parse(DecisionsList);
    const { fp_id: id } = args;
    const query = offsetQuery(flags);
    const endpoint = entityEndpoint('GET /{entity}/decisions', id);
    const decisions = await this.client.call(endpoint.key, { params: endpoint.params, query });
    return this.present(decisions, decisionListView);
  }
}
