import { option } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import { BaseCommand } from '../../shell/base-command.ts';
import { isBusinessId } from '../../shell/entity-names.ts';
import { readText } from '../../shell/fields.ts';
import { entityArg, liveFlag } from '../../shell/flags.ts';
import { withoutFinalNewline } from '../../shell/input.ts';
import { decidedView } from '../../decisions/view.ts';

export default class DecisionsMake extends BaseCommand {
  static override summary = 'Decide about a user or business by hand; its review is done then';
  static override examples = [
    '<%= config.bin %> decisions make fp_id_7p793EF07xKXHqAeg5VGPj pass --annotation "passport seen" ' +
      '--reviewer ann@example.com',
    '<%= config.bin %> decisions make fp_bid_7p793EF07xKXHqAeg5VGPj fail --annotation - < reasons.txt',
  ];
  static override args = {
    ...entityArg,
    status: option({ description: 'pass or fail', options: ['pass', 'fail'] as const })({ required: true }),
  };
  static override flags = {
    annotation: string({
      summary: 'why: the text, @FILE, or - for stdin',
      required: true,
      helpValue: 'TEXT',
    }),
    reviewer: string({ summary: 'who decided', helpValue: 'EMAIL' }),
    ...liveFlag,
  };

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(DecisionsMake);
    const { fp_id: id, status } = args;
    const annotation = withoutFinalNewline(await readText(flags.annotation, this.input));
    const { reviewer } = flags;
    const body = { status, annotation, ...(reviewer !== undefined && { reviewer_email: reviewer }) };
    const answer = isBusinessId(id)
      ? await this.client.call('POST /businesses/{fp_bid}/decisions', { params: { fp_bid: id }, body })
      : await this.client.call('POST /users/{fp_id}/decisions', { params: { fp_id: id }, body });
    return this.present(answer, decidedView);
  }
}
