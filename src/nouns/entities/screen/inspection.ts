/** Shared code of the panes of one entity: its masked view, and the commands and requests that get the same. */
import { isBusinessId } from '../../../kernel/ids/ids.ts';
import { readInspection, type Inspection } from '../../../client/inspection.ts';
import type { Source } from '../../../tui/data/source.ts';
import type { EntityKind, Page, ScreenPlace } from '../../../tui/state/model.ts';
import type { PaneDefinition } from '../../../tui/screens/definition.ts';
import { itemsPane, type ItemsPane } from '../../../tui/screens/list-pane.ts';
import { type Copies, copiesOf } from '../../../tui/screens/space.ts';

export type { Inspection };

export interface InspectionTarget {
  readonly fp_id: string;
  readonly kind: EntityKind;
  /** The name of the kind in the API's paths and the CLI's topics. */
  readonly nouns: 'users' | 'businesses';
}

/** The prefix shows the kind (contract §0.6), so an id alone is enough to open an entity. */
export function targetOf({ fp_id = '' }: ScreenPlace['params']): InspectionTarget {
  return isBusinessId(fp_id)
    ? { fp_id, kind: 'business', nouns: 'businesses' }
    : { fp_id, kind: 'user', nouns: 'users' };
}

/** Sends one request for all panes that load at the same time. */
export function inspected(source: Source, { fp_id }: InspectionTarget): Promise<Inspection> {
  const { client, space } = source;
  return source.once(`entity ${fp_id}`, () => readInspection(client, fp_id, space));
}

/** What gets a row outside the inspector. */
export interface Ways extends InspectionTarget {
  /** The path of the entity in the API: `/users/fp_id_…`. */
  readonly path: string;
  /** The path of the masked view of the whole entity. */
  readonly inspection: string;
  /** A command that takes `--live`, and the path that it asks for. */
  readonly copies: (words: readonly string[], path: string) => Copies;
}

export function waysTo(target: InspectionTarget, { space }: Source): Ways {
  const id = encodeURIComponent(target.fp_id);
  return {
    ...target,
    path: `/${target.nouns}/${id}`,
    inspection: `/_kyclone/entities/${id}`,
    copies: (words, path) => copiesOf(words, path, space),
  };
}

/** A pane with a row for each item of a part of the masked view. */
export function itemsOf<Item>(
  items: (entity: Inspection) => readonly Item[],
  pane: NoInfer<ItemsPane<Item, Ways>>,
): PaneDefinition {
  return itemsPane<Item, Ways>(async (source, { params }) => {
    const target = targetOf(params);
    return { items: items(await inspected(source, target)), more: waysTo(target, source) };
  }, pane);
}

/** How many items are shown at a time if each needs a request for its details. */
const FEW = 20;

/** The next few items of a complete list; the cursor counts the items before. */
export function fewOf<T>(
  items: readonly T[],
  cursor: string | undefined,
): { few: readonly T[] } & Pick<Page, 'next' | 'total'> {
  const start = cursor === undefined ? 0 : Number(cursor);
  const end = start + FEW;
  return { few: items.slice(start, end), next: end < items.length ? String(end) : null, total: items.length };
}
