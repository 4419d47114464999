import { BaseCommand } from '../../shell/base-command.ts';
import { ruleArg } from '../../outcomes/outcomes.ts';
import { spaceFlags, spaceQuery } from '../../shell/flags.ts';
import { deletedView } from '../../entities/view.ts';

export default class OutcomesDelete extends BaseCommand {
  static override aliases = ['outcomes:remove'];
  static override summary = 'Delete a rule; runs that it has decided do not change';
  static override examples = [
    '<%= config.bin %> outcomes delete rule_7p793EF07xKXHqAeg5VGPj',
    '<%= config.bin %> outcomes delete rule_7p793EF07xKXHqAeg5VGPj --dry-run',
  ];
  static override args = ruleArg;
  static override flags = spaceFlags;

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(OutcomesDelete);
    const answer = await this.client.call('DELETE /_kyclone/outcomes/{id}', {
      params: { id: args.id },
      query: spaceQuery(flags),
    });
    return this.present(answer, deletedView);
  }
}
