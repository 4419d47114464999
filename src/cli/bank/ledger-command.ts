import { BaseCommand } from '../shell/base-command.ts';
import { whenToEnd } from '../shell/ending.ts';
import {
  accountLabels,
  ledgerPageView,
  ledgerTable,
  unknownAccountsNote,
  type AccountLabels,
} from './ledger-view.ts';
import { ledgerQuery, type LedgerFlags, type LedgerQuery } from './flags.ts';
import { allPages, type Ledger, type NumberedPage } from './ledger-pages.ts';

/** A command that shows a ledger of a link: one page, or all of them as they are read. */
export abstract class LedgerCommand<Page extends NumberedPage, Entry> extends BaseCommand<Page | undefined> {
  /** How the entries of a link are read and told. */
  protected abstract ledgerOf(link: string): Ledger<Page, Entry>;

  protected async show(link: string, flags: LedgerFlags): Promise<Page | undefined> {
    const query = ledgerQuery(flags);
    const ledger = this.ledgerOf(link);
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

  /** Ends without a word when nobody reads on. */
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

  /** Headings stand over the first rows that there are. */
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

  /** What accounts are called in a table; data shows none. */
  async #labels(link: string): Promise<AccountLabels> {
    if (!this.isForPeople) return new Map();
    const params = { link_id: link };
    return accountLabels((await this.client.call('GET /bank_links/{link_id}/accounts', { params })).accounts);
  }
}

/** Once the lines are out of this process; false when they can't be. */
async function isWritten(lines: readonly string[]): Promise<boolean> {
  if (lines.length === 0) return true;
  return await new Promise((resolve) => {
    process.stdout.write(`${lines.join('\n')}\n`, (error) => {
      // The stream tells its listeners after this: whoever asks them is to find that they know.
      if (error) setImmediate(() => resolve(false));
      else resolve(true);
    });
  });
}
