/** One page of a cursor-paged list (contract §0.9). */
interface Page<Item> {
  readonly data: readonly Item[];
  readonly meta: { readonly next: string | null };
}

const PAGE_SIZE = 100;

/** All entries of a list, page after page. */
export async function allPages<Item>(
  read: (page: { cursor: string | undefined; page_size: number }) => Promise<Page<Item>>,
): Promise<Item[]> {
  const entries: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await read({ cursor, page_size: PAGE_SIZE });
    entries.push(...page.data);
    cursor = page.meta.next ?? undefined;
  } while (cursor !== undefined);
  return entries;
}
