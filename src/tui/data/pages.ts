/** Whole lists, for choices; screens load page by page. */
interface Page<Item> {
  readonly data: readonly Item[];
  readonly meta: { readonly next: string | null };
}

const PAGE_SIZE = 100;
/** Nobody chooses among more. */
const LONGEST = 1000;

/** The entries of a list in cursor style (contract §0.9), page after page, a thousand at most. */
export async function allPages<Item>(
  read: (page: { cursor: string | undefined; page_size: number }) => Promise<Page<Item>>,
): Promise<Item[]> {
  const entries: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await read({ cursor, page_size: PAGE_SIZE });
    entries.push(...page.data);
    cursor = page.meta.next ?? undefined;
  } while (cursor !== undefined && entries.length < LONGEST);
  return entries;
}
