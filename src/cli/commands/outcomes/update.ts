import { boolean, option } from '@oclif/core/flags';
import { OUTCOMES } from '../../../contract/facts/onboardings.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { UsageError } from '../../shell/failure.ts';
import {
  MATCH_HELP,
  ruleArg,
  ruleFlags,
  ruleMatch,
  ruleSettings,
  type OutcomeRule,
  outcomeRuleView,
} from '../../outcomes/outcomes.ts';
import { spaceFlags, spaceQuery } from '../../shell/flags.ts';

export default class OutcomesUpdate extends BaseCommand<OutcomeRule> {
  static override summary = 'Change a rule; --times restarts its count';
  static override description = `Flags that choose runs replace all earlier ones. ${MATCH_HELP}`;
  static override examples = [
    '<%= config.bin %> outcomes update rule_7p793EF07xKXHqAeg5VGPj --outcome fail --times 3',
    '<%= config.bin %> outcomes update rule_7p793EF07xKXHqAeg5VGPj --disable',
  ];
  static override args = ruleArg;
  static override flags = {
    outcome: option({ summary: 'the outcome of the runs', options: OUTCOMES })(),
    ...ruleFlags,
    'no-delay': boolean({ summary: 'use the delay of the playbook' }),
    'any-times': boolean({ summary: 'for any number of runs' }),
    enable: boolean({ summary: 'use it from now on' }),
    disable: boolean({ summary: 'ignore it until it is enabled' }),
    ...spaceFlags,
  };

  async run(): Promise<OutcomeRule> {
    const { args, flags } = await this.parse(OutcomesUpdate);
    const { outcome, enable, disable, 'no-delay': noDelay, 'any-times': anyTimes } = flags;
    if (enable && disable) throw new UsageError('--enable and --disable exclude each other');
    if (noDelay && flags.delay !== undefined)
      throw new UsageError('--delay and --no-delay exclude each other');
    if (anyTimes && flags.times !== undefined)
      throw new UsageError('--times and --any-times exclude each other');
    const match = await ruleMatch(flags, this.input);
    const body = {
      ...(match && { match }),
      ...(outcome !== undefined && { outcome }),
      ...ruleSettings(flags),
      ...(noDelay && { delay_ms: null }),
      ...(anyTimes && { times: null }),
      ...((enable || disable) && { enabled: enable }),
    };
    const query = spaceQuery(flags);
    const params = { id: args.id };
    const rule = await this.client.call('PATCH /_kyclone/outcomes/{id}', { params, query, body });
    return this.present(rule, outcomeRuleView);
  }
}
