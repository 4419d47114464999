import { BaseCommand } from '../../shell/base-command.ts';
import { ruleArg } from '../../outcomes/flags.ts';
import { spaceFlags, spaceQuery } from '../../shell/space.ts';
import { deletedView } from '../../entities/view.ts';

export default class OutcomesRemove extends BaseCommand {
  static override summary = 'Delete a rule; runs that it has decided stay as they are';
  static override examples = [
    '<%= config.bin %> outcomes remove rule_7p793EF07xKXHqAeg5VGPj',
    '<%= config.bin %> outcomes remove rule_7p793EF07xKXHqAeg5VGPj --dry-run',
  ];
  static override args = ruleArg;
  static override flags = spaceFlags;

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(OutcomesRemove);
    const answer = await this.client.call('DELETE /_kyclone/outcomes/{id}', {
      params: { id: args.id },
      query: spaceQuery(flags),
    });
    return this.present(answer, deletedView);
  }
}
