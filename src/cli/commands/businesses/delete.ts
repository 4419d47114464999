import { BaseCommand } from '../../shell/base-command.ts';
import { businessArg, liveFlag, yesFlag } from '../../shell/flags.ts';
import { deletedView } from '../../entities/view.ts';

export default class BusinessesDelete extends BaseCommand {
  static override summary = 'Delete a business and shred its vault; this cannot be undone';
  static override examples = [
    '<%= config.bin %> businesses delete fp_bid_7p793EF07xKXHqAeg5VGPj --yes',
    '<%= config.bin %> businesses delete fp_bid_7p793EF07xKXHqAeg5VGPj --dry-run',
  ];
  static override args = businessArg;
  static override flags = { ...yesFlag, ...liveFlag };

  async run(): Promise<unknown> {
    const { args } = await this.parse(BusinessesDelete);
    await this.confirmLoss(`Delete business ${args.fp_bid} and all its data`);
    const answer = await this.client.call('DELETE /businesses/{fp_bid}', { params: { fp_bid: args.fp_bid } });
    return this.present(answer, deletedView);
  }
}
