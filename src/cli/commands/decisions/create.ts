import { entityEndpoint } from '../../../client/entity-endpoint.ts';
import { option } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import { MANUAL_DECISIONS } from '../../../contract/facts/onboardings.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { readText } from '../../shell/fields.ts';
import { entityArg, liveFlag } from '../../shell/flags.ts';
import { withoutFinalNewline } from '../../shell/input.ts';
import { decidedView } from '../../decisions/view.ts';

export default class DecisionsCreate extends BaseCommand {
  static override aliases = ['decisions:make'];
  static override summary = 'Decide manually about a user or business, which ends its review';
  static override examples = [
    '<%= config.bin %> decisions create fp_id_7p793EF07xKXHqAeg5VGPj pass --annotation "passport seen" ' +
      '--reviewer ann@example.com',
    '<%= config.bin %> decisions create fp_bid_7p793EF07xKXHqAeg5VGPj fail --annotation - < reasons.txt',
  ];
  static override args = {
    ...entityArg,
    status: option({ description: 'pass or fail', options: MANUAL_DECISIONS })({ required: true }),
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
    const { args, flags } = await this.parse(DecisionsCreate);
    const { fp_id: id, status } = args;
    const annotation = withoutFinalNewline(await readText(flags.annotation, this.input));
    const { reviewer } = flags;
    const body = { status, annotation, ...(reviewer !== undefined && { reviewer_email: reviewer }) };
    const endpoint = entityEndpoint('POST /{entity}/decisions', id);
    const answer = await this.client.call(endpoint.key, { params: endpoint.params, body });
    return this.present(answer, decidedView);
  }
}
