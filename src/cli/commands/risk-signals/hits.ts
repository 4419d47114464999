import { string } from '@oclif/core/flags';
import { BaseCommand } from '../../shell/base-command.ts';
import { entityArg, spaceFlags, spaceQuery } from '../../shell/flags.ts';
import { hitListView, type Hit } from '../../risk-signals/hits.ts';

export default class RiskSignalsHits extends BaseCommand<Hit[]> {
  static override summary = 'List the watchlist and media hits of a run, with the decision about each';
  static override description =
    'The run is the latest onboarding that is finished, unless --onboarding names one. Lists, names and scores are ' +
    'made up: no real list is searched.';
  static override examples = [
    '<%= config.bin %> risk-signals hits fp_id_7p793EF07xKXHqAeg5VGPj',
    '<%= config.bin %> risk-signals hits fp_id_7p793EF07xKXHqAeg5VGPj --onboarding ob_7p793EF07xKXHqAeg5VGPj --json',
  ];
  static override args = entityArg;
  static override flags = {
    onboarding: string({ summary: 'of this onboarding', helpValue: 'ID' }),
    ...spaceFlags,
  };

  async run(): Promise<Hit[]> {
    const { args, flags } = await this.parse(RiskSignalsHits);
    const hits = await this.client.call('GET /_kyclone/entities/{fp_id}/hits', {
      params: { fp_id: args.fp_id },
      query: { ...spaceQuery(flags), onboarding_id: flags.onboarding },
    });
    return this.present(hits, hitListView);
  }
}
