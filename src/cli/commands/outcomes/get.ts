import { BaseCommand } from '../../shell/base-command.ts';
import { ruleArg, type OutcomeRule, outcomeRuleView } from '../../outcomes/outcomes.ts';
import { spaceFlags, spaceQuery } from '../../shell/flags.ts';

export default class OutcomesGet extends BaseCommand<OutcomeRule> {
  static override summary = 'Show a rule, and how many runs it has left';
  static override examples = [
    '<%= config.bin %> outcomes get rule_7p793EF07xKXHqAeg5VGPj',
    '<%= config.bin %> outcomes get rule_7p793EF07xKXHqAeg5VGPj --output yaml',
  ];
  static override args = ruleArg;
  static override flags = spaceFlags;

  async run(): Promise<OutcomeRule> {
    const { args, flags } = await this.parse(OutcomesGet);
    const rule = await this.client.call('GET /_kyclone/outcomes/{id}', {
      params: { id: args.id },
      query: spaceQuery(flags),
    });
    return this.present(rule, outcomeRuleView);
  }
}
