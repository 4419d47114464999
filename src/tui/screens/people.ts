/** Users and businesses, newest first, masked (contract §11). */
import type { AnswerOf } from '../../contract/registry.ts';
import { shortTime } from '../../kernel/terminal-text.ts';
import type { Cell, EntityKind, Page, Row, Tone } from '../state/model.ts';
import type { Source, TenantEnvironment } from '../data/source.ts';
import type { PageQuery, PaneDefinition, ScreenDefinition } from './definition.ts';
import { spacedCommand } from './space.ts';
import { searchEntities } from '../../client/search.ts';
import { searchedAs } from '../../contract/facts/searched-as.ts';

type EntityItem = AnswerOf<'GET /_kyclone/entities'>['data'][number];

export const usersScreen: ScreenDefinition = {
  name: 'users',
  paletteName: 'users',
  title: () => 'Users',
  panes: [pane('user')],
};

export const businessesScreen: ScreenDefinition = {
  name: 'businesses',
  paletteName: 'businesses',
  title: () => 'Businesses',
  panes: [pane('business')],
};

function pane(kind: EntityKind): PaneDefinition {
  return {
    title: kind === 'user' ? 'Users' : 'Businesses',
    columns: [
      { heading: kind === 'user' ? 'USER' : 'BUSINESS', isId: true },
      { heading: 'NAME', grows: true },
      { heading: 'STATUS' },
      { heading: 'LABEL', drop: 2 },
      { heading: 'EXTERNAL ID', drop: 1 },
      { heading: 'CREATED (UTC)' },
    ],
    empty: kind === 'user' ? 'No users' : 'No businesses',
    changesWith: ['request', 'onboarding'],
    filteredBy: 'daemon',
    isFeed: true,
    load: (source, query) => (query.filter === '' ? load(kind, source, query) : search(kind, source, query)),
  };
}

async function load(kind: EntityKind, source: Source, query: PageQuery): Promise<Page> {
  const { client, space } = source;
  entered.get(source)?.delete(kind);
  const { data, meta } = await client.call('GET /_kyclone/entities', {
    query: {
      ...space,
      kind,
      page_size: query.size,
      ...(query.cursor !== undefined && { cursor: query.cursor }),
    },
  });
  return {
    rows: data.map((item) => ({ ...rowOf(item, space), data: item })),
    next: meta.next,
    total: meta.count,
  };
}

/** The search of each list that was entered last: loading its answer again is no other search. */
const entered = new WeakMap<Source, Map<EntityKind, { readonly filter: string; readonly id: string }>>();

async function search(kind: EntityKind, source: Source, query: PageQuery): Promise<Page> {
  const { client, space } = source;
  const { filter, cursor, size } = query;
  const known = entered.get(source) ?? new Map<EntityKind, { filter: string; id: string }>();
  entered.set(source, known);
  const last = known.get(kind);
  const { data, meta, search_id, searched_by, too_short } = await searchEntities(client, {
    query: space,
    body: {
      ...{ search: filter, kind, page_size: size },
      ...(last?.filter === filter && { search_id: last.id }),
      ...(cursor !== undefined && { cursor }),
    },
  });
  known.set(kind, { filter, id: search_id });
  const banner = searchedAs(searched_by, too_short);
  return { rows: data.map((item) => rowOf(item, space)), next: meta.next, total: meta.count, banner };
}

function rowOf(item: EntityItem, space: TenantEnvironment): Row {
  const nouns = item.kind === 'user' ? 'users' : 'businesses';
  return {
    key: item.id,
    cells: [
      item.id,
      item.masked_name ?? '-',
      statusCell(item.status, item.requires_manual_review),
      item.label ?? '-',
      item.external_id ?? '-',
      shortTime(item.created_at),
    ],
    id: item.id,
    command: spacedCommand([nouns, 'get', item.id], space),
    call: { method: 'GET', path: `/${nouns}/${item.id}` },
    opens: { screen: 'entity', params: { fp_id: item.id, kind: item.kind } },
    subject: { kind: item.kind, fp_id: item.id },
    who: item.masked_name ?? undefined,
  };
}

const TONES: Readonly<Record<string, Tone>> = {
  pass: 'good',
  fail: 'bad',
  pending: 'warn',
  incomplete: 'warn',
  none: 'dim',
};

/** A status in its colour; `*` where a person has to review it. */
export function statusCell(status: string, requiresReview: boolean): Cell {
  return { text: requiresReview ? `${status}*` : status, tone: TONES[status] ?? 'plain' };
}
