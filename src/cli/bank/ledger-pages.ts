/** A list of a link that is read page by page, in numbers from 1 on (contract §0.9). */
import type { LedgerRow } from './ledger-view.ts';
import type { LedgerQuery } from './flags.ts';

export interface NumberedPage {
  readonly page: number;
  readonly size: number;
  /** Matches over all pages. */
  readonly total: number;
}

export interface Ledger<Page extends NumberedPage, Entry> {
  /** What many of its entries are called. */
  readonly noun: string;
  read(
    query: LedgerQuery & { readonly page: number | undefined; readonly size: number | undefined },
  ): Promise<Page>;
  entriesOf(page: Page): readonly Entry[];
  idOf(entry: Entry): string;
  /** For people; of entries of this page. */
  readonly rowsOf: (entries: readonly Entry[], page: Page) => readonly LedgerRow[];
}

const LARGEST_PAGE = 100;

/**
 * All pages, one held at a time. What comes in meanwhile moves the rest down the list: an entry that the page before had
 * too is not told again.
 */
export async function* allPages<Page extends NumberedPage, Entry>(
  ledger: Ledger<Page, Entry>,
  query: LedgerQuery,
): AsyncGenerator<{ readonly page: Page; readonly entries: readonly Entry[] }, void> {
  let before = new Set<string>();
  for (let number = 1; ; number++) {
    const page = await ledger.read({ ...query, page: number, size: LARGEST_PAGE });
    const entries = ledger.entriesOf(page);
    const ids = entries.map((entry) => ledger.idOf(entry));
    yield { page, entries: entries.filter((_, index) => !before.has(ids[index] ?? '')) };
    if (entries.length === 0 || number * LARGEST_PAGE >= page.total) return;
    before = new Set(ids);
  }
}
