/** Users, businesses, and both together, newest first and masked; and those awaiting a decision (contract §11). */
import type { AnswerOf } from '../../../contract/registry.ts';
import { shortTime } from '../../../kernel/text/terminal-text.ts';
import type { Cell, EntityKind, Tone } from '../../../tui/state/model.ts';
import type { Source } from '../../../tui/data/source.ts';
import type { PageQuery, PaneDefinition, ScreenDefinition } from '../../../tui/screens/definition.ts';
import { itemsPane, listPane, listScreen } from '../../../tui/screens/list-pane.ts';
import { placeOf, subjectOf, WHO_WIDTH } from './place.ts';
import { copiesOf } from '../../../tui/screens/space.ts';
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

export const usersScreen = listScreen(
  { name: 'users', says: 'people, with what is known of each', words: 'people persons customers' },
  pane('user'),
);

export const businessesScreen = listScreen(
  {
    name: 'businesses',
    says: 'companies, their owners and what is known of them',
    words: 'companies owners kyb',
  },
  pane('business'),
);

/** The results of the palette's search, of either kind. */
export const foundScreen: ScreenDefinition = {
  palette: { name: 'everyone', says: 'users and businesses together' },
  title: () => 'Users and businesses',
  panes: [pane('everyone')],
};

function pane(kind: Who): PaneDefinition {
  const { heading, title, empty } = WORDS[kind];
  return itemsPane<Listed, Source>(
    (source, query) => (query.filter === '' ? all(kind, source, query) : searched(kind, source, query)),
    {
      title,
      columns: [
        { heading, isId: true, cell: 'id' },
        { heading: 'NAME', grows: true, cell: 'masked_name' },
        { heading: 'STATUS', cell: (item) => statusCell(item.status, item.requires_manual_review) },
        {
          heading: 'MATCHED',
          hidesEmpty: true,
          cell: ({ matched = [] }) => matched.map((by) => SEARCHED_BY_WORDS[by]).join(', ') || '-',
        },
        // A label warns of its person, so it stays in every window.
        { heading: 'LABEL', cell: ({ label }) => labelCell(label) },
        { heading: 'EXTERNAL ID', drop: 1, cell: 'external_id' },
        { heading: 'CREATED (UTC)', drop: 2, cell: ({ created_at: at }) => shortTime(at) },
        { heading: 'LAST ACTIVITY (UTC)', drop: 3, cell: ({ updated_at: at }) => shortTime(at) },
      ],
      empty,
      changesWith: ['request', 'onboarding'],
      filteredBy: 'daemon',
      finds: 'name, birth date, e-mail, phone, id',
      isSearchLogged: true,
      isFeed: true,
      row: (item, { space }) => ({
        id: item.id,
        ...copiesOf([nounsOf(item.kind), 'get', item.id], `/${nounsOf(item.kind)}/${item.id}`, space),
        opens: { screen: 'entity', params: { fp_id: item.id, kind: item.kind } },
        subject: { kind: item.kind, fp_id: item.id },
        who: item.masked_name ?? undefined,
      }),
    },
  );
}

/** `matched`: by what a search found it. */
type Listed = EntityItem & { readonly matched?: readonly SearchedBy[] };

async function all(kind: Who, source: Source, { size, cursor }: PageQuery) {
  entered.get(source)?.delete(kind);
  const { data, meta } = await source.client.call('GET /_kyclone/entities', {
    query: { ...source.space, ...kindOf(kind), page_size: size, ...defined({ cursor }) },
  });
  return { items: data, more: source, next: meta.next, total: meta.count };
}

/** The search entered last in each list. Loading its results again does not count as a new search. */
const entered = new WeakMap<Source, Map<Who, { readonly filter: string; readonly id: string }>>();

async function searched(kind: Who, source: Source, { filter, cursor, size }: PageQuery) {
  const { client, space } = source;
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
  return { items: data, more: source, next: meta.next, total: meta.count, banner };
}

function kindOf(kind: Who): { readonly kind?: EntityKind } {
  return kind === 'everyone' ? {} : { kind };
}

function nounsOf(kind: EntityKind): string {
  return kind === 'user' ? 'users' : 'businesses';
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
  palette: {
    name: 'reviews',
    says: 'entities awaiting a manual review, since when and why',
    words: 'queue cases manual waiting decide',
  },
  title: () => 'Review queue',
  panes: [
    listPane('GET /_kyclone/reviews', {
      title: 'Reviews',
      columns: [
        { heading: 'WAITING SINCE (UTC)', cell: ({ waiting_since: since }) => shortTime(since) },
        { heading: 'WHO', isId: true, atLeast: WHO_WIDTH, cell: 'id' },
        { heading: 'NAME', cell: 'masked_name' },
        { heading: 'STATUS', drop: 1, cell: ({ status }) => ({ text: status, tone: 'warn' }) },
        { heading: 'LABEL', hidesEmpty: true, cell: ({ label }) => labelCell(label) },
        {
          heading: 'CLAIMED BY',
          hidesEmpty: true,
          cell: ({ claim }) => (claim === null ? '-' : { text: claim.operator, tone: 'warn' }),
        },
        { heading: 'WHY', grows: true, atLeast: 30, cell: whyOf },
      ],
      empty: 'Nobody waits for a review',
      changesWith: ['onboarding', 'access'],
      row: ({ id, kind, masked_name }, { space }) => ({
        id,
        ...copiesOf([nounsOf(kind), 'get', id], '/_kyclone/reviews', space),
        opens: placeOf(id),
        subject: subjectOf(id),
        who: masked_name ?? undefined,
      }),
    }),
  ],
};

/** `OFAC list hit (high), Name does not match (medium), and 3 more`. */
function whyOf({ signals, signal_count: count }: Waiting): string {
  if (count === 0) return 'its run asked for a review and found no signals';
  const gravest = signals.map(({ note, severity }) => `${note} (${severity})`).join(', ');
  return count > signals.length ? `${gravest}, and ${count - signals.length} more` : gravest;
}
