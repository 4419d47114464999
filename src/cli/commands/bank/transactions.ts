import type { BankTransaction } from '../../../contract/bank-records.ts';
import { ledgerFlags, linkArg } from '../../bank/flags.ts';
import { LedgerCommand, transactionsOf, type Transactions } from '../../bank/ledgers.ts';

export default class BankTransactions extends LedgerCommand<Transactions, BankTransaction> {
  static override summary = 'List the transactions of a bank link, newest first';
  static override description =
    'A plus is money that came into the account or paid off what is owed, a minus is the opposite. With --all and ' +
    '--json each line is a transaction (NDJSON), printed as soon as its page is read; else --json prints the page.';
  static override examples = [
    '<%= config.bin %> bank transactions link_7p793EF07xKXHqAeg5VGPj',
    'For a month:\n<%= config.bin %> bank transactions link_7p793EF07xKXHqAeg5VGPj --from 2026-01-01 --to 2026-01-31 --size 100',
    'All of one account, as NDJSON:\n<%= config.bin %> bank transactions link_7p793EF07xKXHqAeg5VGPj --account acct_7p793EF07xKXHqAeg5VGPj --all --json',
  ];
  static override args = linkArg;
  static override flags = ledgerFlags;

  protected ledgerOf(link: string) {
    return transactionsOf(this.client, link);
  }

  async run(): Promise<Transactions | undefined> {
    const { args, flags } = await this.parse(BankTransactions);
    return await this.show(args.link, flags);
  }
}
