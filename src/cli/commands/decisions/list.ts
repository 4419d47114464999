import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { isBusinessId } from '../../shell/entity-names.ts';
import { entityArg, liveFlag } from '../../shell/flags.ts';
import { offsetFlags, offsetQuery } from '../../shell/offset-pages.ts';
import { decisionListView } from '../../decisions/view.ts';

type Decisions = AnswerOf<'GET /users/{fp_id}/decisions'>;

export default class DecisionsList extends BaseCommand<Decisions> {
  static override summary =
    'List what was decided about a user or business, by runs and by hand, newest first';
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
    const decisions = isBusinessId(id)
      ? await this.client.call('GET /businesses/{fp_bid}/decisions', { params: { fp_bid: id }, query })
      : await this.client.call('GET /users/{fp_id}/decisions', { params: { fp_id: id }, query });
    return this.present(decisions, decisionListView);
  }
}
