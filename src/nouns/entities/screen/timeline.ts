/** The history of an entity, newest first, as `users timeline` lists it (contract §11). */
import { TIMELINE_KINDS, type TimelineKind } from '../facts.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import { shortTime } from '../../../kernel/text/terminal-text.ts';
import type { ScreenPlace } from '../../../tui/state/model.ts';
import { runPlace } from '../../onboardings/screen.ts';
import { itemsPane } from '../../../tui/screens/list-pane.ts';
import { targetOf, waysTo, type Ways } from './inspection.ts';
import { defined } from '../../../kernel/defined.ts';

type Entry = AnswerOf<'GET /_kyclone/entities/{fp_id}/timeline'>['data'][number];

export const TIMELINE = 'Timeline';

export const timeline = itemsPane<Entry, Ways>(
  async (source, { params, cursor, filter, size }) => {
    const kinds = kindsIn(filter);
    const target = targetOf(params);
    const more = waysTo(target, source);
    if (kinds === undefined) return { items: [], more, banner: FILTERS };
    const { data, meta } = await source.client.call('GET /_kyclone/entities/{fp_id}/timeline', {
      params: { fp_id: target.fp_id },
      query: {
        ...source.space,
        page_size: size,
        ...defined({ cursor }),
        ...(kinds.length > 0 && { kinds: kinds.join(',') }),
      },
    });
    return { items: data, more, next: meta.next, total: meta.count };
  },
  {
    title: TIMELINE,
    columns: [
      { heading: 'AT (UTC)', cell: ({ at }) => shortTime(at) },
      { heading: 'KIND', drop: 3, cell: ({ kind }) => ({ text: kind, tone: 'dim' }) },
      { heading: 'WHAT', grows: true, atLeast: 34, cell: 'title' },
      { heading: 'BY', drop: 1, cell: 'by' },
      { heading: 'REASON', drop: 2, cell: 'reason' },
      { heading: 'DETAILS', drop: 4, cell: ({ details }) => details.join(' ') || '-' },
    ],
    empty: 'Nothing happened',
    changesWith: ['request', 'read', 'onboarding', 'event', 'access'],
    isFeed: true,
    filteredBy: 'daemon',
    finds: `kind, such as ${TIMELINE_KINDS[0]}`,
    row: ({ at, kind, id, title }, ways) => ({
      // The title of an event changes with its deliveries.
      key: `${at} ${kind} ${id ?? ''} ${kind === 'event' ? '' : title}`,
      id: id ?? ways.fp_id,
      ...ways.copies([ways.nouns, 'timeline', ways.fp_id], `${ways.inspection}/timeline`),
      ...defined({ opens: placeOf(kind, id, ways) }),
    }),
  },
);

const FILTERS = `The timeline is filtered by kind: ${TIMELINE_KINDS.join(', ')}`;

/** The kinds that begin with the given words; undefined if a word matches none. */
function kindsIn(filter: string): readonly TimelineKind[] | undefined {
  const words = filter.toLowerCase().match(/[^\s,]+/g) ?? [];
  const kinds = words.map((word) => TIMELINE_KINDS.filter((kind) => kind.startsWith(word)));
  return kinds.some(({ length }) => length === 0) ? undefined : [...new Set(kinds.flat())];
}

function placeOf(kind: TimelineKind, id: string | null, { fp_id }: Ways): ScreenPlace | undefined {
  if (id === null) return undefined;
  if (kind === 'event') return { screen: 'event', params: { event_id: id } };
  if (kind === 'run' || kind === 'signals' || kind === 'hit') return runPlace(fp_id, id);
  if (kind === 'read') return { screen: 'request', params: { request_id: id } };
  return undefined;
}
