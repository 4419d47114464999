/** What the panes of one entity have in common: its masked view, and how to ask for the same from outside. */
import { isBusinessId } from '../../../kernel/ids.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import type { Source } from '../../data/source.ts';
import type { CallText, EntityKind, Page, ScreenPlace } from '../../state/model.ts';
import type { PageQuery, PaneDefinition } from '../definition.ts';
import { spacedCommand, spacedPath } from '../space.ts';

export type Inspection = AnswerOf<'GET /_kyclone/entities/{fp_id}'>;

export interface Target {
  readonly fp_id: string;
  readonly kind: EntityKind;
  /** As the API's paths and the topics of the command line name its kind. */
  readonly nouns: 'users' | 'businesses';
}

/** The prefix shows the kind (contract §0.6), so an id alone opens an entity. */
export function targetOf({ fp_id = '' }: ScreenPlace['params']): Target {
  return isBusinessId(fp_id)
    ? { fp_id, kind: 'business', nouns: 'businesses' }
    : { fp_id, kind: 'user', nouns: 'users' };
}

/** One request for all panes that load at the same time. */
export function inspected(source: Source, { fp_id }: Target): Promise<Inspection> {
  const { client, space } = source;
  return source.once(`entity ${fp_id}`, () =>
    client.call('GET /_kyclone/entities/{fp_id}', { params: { fp_id }, query: space }),
  );
}

/** How a row is asked for outside of the inspector. */
export interface Ways extends Target {
  /** A command that takes `--live`. */
  readonly command: (...words: string[]) => readonly string[];
  /** A request of the API. */
  readonly get: (path: string) => CallText;
  /** The masked view of all of it. */
  readonly inspection: CallText;
}

export function waysTo(target: Target, { space }: Source): Ways {
  const path = `/_kyclone/entities/${encodeURIComponent(target.fp_id)}`;
  return {
    ...target,
    command: (...words) => spacedCommand(words, space),
    get: (asked) => ({ method: 'GET', path: asked }),
    inspection: { method: 'GET', path: spacedPath(path, space) },
  };
}

/** `/users/fp_id_…`, for what the API says about it. */
export function pathOf({ nouns, fp_id }: Target): string {
  return `/${nouns}/${encodeURIComponent(fp_id)}`;
}

/** A pane that shows a part of the masked view. */
export function partOf({
  page,
  ...definition
}: Omit<PaneDefinition, 'load'> & {
  readonly page: (entity: Inspection, ways: Ways) => Pick<Page, 'rows' | 'banner' | 'record'>;
}): PaneDefinition {
  return {
    ...definition,
    async load(source: Source, { params }: PageQuery): Promise<Page> {
      const target = targetOf(params);
      const { rows, ...more } = page(await inspected(source, target), waysTo(target, source));
      return { rows, ...more, next: null, total: rows.length };
    },
  };
}

/** Items whose details cost a request each are shown a few at a time. */
const FEW = 20;

/** The next few of a list that came whole; the cursor counts those before. */
export function fewOf<T>(
  items: readonly T[],
  cursor: string | undefined,
): { few: readonly T[] } & Pick<Page, 'next' | 'total'> {
  const start = cursor === undefined ? 0 : Number(cursor);
  const end = start + FEW;
  return {
    few: items.slice(start, end),
    next: end < items.length ? String(end) : null,
    total: items.length,
  };
}
