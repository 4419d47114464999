import type { BankLink } from '../endpoints/records.ts';
import { linkArg } from './flags.ts';
import { FROZEN_NOTE, isClockFrozen, productsOf, refreshFlags, waitForRefresh } from './refreshing.ts';
import { BaseCommand } from '../../../cli/shell/base-command.ts';
import { liveFlag } from '../../../cli/shell/flags.ts';
import { linkView } from './view.ts';

class BankLinksRefresh extends BaseCommand {
  static override summary = 'Ask the bank of a link for what is new';
  static override description =
    'It takes two seconds of the clock of the instance: a frozen one has to be moved. With --json it prints what the call ' +
    'returns; with --wait, the refreshed link.';
  static override examples = [
    'link_… --wait',
    'Some of it:\nlink_… --product transactions --product accounts',
  ];
  static override args = linkArg;
  static override flags = { ...refreshFlags, ...liveFlag };

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(BankLinksRefresh);
    const params = { link_id: args.link };
    const before = await this.client.call('GET /bank_links/{link_id}', { params });
    const products = flags.product ?? productsOf(before);
    const answer = await this.client.call('POST /bank_links/{link_id}/data_refresh', {
      params,
      body: { products },
    });
    if (await isClockFrozen(this.client)) this.note(FROZEN_NOTE);
    if (!flags.wait) return this.present(answer, () => `Asked for ${products.join(', ')}`);
    const wait = { products, timeoutMs: flags.timeout };
    const link: BankLink = await waitForRefresh(this.client, before, wait);
    return this.present(link, () => linkView(link, this.style));
  }
}

export default { 'bank:links:refresh': BankLinksRefresh };
