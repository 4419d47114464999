/** Panes of lists: a column has its heading and its cell in one place. */
import type { CallKey } from '../../client/client.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import { defined } from '../../kernel/defined.ts';
import type { Source } from '../data/source.ts';
import type { Cell, Column, Row } from '../state/model.ts';
import type { PaneDefinition, ScreenDefinition } from './definition.ts';

type TextMember<Item> = {
  [Name in keyof Item]: Item[Name] extends string | number | null ? Name : never;
}[keyof Item];

/** The cell is a member of the item, `-` for null, or what is made of the item and of `More`. */
export interface ListColumn<Item, More = Source> extends Column {
  readonly cell: TextMember<Item> | ((item: Item, more: More) => string | Cell);
}

export function cellsOf<Item, More>(
  columns: readonly ListColumn<Item, More>[],
  item: Item,
  more: More,
): Row['cells'] {
  return columns.map(({ cell }) => {
    if (typeof cell === 'function') return cell(item, more);
    const value = item[cell] as string | number | null;
    return value === null ? '-' : String(value);
  });
}

interface ListPage {
  readonly data: readonly unknown[];
  readonly meta: { readonly next: string | null; readonly count: number };
}
type ListKey = { [K in CallKey]: AnswerOf<K> extends ListPage ? K : never }[CallKey];
type ItemOf<K extends ListKey> =
  AnswerOf<K> extends { readonly data: readonly (infer Item)[] } ? Item : never;

interface ListPane<Item> extends Omit<PaneDefinition, 'columns' | 'load'> {
  readonly columns: readonly ListColumn<Item>[];
  /** What is asked for beside the page: the environment, unless this says otherwise. */
  readonly query?: Readonly<Record<string, string | boolean>>;
  readonly row: (item: Item, source: Source) => Omit<Row, 'cells' | 'data'>;
}

/** A pane of all items of a list endpoint, page by page. */
export function listPane<K extends ListKey>(
  key: K,
  { query, row, ...pane }: ListPane<ItemOf<K>>,
): PaneDefinition {
  return {
    ...pane,
    load: async (source, { cursor, size }) => {
      const ask = source.client.call as (key: K, options: object) => Promise<ListPage>;
      const { data, meta } = await ask(key, {
        query: { ...(query ?? source.space), page_size: size, ...defined({ cursor }) },
      });
      const rows = (data as readonly ItemOf<K>[]).map((item) => ({
        data: item,
        cells: cellsOf(pane.columns, item, source),
        ...row(item, source),
      }));
      return { rows, next: meta.next, total: meta.count };
    },
  };
}

/** A screen of one list, with its title. */
export function listScreen(
  name: ScreenDefinition['name'],
  paletteName: string,
  pane: PaneDefinition,
): ScreenDefinition {
  return { name, paletteName, title: () => pane.title, panes: [pane] };
}
