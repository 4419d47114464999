import type { AnswerOf } from '../../../contract/registry.ts';
import { accountFlag, accountIds, linkArg } from '../../bank/flags.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { liveFlag } from '../../shell/flags.ts';
import { accountLabels, holdingsView, unknownAccountsNote } from '../../bank/ledger-view.ts';

type Holdings = AnswerOf<'GET /bank_links/{link_id}/investments/holdings'>;

export default class BankHoldings extends BaseCommand<Holdings> {
  static override summary = 'List what is held in the investment accounts of a bank link';
  static override examples = [
    '<%= config.bin %> bank holdings link_7p793EF07xKXHqAeg5VGPj',
    'For one account:\n<%= config.bin %> bank holdings link_7p793EF07xKXHqAeg5VGPj --account acct_7p793EF07xKXHqAeg5VGPj --json',
  ];
  static override args = linkArg;
  static override flags = { ...accountFlag, ...liveFlag };

  async run(): Promise<Holdings> {
    const { args, flags } = await this.parse(BankHoldings);
    const params = { link_id: args.link };
    const query = { account_ids: accountIds(flags.account) };
    const held = await this.client.call('GET /bank_links/{link_id}/investments/holdings', { params, query });
    const { accounts } = this.isForPeople
      ? await this.client.call('GET /bank_links/{link_id}/accounts', { params })
      : { accounts: [] };
    const labels = accountLabels(accounts);
    const note = unknownAccountsNote(flags.account, labels);
    if (note !== undefined) this.note(note);
    return this.present(held, (shown, style) => holdingsView(shown, labels, style));
  }
}
