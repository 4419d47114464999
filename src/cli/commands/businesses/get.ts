import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { businessArg, liveFlag } from '../../shell/flags.ts';
import { entityView } from '../../entities/view.ts';

export default class BusinessesGet extends BaseCommand<AnswerOf<'GET /businesses/{fp_bid}'>> {
  static override summary = 'Show a business: ids and status, nothing of its vault';
  static override examples = [
    '<%= config.bin %> businesses get fp_bid_7p793EF07xKXHqAeg5VGPj',
    '<%= config.bin %> businesses get fp_bid_7p793EF07xKXHqAeg5VGPj --output yaml',
  ];
  static override args = businessArg;
  static override flags = liveFlag;

  async run(): Promise<AnswerOf<'GET /businesses/{fp_bid}'>> {
    const { args } = await this.parse(BusinessesGet);
    const business = await this.client.call('GET /businesses/{fp_bid}', { params: { fp_bid: args.fp_bid } });
    return this.present(business, entityView);
  }
}
