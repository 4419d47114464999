/** One page of a cursor-paged list (contract §0.9). */
interface Page<Item> {
  readonly data: readonly Item[];
  readonly meta: { readonly next: string | null };
}

const PAGE_SIZE = 100;

/** The pages of a list, one after another. */
export async function* pagesOf<Item>(
  read: (page: { cursor: string | undefined; page_size: number }) => Promise<Page<Item>>,
): AsyncGenerator<readonly Item[]> {
  let cursor: string | undefined;
  do {
    const page = await read({ cursor, page_size: PAGE_SIZE });
    yield page.data;
    cursor = page.meta.next ?? undefined;
  } while (cursor !== undefined);
}

/** All entries of a list, or those of the pages until there are as many as needed. */
export async function allPages<Item>(
  read: Parameters<typeof pagesOf<Item>>[0],
  needed = Infinity,
): Promise<Item[]> {
  const entries: Item[] = [];
  for await (const page of pagesOf(read)) if (entries.push(...page) >= needed) break;
  return entries;
}
