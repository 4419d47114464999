import { linkArg } from '../../../bank/flags.ts';
import { BaseCommand } from '../../../shell/base-command.ts';
import { liveFlag, yesFlag } from '../../../shell/flags.ts';
import { deletedView } from '../../../entities/view.ts';

export default class BankLinksDelete extends BaseCommand {
  static override summary = 'Delete a bank link with its accounts and transactions; this cannot be undone';
  static override description = 'Account numbers that it brought into the vault stay there.';
  static override examples = [
    '<%= config.bin %> bank links delete link_7p793EF07xKXHqAeg5VGPj',
    '<%= config.bin %> bank links delete link_7p793EF07xKXHqAeg5VGPj --yes',
  ];
  static override args = linkArg;
  static override flags = { ...yesFlag, ...liveFlag };

  async run(): Promise<unknown> {
    const { args } = await this.parse(BankLinksDelete);
    await this.confirmLoss(`Delete bank link ${args.link} with its accounts and transactions`);
    const params = { link_id: args.link };
    return this.present(await this.client.call('DELETE /bank_links/{link_id}', { params }), deletedView);
  }
}
