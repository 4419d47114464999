/** Users, businesses, and both together, newest first and masked; and those awaiting a decision (contract §11). */
import type { AnswerOf } from '../../../contract/registry.ts';
import { shortTime } from '../../../kernel/terminal-text.ts';
import type { Cell, EntityKind, Page, Row, Tone } from '../../../tui/state/model.ts';
import type { Source, TenantEnvironment } from '../../../tui/data/source.ts';
import type { PageQuery, PaneDefinition, ScreenDefinition } from '../../../tui/screens/definition.ts';
import { placeOf, subjectOf, WHO_WIDTH } from './place.ts';
import { spacedCommand, spacedPath } from '../../../tui/screens/space.ts';
import { searchEntities } from '../../../client/search.ts';
import { SEARCHED_BY_WORDS, type SearchedBy, searchedAs } from '../../search/facts.ts';
import { defined } from '../../../kernel/defined.ts';

type EntityItem = AnswerOf<'GET /_kyclone/entities'>['data'][number];

type Who = EntityKind | 'everyone';

const WORDS: Readonly<Record<Who, { heading: string; title: string; empty: string }>> = {
  user: { heading: 'USER', title: 'Users', empty: 'No users' },
  business: { heading: 'BUSINESS', title: 'Businesses', empty: 'No businesses' },
  everyone: { heading: 'WHO', title: 'Everyone', empty: 'Neither users nor businesses' },
};

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

/** The results of the palette's search, of either kind. */
export const foundScreen: ScreenDefinition = {
  name: 'found',
  paletteName: 'everyone',
  title: () => 'Users and businesses',
  panes: [pane('everyone')],
};

function pane(kind: Who): PaneDefinition {
  const { heading, title, empty } = WORDS[kind];
  return {
    title,
    columns: [
      { heading, isId: true },
      { heading: 'NAME', grows: true },
      { heading: 'STATUS' },
      { heading: 'MATCHED', hidesEmpty: true },
      // A label warns of its person, so it stays in every window.
      { heading: 'LABEL' },
      { heading: 'EXTERNAL ID', drop: 1 },
      { heading: 'CREATED (UTC)', drop: 2 },
      { heading: 'LAST ACTIVITY (UTC)', drop: 3 },
    ],
    empty,
    changesWith: ['request', 'onboarding'],
    filteredBy: 'daemon',
    finds: 'name, birth date, e-mail, phone, id',
    isSearchLogged: true,
    isFeed: true,
    load: (source, query) => (query.filter === '' ? load(kind, source, query) : search(kind, source, query)),
  };
}

async function load(kind: Who, source: Source, query: PageQuery): Promise<Page> {
  const { client, space } = source;
  entered.get(source)?.delete(kind);
  const { data, meta } = await client.call('GET /_kyclone/entities', {
    query: {
      ...space,
      ...kindOf(kind),
      page_size: query.size,
      ...defined({ cursor: query.cursor }),
    },
  });
  return {
    rows: data.map((item) => ({ ...rowOf(item, space), data: item })),
    next: meta.next,
    total: meta.count,
  };
}

/** The search entered last in each list. Loading its results again does not count as a new search. */
const entered = new WeakMap<Source, Map<Who, { readonly filter: string; readonly id: string }>>();

async function search(kind: Who, source: Source, query: PageQuery): Promise<Page> {
  const { client, space } = source;
  const { filter, cursor, size } = query;
  const known = entered.get(source) ?? new Map<Who, { filter: string; id: string }>();
  entered.set(source, known);
  const last = known.get(kind);
  const { data, meta, search_id, searched_by, too_short } = await searchEntities(client, {
    query: space,
    body: {
      search: filter,
      ...kindOf(kind),
      page_size: size,
      ...(last?.filter === filter && { search_id: last.id }),
      ...defined({ cursor }),
    },
  });
  known.set(kind, { filter, id: search_id });
  const banner = searchedAs(searched_by, too_short);
  return {
    rows: data.map((item) => ({ ...rowOf(item, space, item.matched), data: item })),
    next: meta.next,
    total: meta.count,
    banner,
  };
}

function kindOf(kind: Who): { readonly kind?: EntityKind } {
  return kind === 'everyone' ? {} : { kind };
}

function rowOf(item: EntityItem, space: TenantEnvironment, matched: readonly SearchedBy[] = []): Row {
  const nouns = item.kind === 'user' ? 'users' : 'businesses';
  return {
    key: item.id,
    cells: [
      item.id,
      item.masked_name ?? '-',
      statusCell(item.status, item.requires_manual_review),
      matched.length === 0 ? '-' : matched.map((by) => SEARCHED_BY_WORDS[by]).join(', '),
      labelCell(item.label),
      item.external_id ?? '-',
      shortTime(item.created_at),
      shortTime(item.updated_at),
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

/** A status in its colour, and whether it awaits a manual review. */
export function statusCell(status: string, requiresReview: boolean): Cell {
  return { text: requiresReview ? `${status}, review` : status, tone: TONES[status] ?? 'plain' };
}

export function labelCell(label: string | null): Cell {
  if (label === null) return { text: '-', tone: 'dim' };
  return { text: label, tone: label === 'active' ? 'good' : 'bad' };
}

// Entities awaiting a manual decision, longest first, with the reason.

type Waiting = AnswerOf<'GET /_kyclone/reviews'>['data'][number];

export const reviewsScreen: ScreenDefinition = {
  name: 'reviews',
  paletteName: 'reviews',
  title: () => 'Review queue',
  panes: [
    {
      title: 'Reviews',
      columns: [
        { heading: 'WAITING SINCE (UTC)' },
        { heading: 'WHO', isId: true, atLeast: WHO_WIDTH },
        { heading: 'NAME' },
        { heading: 'STATUS', drop: 1 },
        { heading: 'LABEL', hidesEmpty: true },
        { heading: 'CLAIMED BY', hidesEmpty: true },
        { heading: 'WHY', grows: true, atLeast: 30 },
      ],
      empty: 'Nobody waits for a review',
      changesWith: ['onboarding', 'access'],
      async load({ client, space }, { cursor, size }) {
        const query = { ...space, page_size: size, ...defined({ cursor }) };
        const { data, meta } = await client.call('GET /_kyclone/reviews', { query });
        return { rows: data.map((item) => waitingRow(item, space)), next: meta.next, total: meta.count };
      },
    },
  ],
};

function waitingRow(item: Waiting, space: TenantEnvironment): Row {
  return {
    key: item.id,
    data: item,
    cells: [
      shortTime(item.waiting_since),
      item.id,
      item.masked_name ?? '-',
      { text: item.status, tone: 'warn' },
      labelCell(item.label),
      item.claim === null ? '-' : { text: item.claim.operator, tone: 'warn' },
      whyOf(item),
    ],
    id: item.id,
    command: spacedCommand([item.kind === 'user' ? 'users' : 'businesses', 'get', item.id], space),
    call: { method: 'GET', path: spacedPath('/_kyclone/reviews', space) },
    opens: placeOf(item.id),
    subject: subjectOf(item.id),
    who: item.masked_name ?? undefined,
  };
}

/** `OFAC list hit (high), Name does not match (medium), and 3 more`. */
function whyOf({ signals, signal_count: count }: Waiting): string {
  if (count === 0) return 'its run asked for a review and found no signals';
  const gravest = signals.map(({ note, severity }) => `${note} (${severity})`).join(', ');
  return count > signals.length ? `${gravest}, and ${count - signals.length} more` : gravest;
}
