import { entityEndpoint } from '../../../client/entity-endpoint.ts';
import { string } from '@oclif/core/flags';
import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { entityArg, liveFlag } from '../../shell/flags.ts';
import { hasHits } from '../../risk-signals/hits.ts';
import { signalListView } from '../../risk-signals/view.ts';

type Signals = AnswerOf<'GET /users/{fp_id}/risk_signals'>;

export default class RiskSignalsList extends BaseCommand<Signals> {
  static override summary = 'List the findings of a run about a user or business, most severe first';
  static override description =
    'The run is the latest onboarding that is finished, unless --onboarding names one. Hits of watchlists ' +
    'and media follow, with the decision about each.';
  static override examples = [
    '<%= config.bin %> risk-signals list fp_id_7p793EF07xKXHqAeg5VGPj',
    '<%= config.bin %> risk-signals list fp_bid_7p793EF07xKXHqAeg5VGPj --onboarding ob_7p793EF07xKXHqAeg5VGPj --json',
  ];
  static override args = entityArg;
  static override flags = {
    onboarding: string({ summary: 'of this onboarding', helpValue: 'ID' }),
    ...liveFlag,
  };

  async run(): Promise<Signals> {
    const { args, flags } = await this.parse(RiskSignalsList);
    const { fp_id } = args;
    const signals = await this.signals(fp_id, flags.onboarding);
    if (!this.isForPeople || !hasHits(signals)) return this.present(signals, signalListView);
    const hits = await this.client.call('GET /_kyclone/entities/{fp_id}/hits', {
      params: { fp_id },
      query: { environment: flags.live ? 'live' : undefined, onboarding_id: flags.onboarding },
    });
    return this.present(signals, (shown, style) => signalListView(shown, style, hits));
  }

  private async signals(id: string, onboarding: string | undefined): Promise<Signals> {
    if (onboarding === undefined) {
      const { key, params } = entityEndpoint('GET /{entity}/risk_signals', id);
      return await this.client.call(key, { params });
    }
    const { key, params } = entityEndpoint('GET /{entity}/onboardings/{onboarding_id}/risk_signals', id);
    return await this.client.call(key, { params: { ...params, onboarding_id: onboarding } });
  }
}
