/** Panes of lists: a column has its heading and its cell in one place. */
import type { CallKey } from '../../client/client.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import { defined } from '../../kernel/defined.ts';
import type { Source } from '../data/source.ts';
import type { Cell, Column, Page, Row } from '../state/model.ts';
import type { PageQuery, PaneDefinition, ScreenDefinition } from './definition.ts';
import { FACT_COLUMNS } from './fact-rows.ts';

type TextMember<Item> = {
  [Name in keyof Item]: Item[Name] extends string | number | null ? Name : never;
}[keyof Item];

/** The cell is a member of the item, `-` for null, or what is made of the item and of `More`. */
export interface ListColumn<Item, More = Source> extends Column {
  readonly cell: TextMember<Item> | ((item: Item, more: More) => string | Cell);
}

interface Found<Item, More> extends Partial<Omit<Page, 'rows'>> {
  readonly items: readonly Item[];
  readonly more: More;
}

/** Finds the items, what their cells and rows need beside them, and the page; without a page, these are all. */
type Find<Item, More> = (source: Source, query: PageQuery) => Promise<Found<Item, More>>;

export interface ItemsPane<Item, More> extends Omit<PaneDefinition, 'columns' | 'load'> {
  readonly columns: readonly ListColumn<Item, More>[];
  /** Everything of the row but its cells. Unless this says otherwise, its key is its id, and its data the item. */
  readonly row: (item: Item, more: More) => Omit<Row, 'cells' | 'key'> & { readonly key?: string };
}

/** A pane with a row for each item. */
export function itemsPane<Item, More>(
  find: Find<Item, More>,
  { row, ...pane }: NoInfer<ItemsPane<Item, More>>,
): PaneDefinition {
  return {
    ...pane,
    load: async (source, query) => {
      const { items, more, ...page } = await find(source, query);
      const rows = items.map((item) => {
        const { key, ...made } = row(item, more);
        const cells = pane.columns.map(({ cell }) =>
          typeof cell === 'function'
            ? cell(item, more)
            : String((item[cell] as string | number | null) ?? '-'),
        );
        return { data: item, ...made, key: key ?? made.id ?? '', cells };
      });
      return { next: null, total: rows.length, ...page, rows };
    },
  };
}

/** A pane about one thing, as facts unless it has other columns; without the thing, it is empty. */
export function recordPane<Item>(
  find: (source: Source, query: PageQuery) => Promise<Item | undefined>,
  {
    page,
    columns = FACT_COLUMNS,
    ...pane
  }: Omit<PaneDefinition, 'columns' | 'load'> & {
    readonly columns?: readonly Column[];
    readonly page: (item: Item, source: Source) => RecordPage | Promise<RecordPage>;
  },
): PaneDefinition {
  return {
    ...pane,
    columns,
    load: async (source, query) => {
      const item = await find(source, query);
      return { ...(item === undefined ? { rows: [] } : await page(item, source)), next: null };
    },
  };
}

type RecordPage = Omit<Page, 'next'>;

interface ListPage {
  readonly data: readonly unknown[];
  readonly meta: { readonly next: string | null; readonly count: number };
}
type ListKey = { [K in CallKey]: AnswerOf<K> extends ListPage ? K : never }[CallKey];
type ItemOf<K extends ListKey> =
  AnswerOf<K> extends { readonly data: readonly (infer Item)[] } ? Item : never;

type ListPane<Item> = ItemsPane<Item, Source> & {
  /** What is asked for beside the page: the environment, unless this says otherwise. */
  readonly query?: Readonly<Record<string, string | boolean>>;
};

/** A pane of all items of a list endpoint, page by page. */
export function listPane<K extends ListKey>(key: K, { query, ...pane }: ListPane<ItemOf<K>>): PaneDefinition {
  return itemsPane<ItemOf<K>, Source>(async (source, { cursor, size }) => {
    const ask = source.client.call as (key: K, options: object) => Promise<ListPage>;
    const { data, meta } = await ask(key, {
      query: { ...(query ?? source.space), page_size: size, ...defined({ cursor }) },
    });
    return { items: data as readonly ItemOf<K>[], more: source, next: meta.next, total: meta.count };
  }, pane);
}

/** A screen of one list, with its title. */
export function listScreen(
  palette: NonNullable<ScreenDefinition['palette']>,
  pane: PaneDefinition,
): ScreenDefinition {
  return { palette, title: () => pane.title, panes: [pane] };
}
