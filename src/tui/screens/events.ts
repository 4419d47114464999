/** Events, newest first, and one event with its body and its deliveries (contract §9). */
import { shortTime } from '../../kernel/terminal-text.ts';
import type { Source } from '../data/source.ts';
import type { Cell, Page, Row, Tone } from '../state/model.ts';
import { deliveriesPane, LONGEST_KIND } from './deliveries.ts';
import type { PageQuery, ScreenDefinition } from './definition.ts';
import { placeOf, WHO_WIDTH, whoText } from './entity-place.ts';
import { fact, FACT_COLUMNS, factRows, type Fact } from './fact-rows.ts';
import { copiesOfEvent, eventBodyPane, findEvent, type Event } from './event-body.ts';
import { defined } from '../../kernel/defined.ts';

export const eventsScreen: ScreenDefinition = {
  name: 'events',
  paletteName: 'events',
  title: () => 'Events',
  panes: [
    {
      title: 'Events',
      columns: [
        { heading: 'AT (UTC)' },
        { heading: 'KIND', grows: true, atLeast: LONGEST_KIND },
        { heading: 'STATUS' },
        { heading: 'WHO', atLeast: WHO_WIDTH },
        { heading: 'USER OR BUSINESS', isId: true, atLeast: 12, drop: 1 },
        { heading: 'EVENT', isId: true, drop: 2 },
      ],
      empty: 'No events',
      changesWith: ['event'],
      isFeed: true,
      load: loadEvents,
    },
  ],
};

async function loadEvents(source: Source, { cursor, size }: PageQuery): Promise<Page> {
  const { data, meta } = await source.client.call('GET /_kyclone/events', {
    query: { ...source.space, page_size: size, ...defined({ cursor }) },
  });
  return { rows: data.map((event) => eventRow(event, source)), next: meta.next, total: meta.count };
}

function eventRow(event: Event, source: Source): Row {
  const { id, at, kind } = event;
  const fpId = entityOf(event) ?? '-';
  const who = event.masked_name ?? undefined;
  return {
    ...copiesOfEvent(id, source),
    data: event,
    key: id,
    cells: [shortTime(at), kind, statusCell(event), whoText(fpId, who), fpId, id],
    opens: { screen: 'event', params: { event_id: id } },
    subject: { kind: 'event', event_id: id },
    who,
  };
}

export const eventScreen: ScreenDefinition = {
  name: 'event',
  title: ({ event_id = '' }) => `Event ${event_id}`,
  subject: ({ event_id }) => (event_id === undefined ? undefined : { kind: 'event', event_id }),
  panes: [
    {
      title: 'Event',
      columns: FACT_COLUMNS,
      empty: 'This event no longer exists',
      changesWith: [],
      load: async (source, { params: { event_id = '' } }) => {
        const event = await findEvent(source, event_id);
        return { rows: event === undefined ? [] : factsOf(event, source), record: event, next: null };
      },
    },
    eventBodyPane,
    deliveriesPane(({ event_id = '' }) => ({ event_id }), 'Not sent: no enabled endpoint took this kind'),
  ],
};

function factsOf(event: Event, source: Source): readonly Row[] {
  const fpId = entityOf(event);
  const status = statusCell(event);
  const facts: readonly Fact[] = [
    { name: 'event', text: event.id },
    { name: 'kind', text: event.kind },
    { name: 'at (UTC)', text: shortTime(event.at) },
    ...(status.text === '-' ? [] : [{ name: 'status', ...status }]),
    ...(fpId === undefined ? [] : [{ name: 'user or business', text: fpId, opens: placeOf(fpId) }]),
    ...fact('name', event.masked_name),
    ...fact('environment', source.space.environment),
  ];
  const who = event.masked_name ?? undefined;
  return factRows(facts, {
    ...copiesOfEvent(event.id, source),
    subject: { kind: 'event', event_id: event.id },
    who,
  });
}

function entityOf({ body }: Event): string | undefined {
  const fpId = body['fp_id'];
  return typeof fpId === 'string' ? fpId : undefined;
}

const TONES: Readonly<Record<string, Tone>> = { pass: 'good', fail: 'bad', error: 'bad' };

/** The status in an event; `-` for an event without one. */
function statusCell({ body }: Event): Cell {
  const status = body['new_status'] ?? body['status'];
  if (typeof status !== 'string') return { text: '-', tone: 'dim' };
  return { text: status, tone: TONES[status] ?? 'warn' };
}
