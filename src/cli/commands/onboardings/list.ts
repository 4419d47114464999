import { entityEndpoint } from '../../../client/entity-endpoint.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { entityArg, liveFlag, offsetFlags, offsetQuery } from '../../shell/flags.ts';
import { onboardingListView } from '../../onboardings/view.ts';

type Onboardings = AnswerOf<'GET /users/{fp_id}/onboardings'>;

export default class OnboardingsList extends BaseCommand<Onboardings> {
  static override summary =
    'List the onboardings of a user or business, newest first, without incomplete ones';
  static override examples = [
    '<%= config.bin %> onboardings list fp_id_7p793EF07xKXHqAeg5VGPj',
    '<%= config.bin %> onboardings list fp_bid_7p793EF07xKXHqAeg5VGPj --page 1 --page-size 50 --json',
  ];
  static override args = entityArg;
  static override flags = { ...offsetFlags, ...liveFlag };

  async run(): Promise<Onboardings> {
    const { args, flags } = await this.parse(OnboardingsList);
    const { fp_id: id } = args;
    const query = offsetQuery(flags);
    const endpoint = entityEndpoint('GET /{entity}/onboardings', id);
    const onboardings = await this.client.call(endpoint.key, { params: endpoint.params, query });
    return this.present(onboardings, onboardingListView);
  }
}
