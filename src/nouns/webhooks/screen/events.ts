/** Events: their lists, one event, and their actions (contract §9, §11). */
import { allPages } from '../../../client/pages.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import { EVENT_KINDS, eventStatus } from '../facts.ts';
import { counted } from '../../../kernel/text/count-text.ts';
import { shortTime, shortened } from '../../../kernel/text/terminal-text.ts';
import { type ActionDefinition, idOf, labelledId, wordsOf } from '../../../tui/actions/definition.ts';
import { firstAttempts } from './first-attempts.ts';
import {
  type EntitySubject,
  eventSubject,
  type EventSubject,
  ON_ENTITY,
} from '../../../tui/actions/subjects.ts';
import type { Source } from '../../../tui/data/source.ts';
import type { ScreenDefinition } from '../../../tui/screens/definition.ts';
import { listPane, listScreen, recordPane } from '../../../tui/screens/list-pane.ts';
import { deliveriesPane, LONGEST_KIND } from './deliveries.ts';
import { placeOf, WHO_WIDTH, whoText } from '../../entities/screen/place.ts';
import { copiesOfEvent, eventBodyPane, findEvent, OF_EVENT, type Event } from './event-body.ts';
import { fact, factRows, type Fact } from '../../../tui/screens/fact-rows.ts';
import type { Cell, Row, Tone, Choice } from '../../../tui/state/model.ts';
import { done } from '../../../tui/actions/things.ts';

// Events, newest first, and one event with its body and its deliveries (contract §9).

export const eventsScreen = listScreen(
  { name: 'events', says: 'what happened, with a body and deliveries each', words: 'webhooks hooks' },
  listPane('GET /_kyclone/events', {
    title: 'Events',
    columns: [
      { heading: 'AT (UTC)', cell: ({ at }) => shortTime(at) },
      { heading: 'KIND', grows: true, atLeast: LONGEST_KIND, cell: 'kind' },
      { heading: 'STATUS', cell: statusCell },
      {
        heading: 'WHO',
        atLeast: WHO_WIDTH,
        cell: (event) => whoText(entityOf(event), event.masked_name ?? undefined),
      },
      { heading: 'USER OR BUSINESS', isId: true, atLeast: 12, drop: 1, cell: entityOf },
      { heading: 'EVENT', isId: true, drop: 2, cell: 'id' },
    ],
    empty: 'No events',
    changesWith: ['event'],
    isFeed: true,
    row: ({ id, masked_name }, source) => ({
      ...copiesOfEvent(id, source),
      key: id,
      opens: { screen: 'event', params: { event_id: id } },
      subject: { kind: 'event', event_id: id },
      who: masked_name ?? undefined,
    }),
  }),
);

export const eventScreen: ScreenDefinition = {
  title: ({ event_id = '' }) => `Event ${event_id}`,
  subject: ({ event_id }) => (event_id === undefined ? undefined : { kind: 'event', event_id }),
  panes: [
    recordPane(findEvent, {
      ...OF_EVENT,
      title: 'Event',
      page: (event, source) => ({ rows: factsOf(event, source), record: event }),
    }),
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
    { name: 'user or business', text: fpId, opens: placeOf(fpId) },
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

/** Every event has the id of its user or business. */
function entityOf({ body }: Event): string {
  return String(body['fp_id']);
}

const TONES: Readonly<Record<string, Tone>> = { pass: 'good', fail: 'bad', error: 'bad' };

/** The status in an event; `-` for an event without one. */
function statusCell(event: Event): Cell {
  const status = eventStatus(event);
  if (status === undefined) return { text: '-', tone: 'dim' };
  return { text: status, tone: TONES[status] ?? 'warn' };
}

// Sends an event again, under the same id, or a sample event about a user or business (contract §9, §11).

export const resend: ActionDefinition<EventSubject> = {
  label: 'Resend an event',
  subject: eventSubject,
  needs: 'Select an event or a delivery first',
  leavesTrace: true,
  forMany: true,
  confirm: ({ event_id, webhook_id }) => [
    `Event ${event_id} is sent again, with the same id and body and a new signature.`,
    webhook_id === undefined
      ? 'It goes to every enabled webhook endpoint that takes its kind.'
      : `It goes to webhook endpoint ${webhook_id} only.`,
  ],
  async perform(source, { event_id, webhook_id }) {
    const { data } = await source.client.call('POST /_kyclone/events/{id}/resend', {
      params: { id: event_id },
      query: source.space,
      body: webhook_id === undefined ? {} : { webhook_id },
    });
    const ids = data.map(({ id }) => id);
    const { tone, text } = await firstAttempts(source, event_id, ids);
    return done(text, tone);
  },
};

type Webhook = AnswerOf<'GET /_kyclone/webhooks'>['data'][number];

const ALL = 'all';
const URL_CELLS = 60;

export const trigger: ActionDefinition<EntitySubject> = {
  label: 'Trigger an event',
  ...ON_ENTITY,
  fields: () => [
    {
      name: 'kind',
      label: 'Kind',
      kind: 'loaded',
      isRequired: true,
      hint: 'A sample of this kind, about the selected user or business',
    },
    {
      name: 'webhook',
      label: 'Webhook endpoint',
      kind: 'loaded',
      isRequired: true,
      hint: 'A single endpoint gets the event whatever kinds it takes',
    },
  ],
  async choices(source, _subject, field) {
    const webhooks = await enabledWebhooks(source);
    return field === 'kind' ? kindChoices(webhooks) : webhookChoices(webhooks);
  },
  confirm({ fp_id }, { kind = '', webhook = '' }) {
    const isForAll = idOf(webhook) === ALL;
    return [
      `This records a sample event ${idOf(kind)} about ${fp_id}. Nothing else changes.`,
      isForAll
        ? wordsOf(kind) === NONE
          ? 'It goes to nobody: no enabled webhook endpoint takes this kind.'
          : `It is signed and goes to ${wordsOf(kind)} now.`
        : `It is signed and goes to ${wordsOf(webhook)} (${idOf(webhook)}) only, now.`,
    ];
  },
  async perform(source, { fp_id }, { kind = '', webhook = '' }) {
    const only = idOf(webhook) === ALL ? {} : { webhook_id: idOf(webhook) };
    const event = await source.client.call('POST /_kyclone/events/trigger', {
      query: source.space,
      body: { kind: idOf(kind), fp_id, ...only },
    });
    const { tone, text } = await firstAttempts(source, event.id, event.deliveries);
    return done(`${event.kind}: ${text}`, tone);
  },
};

async function enabledWebhooks(source: Source): Promise<readonly Webhook[]> {
  const { client, space } = source;
  return await source.once('webhooks to trigger', async () => {
    const all = await allPages((page) =>
      client.call('GET /_kyclone/webhooks', { query: { ...space, ...page } }),
    );
    return all.filter(({ enabled }) => enabled);
  });
}

const NONE = 'no webhook';

/** Each with the number of webhooks that take it. */
function kindChoices(webhooks: readonly Webhook[]): Choice[] {
  return EVENT_KINDS.map((kind) => {
    const count = webhooks.filter(({ kinds }) => kinds.includes('*') || kinds.includes(kind)).length;
    const words = count === 0 ? NONE : counted(count, 'webhook');
    return { value: labelledId(kind, words), label: `${kind} (${words})` };
  });
}

function webhookChoices(webhooks: readonly Webhook[]): Choice[] {
  return [
    { value: ALL, label: 'All that take this kind' },
    ...webhooks.map(({ id, url }) => {
      const shown = shortened(url, URL_CELLS);
      return { value: labelledId(id, shown), label: `${shown} (${id})` };
    }),
  ];
}
