import { string } from '@oclif/core/flags';
import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { businessArg, liveFlag } from '../../shell/flags.ts';
import { entityView } from '../../entities/view.ts';

export default class BusinessesUpdate extends BaseCommand<AnswerOf<'PATCH /businesses/{fp_bid}'>> {
  static override summary = "Change a business's external id; its data is changed by vault set";
  static override examples = [
    '<%= config.bin %> businesses update fp_bid_7p793EF07xKXHqAeg5VGPj --external-id customer-4711',
    '<%= config.bin %> businesses update fp_bid_7p793EF07xKXHqAeg5VGPj --external-id customer-4712 --json',
  ];
  static override args = businessArg;
  static override flags = {
    'external-id': string({ summary: 'the new external id', helpValue: 'ID' }),
    ...liveFlag,
  };

  async run(): Promise<AnswerOf<'PATCH /businesses/{fp_bid}'>> {
    const { args, flags } = await this.parse(BusinessesUpdate);
    const externalId = flags['external-id'];
    const business = await this.client.call('PATCH /businesses/{fp_bid}', {
      params: { fp_bid: args.fp_bid },
      body: externalId === undefined ? {} : { external_id: externalId },
    });
    return this.present(business, entityView);
  }
}
