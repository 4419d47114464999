import { option as optionArg } from '@oclif/core/args';
import { option, string } from '@oclif/core/flags';
import { HIT_CODES, HIT_DECISIONS } from '../../../contract/facts/cases.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { entityArg, reasonFlag, reasonOf, spaceFlags, spaceQuery } from '../../shell/flags.ts';
import { hitView, type Hit } from '../../risk-signals/hits.ts';

export default class RiskSignalsReview extends BaseCommand<Hit> {
  static override summary = 'Decide whether a watchlist or media hit is a false positive or confirmed';
  static override description =
    'The decision is kept with reason, operator (--as) and time; the last one counts. Status and review of the person ' +
    'do not change: decisions create changes them.';
  static override examples = [
    '<%= config.bin %> risk-signals review fp_id_7p793EF07xKXHqAeg5VGPj watchlist_hit_ofac --as Ada ' +
      '--decision false_positive --reason "another date of birth"',
    '<%= config.bin %> risk-signals review fp_id_7p793EF07xKXHqAeg5VGPj adverse_media_hit ' +
      '--onboarding ob_7p793EF07xKXHqAeg5VGPj --decision confirmed --reason "the same photo"',
  ];
  static override args = {
    ...entityArg,
    signal: optionArg({ description: `code of the signal: ${HIT_CODES.join(', ')}`, options: HIT_CODES })({
      required: true,
    }),
  };
  static override flags = {
    decision: option({ summary: 'the decision about the hit', options: HIT_DECISIONS })({ required: true }),
    reason: reasonFlag({ summary: 'why; asked for on a terminal' }),
    onboarding: string({
      summary: 'the hit of this onboarding (default: the latest finished)',
      helpValue: 'ID',
    }),
    ...spaceFlags,
  };

  async run(): Promise<Hit> {
    const { args, flags } = await this.parse(RiskSignalsReview);
    const reason = await reasonOf(flags.reason, this.input);
    const hit = await this.client.call('POST /_kyclone/entities/{fp_id}/hits/{reason_code}/review', {
      params: { fp_id: args.fp_id, reason_code: args.signal },
      query: spaceQuery(flags),
      body: {
        decision: flags.decision,
        reason,
        ...(flags.onboarding !== undefined && { onboarding_id: flags.onboarding }),
      },
    });
    return this.present(hit, hitView);
  }
}
