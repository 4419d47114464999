import type { BankLink } from '../../../../contract/bank-records.ts';
import { linkArg } from '../../../bank/flags.ts';
import { BaseCommand } from '../../../shell/base-command.ts';
import { liveFlag } from '../../../shell/flags.ts';
import { linkView } from '../../../bank/view.ts';

export default class BankLinksGet extends BaseCommand<BankLink> {
  static override summary = 'Show a bank link: its state, and when each product was refreshed';
  static override examples = [
    '<%= config.bin %> bank links get link_7p793EF07xKXHqAeg5VGPj',
    '<%= config.bin %> bank links get link_7p793EF07xKXHqAeg5VGPj --json',
  ];
  static override args = linkArg;
  static override flags = liveFlag;

  async run(): Promise<BankLink> {
    const { args } = await this.parse(BankLinksGet);
    const params = { link_id: args.link };
    return this.present(await this.client.call('GET /bank_links/{link_id}', { params }), linkView);
  }
}
