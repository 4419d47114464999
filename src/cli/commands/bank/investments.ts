import type { InvestmentTransaction } from '../../../contract/bank-records.ts';
import { ledgerFlags, linkArg } from '../../bank/flags.ts';
import { LedgerCommand, investmentsOf, type InvestmentTransactions } from '../../bank/ledgers.ts';

export default class BankInvestments extends LedgerCommand<InvestmentTransactions, InvestmentTransaction> {
  static override summary = 'List the investment transactions of a bank link, newest first';
  static override description =
    'A plus brings cash, a minus takes it; fees come on top. With --all and --json each line is an investment ' +
    'transaction (NDJSON), printed as soon as its page is read; else --json prints the page, with its securities.';
  static override examples = [
    '<%= config.bin %> bank investments link_7p793EF07xKXHqAeg5VGPj',
    'From a day on:\n<%= config.bin %> bank investments link_7p793EF07xKXHqAeg5VGPj --from 2026-01-01 --page 2 --json',
    'All, as NDJSON:\n<%= config.bin %> bank investments link_7p793EF07xKXHqAeg5VGPj --all --json',
  ];
  static override args = linkArg;
  static override flags = ledgerFlags;

  protected ledgerOf(link: string) {
    return investmentsOf(this.client, link);
  }

  async run(): Promise<InvestmentTransactions | undefined> {
    const { args, flags } = await this.parse(BankInvestments);
    return await this.show(args.link, flags);
  }
}
