import type { AnswerOf } from '../../../contract/registry.ts';
import { linkArg } from '../../bank/flags.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { liveFlag } from '../../shell/flags.ts';
import { accountListView } from '../../bank/view.ts';

type Accounts = AnswerOf<'GET /bank_links/{link_id}/accounts'>;

export default class BankAccounts extends BaseCommand<Accounts> {
  static override summary = 'List the accounts of a bank link with their balances';
  static override description = 'The balance of a liability is what is owed.';
  static override examples = [
    '<%= config.bin %> bank accounts link_7p793EF07xKXHqAeg5VGPj',
    '<%= config.bin %> bank accounts link_7p793EF07xKXHqAeg5VGPj --json',
  ];
  static override args = linkArg;
  static override flags = liveFlag;

  async run(): Promise<Accounts> {
    const { args } = await this.parse(BankAccounts);
    const params = { link_id: args.link };
    return this.present(
      await this.client.call('GET /bank_links/{link_id}/accounts', { params }),
      accountListView,
    );
  }
}
