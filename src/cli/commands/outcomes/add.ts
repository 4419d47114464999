import { boolean } from '@oclif/core/flags';
import { BaseCommand } from '../../shell/base-command.ts';
import { UsageError } from '../../shell/failure.ts';
import { outcomeArg } from '../../onboardings/words.ts';
import { MATCH_HELP, ruleFlags, ruleMatch, ruleSettings, type OutcomeRule } from '../../outcomes/flags.ts';
import { spaceFlags, spaceQuery } from '../../shell/space.ts';
import { outcomeRuleView } from '../../outcomes/view.ts';

export default class OutcomesAdd extends BaseCommand<OutcomeRule> {
  static override summary = 'Decide what the runs that match come to';
  static override description = MATCH_HELP;
  static override examples = [
    '<%= config.bin %> outcomes add manual_review --external-id "vip-*" --add-signal watchlist_hit_ofac',
    '<%= config.bin %> outcomes add fail --where id.last_name=Oyelaran --times 1',
    '<%= config.bin %> outcomes add pass --kind kyb --delay 2m --priority 0',
  ];
  static override args = outcomeArg;
  static override flags = {
    ...ruleFlags,
    disabled: boolean({ summary: 'leave it out until it is enabled' }),
    ...spaceFlags,
  };

  async run(): Promise<OutcomeRule> {
    const { args, flags } = await this.parse(OutcomesAdd);
    const match = await ruleMatch(flags, this.input);
    if (!match) throw new UsageError('Which runs? --playbook, --external-id or another flag is to say so');
    const { outcome } = args;
    const body = { match, outcome, ...ruleSettings(flags), ...(flags.disabled && { enabled: false }) };
    const query = spaceQuery(flags);
    return this.present(await this.client.call('POST /_kyclone/outcomes', { query, body }), outcomeRuleView);
  }
}
