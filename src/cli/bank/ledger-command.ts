import { BaseCommand } from '../base-command.ts';
import { whenToEnd } from '../ending.ts';
import { accountLabels, ledgerPageView, ledgerTable, type LedgerTable } from '../views/bank-ledger.ts';
import { ledgerQuery, type LedgerFlags } from './flags.ts';
import { allPages, type Ledger, type NumberedPage } from './ledger-pages.ts';

/** A command that shows a ledger of a link: one page, or all of them as they are read. */
export abstract class LedgerCommand<Page extends NumberedPage, Entry> extends BaseCommand<Page | undefined> {
  protected abstract ledgerOf(link: string): Ledger<Page, Entry>;

  protected async show(link: string, flags: LedgerFlags): Promise<Page | undefined> {
    const query = ledgerQuery(flags);
    const ledger = this.ledgerOf(link);
    if (flags.all) {
      await this.#showAll(ledger, query, await this.#labels(link));
      return undefined;
    }
    const page = await ledger.read({ ...query, page: flags.page, size: flags.size });
    const labels = await this.#labels(link);
    return this.present(page, (_, style) => {
      const rows = ledger.rowsOf(ledger.entriesOf(page), page);
      return ledgerPageView({ page, rows, noun: ledger.noun, labels }, style);
    });
  }

  /** Ends early, and without a word, when nobody reads on. */
  async #showAll(
    ledger: Ledger<Page, Entry>,
    query: ReturnType<typeof ledgerQuery>,
    labels: ReadonlyMap<string, string>,
  ): Promise<void> {
    const ending = whenToEnd();
    let table: LedgerTable | undefined;
    let shown = 0;
    try {
      for await (const { page, entries } of allPages(ledger, query)) {
        if (ending.signal.aborted) break;
        const lines = [];
        if (this.isJson) lines.push(...entries.map((entry) => JSON.stringify(entry)));
        else {
          const rows = ledger.rowsOf(entries, page);
          if (table === undefined && rows.length > 0) lines.push((table = ledgerTable(rows, labels, this.style)).heading);
          lines.push(...rows.map((row) => table?.line(row)));
        }
        shown += entries.length;
        if (!(await isWritten(lines))) break;
      }
      if (ending.signal.aborted) this.endWith(await ending.exitCode);
      else if (!this.isJson) this.print(shown === 0 ? `No ${ledger.noun}` : this.style.dim(`${shown} in all`));
    } finally {
      ending.release();
    }
  }

  /** What accounts are called in a table; `--json` shows none. */
  async #labels(link: string): Promise<ReadonlyMap<string, string>> {
    if (this.isJson) return new Map();
    const params = { link_id: link };
    return accountLabels((await this.client.call('GET /bank_links/{link_id}/accounts', { params })).accounts);
  }
}
