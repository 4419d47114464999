import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { businessArg, otherBusinessArg } from '../../shell/flags.ts';
import { COMPARE_DESCRIPTION, compareFlags, comparisonView } from '../../entities/comparison.ts';

type Comparison = AnswerOf<'POST /businesses/{fp_bid}/compare'>;

export default class BusinessesCompare extends BaseCommand<Comparison> {
  static override summary =
    'Compare two businesses: which fields are equal and which differ, without showing values';
  static override description = COMPARE_DESCRIPTION;
  static override examples = [
    '<%= config.bin %> businesses compare fp_bid_7p793EF07xKXHqAeg5VGPj fp_bid_0a1b2c3d4e5f6g7h8i9j0k',
    '<%= config.bin %> businesses compare fp_bid_7p793EF07xKXHqAeg5VGPj fp_bid_0a1b2c3d4e5f6g7h8i9j0k --reason "case 4711" --json',
  ];
  static override args = { ...businessArg, ...otherBusinessArg };
  static override flags = compareFlags;

  async run(): Promise<Comparison> {
    const { args, flags } = await this.parse(BusinessesCompare);
    const { fp_bid, other } = args;
    const { reason } = flags;
    const comparison = await this.client.call('POST /businesses/{fp_bid}/compare', {
      params: { fp_bid },
      body: { with: other, ...(reason !== undefined && { reason }) },
    });
    return this.present(comparison, comparisonView);
  }
}
