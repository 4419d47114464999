import { boolean } from '@oclif/core/flags';
import { BaseCommand } from '../../shell/base-command.ts';
import { UsageError } from '../../shell/failure.ts';
import { outcomeArg } from '../../onboardings/runs.ts';
import {
  MATCH_HELP,
  ruleFlags,
  ruleMatch,
  ruleSettings,
  type OutcomeRule,
  outcomeRuleView,
} from '../../outcomes/outcomes.ts';
import { spaceFlags, spaceQuery } from '../../shell/flags.ts';

export default class OutcomesCreate extends BaseCommand<OutcomeRule> {
  static override aliases = ['outcomes:add'];
  static override summary = 'Create a rule that decides the outcome of matching runs';
  static override description = MATCH_HELP;
  static override examples = [
    '<%= config.bin %> outcomes create manual_review --external-id "vip-*" --add-signal watchlist_hit_ofac',
    '<%= config.bin %> outcomes create fail --where id.last_name=Oyelaran --times 1',
    '<%= config.bin %> outcomes create pass --kind kyb --delay 2m --priority 0',
  ];
  static override args = outcomeArg;
  static override flags = {
    ...ruleFlags,
    disabled: boolean({ summary: 'ignore it until it is enabled' }),
    ...spaceFlags,
  };

  async run(): Promise<OutcomeRule> {
    const { args, flags } = await this.parse(OutcomesCreate);
    const match = await ruleMatch(flags, this.input);
    if (!match)
      throw new UsageError('Which runs? Choose them with --playbook, --external-id or another flag');
    const { outcome } = args;
    const body = { match, outcome, ...ruleSettings(flags), ...(flags.disabled && { enabled: false }) };
    const query = spaceQuery(flags);
    return this.present(await this.client.call('POST /_kyclone/outcomes', { query, body }), outcomeRuleView);
  }
}
