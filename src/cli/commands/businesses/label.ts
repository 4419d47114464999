import { BaseCommand } from '../../shell/base-command.ts';
import { businessArg, liveFlag } from '../../shell/flags.ts';
import { labelArg, labelBody, labelView } from '../../entities/attributes.ts';

export default class BusinessesLabel extends BaseCommand {
  static override summary = 'Show the label of a business, or set it; none removes it';
  static override examples = [
    '<%= config.bin %> businesses label fp_bid_7p793EF07xKXHqAeg5VGPj',
    '<%= config.bin %> businesses label fp_bid_7p793EF07xKXHqAeg5VGPj offboard_fraud',
  ];
  static override args = { ...businessArg, ...labelArg };
  static override flags = liveFlag;

  async run(): Promise<unknown> {
    const { args } = await this.parse(BusinessesLabel);
    const params = { fp_bid: args.fp_bid };
    const label =
      args.label === undefined
        ? await this.client.call('GET /businesses/{fp_bid}/label', { params })
        : await this.client.call('POST /businesses/{fp_bid}/label', { params, body: labelBody(args.label) });
    return this.present(label, () => labelView(label, this.style));
  }
}
