/**
 * Transactions and investment transactions of a link, read by page number from 1 (contract §0.9), and the base of the
 * commands that list them.
 */
import type { Client } from '../../../client/client.ts';
import type { BankTransaction, InvestmentTransaction } from '../endpoints/records.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import {
  investmentRow,
  transactionRow,
  type LedgerRow,
  ledgerPageView,
  ledgerTable,
  unknownAccountsNote,
  type AccountLabels,
} from './ledger-view.ts';
import { accountLabels } from '../facts.ts';
import { NUMBERED_PAGE_SIZE } from '../../../contract/facts/limits.ts';
import { ledgerFlags, ledgerQuery, linkArg, type LedgerQuery } from './flags.ts';
import { BaseCommand } from '../../../cli/shell/base-command.ts';
import { whenToEnd } from '../../../cli/shell/ending.ts';

type Transactions = AnswerOf<'GET /bank_links/{link_id}/transactions'>;
type InvestmentTransactions = AnswerOf<'GET /bank_links/{link_id}/investments/transactions'>;

export function transactionsOf(client: Client, link: string): Ledger<Transactions, BankTransaction> {
  const params = { link_id: link };
  return {
    noun: 'transactions',
    read: (query) => client.call('GET /bank_links/{link_id}/transactions', { params, query }),
    entriesOf: ({ transactions }) => transactions,
    idOf: ({ transaction_id: id }) => id,
    rowsOf: (entries) => entries.map(transactionRow),
  };
}

function investmentsOf(client: Client, link: string): Ledger<InvestmentTransactions, InvestmentTransaction> {
  const params = { link_id: link };
  return {
    noun: 'investment transactions',
    read: (query) => client.call('GET /bank_links/{link_id}/investments/transactions', { params, query }),
    entriesOf: ({ investment_transactions: entries }) => entries,
    idOf: ({ investment_transaction_id: id }) => id,
    rowsOf: (entries, { securities }) => entries.map((entry) => investmentRow(entry, securities)),
  };
}

export interface NumberedPage {
  readonly page: number;
  readonly size: number;
  /** Matches over all pages. */
  readonly total: number;
}

export interface Ledger<Page extends NumberedPage, Entry> {
  /** The plural name of its entries. */
  readonly noun: string;
  read(
    query: LedgerQuery & { readonly page: number | undefined; readonly size: number | undefined },
  ): Promise<Page>;
  entriesOf(page: Page): readonly Entry[];
  idOf(entry: Entry): string;
  /** Rows for people; `entries` belong to `page`. */
  readonly rowsOf: (entries: readonly Entry[], page: Page) => readonly LedgerRow[];
}

/**
 * All pages, one in memory at a time. New entries move the rest down the list, so an entry of the page before is not
 * shown again.
 */
export async function* allPages<Page extends NumberedPage, Entry>(
  ledger: Ledger<Page, Entry>,
  query: LedgerQuery,
): AsyncGenerator<{ readonly page: Page; readonly entries: readonly Entry[] }, void> {
  let before = new Set<string>();
  for (let number = 1; ; number++) {
    const page = await ledger.read({ ...query, page: number, size: NUMBERED_PAGE_SIZE.most });
    const entries = ledger.entriesOf(page);
    const ids = entries.map((entry) => ledger.idOf(entry));
    yield { page, entries: entries.filter((_, index) => !before.has(ids[index] ?? '')) };
    if (entries.length === 0 || number * NUMBERED_PAGE_SIZE.most >= page.total) return;
    before = new Set(ids);
  }
}

/** A command that shows a ledger of a link: one page, or all pages as they are read. */
abstract class LedgerCommand<Page extends NumberedPage, Entry> extends BaseCommand<Page | undefined> {
  static override args = linkArg;
  static override flags = ledgerFlags;

  protected abstract readonly ledgerOf: (client: Client, link: string) => Ledger<Page, Entry>;

  async run(): Promise<Page | undefined> {
    const { args, flags } = await this.parse(LedgerCommand);
    const { link } = args;
    const query = ledgerQuery(flags);
    const ledger = this.ledgerOf(this.client, link);
    const labels = await this.#labels(link);
    const note = unknownAccountsNote(flags.account, labels);
    if (note !== undefined) this.note(note);
    if (flags.all) {
      await this.#showAll(ledger, query, labels);
      return undefined;
    }
    const page = await ledger.read({ ...query, page: flags.page, size: flags.size });
    const rows = ledger.rowsOf(ledger.entriesOf(page), page);
    return this.present(page, (_, style) => ledgerPageView({ page, rows, noun: ledger.noun, labels }, style));
  }

  /** Ends silently when its reader is gone. */
  async #showAll(ledger: Ledger<Page, Entry>, query: LedgerQuery, labels: AccountLabels): Promise<void> {
    const ending = whenToEnd();
    try {
      const linesOf = this.isForPeople ? this.#tableLines(ledger, labels) : this.#dataLines;
      let count = 0;
      for await (const { page, entries } of allPages(ledger, query)) {
        if (!(await isWritten(linesOf(entries, page))) || ending.signal.aborted) break;
        count += entries.length;
      }
      if (ending.signal.aborted) this.endWith(await ending.exitCode);
      else if (this.isForPeople)
        this.print(count === 0 ? `No ${ledger.noun}` : this.style.dim(`${count} in all`));
    } finally {
      ending.release();
    }
  }

  /** Prints the headings above the first rows. */
  #tableLines({ rowsOf }: Ledger<Page, Entry>, labels: AccountLabels) {
    let table: ReturnType<typeof ledgerTable> | undefined;
    return (entries: readonly Entry[], page: Page): string[] => {
      const rows = rowsOf(entries, page);
      if (rows.length === 0) return [];
      const headings = table === undefined ? [(table = ledgerTable(rows, labels, this.style)).headings] : [];
      const { line } = table;
      return [...headings, ...rows.map(line)];
    };
  }

  readonly #dataLines = (entries: readonly Entry[]): string[] =>
    entries.flatMap((entry) => this.entryText(entry) ?? []);

  /** Labels for a table; data output needs none. */
  async #labels(link: string): Promise<AccountLabels> {
    if (!this.isForPeople) return new Map();
    const params = { link_id: link };
    return accountLabels((await this.client.call('GET /bank_links/{link_id}/accounts', { params })).accounts);
  }
}

/** Resolves when the lines have left this process; false if they can't. */
async function isWritten(lines: readonly string[]): Promise<boolean> {
  if (lines.length === 0) return true;
  return await new Promise((resolve) => {
    process.stdout.write(`${lines.join('\n')}\n`, (error) => {
      // The stream calls its error listeners after this callback. They have to run before the caller checks them.
      if (error) setImmediate(() => resolve(false));
      else resolve(true);
    });
  });
}

class BankTransactions extends LedgerCommand<Transactions, BankTransaction> {
  static override summary = 'List the transactions of a bank link, newest first';
  static override description =
    'A plus is money that came into the account or paid off what is owed, a minus is the opposite. With --all and ' +
    '--json each line is a transaction (NDJSON), printed as soon as its page is read; else --json prints the page.';
  static override examples = [
    'link_…',
    'For a month:\nlink_… --from 2026-01-01 --to 2026-01-31 --size 100',
    'All of one account, as NDJSON:\nlink_… --account acct_… --all --json',
  ];
  protected override readonly ledgerOf = transactionsOf;
}

class BankInvestments extends LedgerCommand<InvestmentTransactions, InvestmentTransaction> {
  static override summary = 'List the investment transactions of a bank link, newest first';
  static override description =
    'A plus brings cash, a minus takes it; fees come on top. With --all and --json each line is an investment ' +
    'transaction (NDJSON), printed as soon as its page is read; else --json prints the page, with its securities.';
  static override examples = [
    'link_…',
    'From a day on:\nlink_… --from 2026-01-01 --page 2 --json',
    'All, as NDJSON:\nlink_… --all --json',
  ];
  protected override readonly ledgerOf = investmentsOf;
}

export default { 'bank:transactions': BankTransactions, 'bank:investments': BankInvestments };
