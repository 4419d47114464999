/** Deliveries with their receivers and results, newest first, and one delivery with its attempts (contract §9). */
import { pagesOf } from '../../../client/pages.ts';
import { PAGE_SIZE } from '../../../contract/facts/limits.ts';
import { deliveryStatusText, EVENT_KINDS, HEADER_PREFIXES, isSuccess } from '../facts.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import { shortTime, displayWidth } from '../../../kernel/text/terminal-text.ts';
import type { Source } from '../../../tui/data/source.ts';
import type { Cell, ScreenPlace, Row, Tone } from '../../../tui/state/model.ts';
import type { PageQuery, PaneDefinition, ScreenDefinition } from '../../../tui/screens/definition.ts';
import { itemsPane, listScreen, recordPane } from '../../../tui/screens/list-pane.ts';
import { BODY_PANE, eventBodyPane } from './event-body.ts';
import { placeOf, WHO_WIDTH, whoText } from '../../entities/screen/place.ts';
import { fact, factRows, type Fact } from '../../../tui/screens/fact-rows.ts';
import { copiesOf } from '../../../tui/screens/space.ts';
import { defined } from '../../../kernel/defined.ts';

/** A kind that is cut may be another. */
export const LONGEST_KIND = Math.max(...EVENT_KINDS.map(({ length }) => length));
/** Fits 80 columns beside a time, a status and a person. */
export const RECEIVER_WIDTH = 20;

type Delivery = AnswerOf<'GET /_kyclone/deliveries'>['data'][number];
type Attempt = Delivery['attempts'][number];

export const deliveriesScreen = listScreen(
  {
    name: 'deliveries',
    says: 'events sent to webhook endpoints, and the answers',
    words: 'webhooks hooks endpoints failed attempts',
  },
  deliveriesPane(() => ({}), 'No deliveries'),
);

/** `filters` selects the deliveries by the parameters of the screen. */
export function deliveriesPane(
  filters: (params: ScreenPlace['params']) => { readonly event_id?: string },
  empty: string,
): PaneDefinition {
  const find = async (source: Source, { params, cursor, filter, size }: PageQuery) => {
    const { data, meta } = await source.client.call('GET /_kyclone/deliveries', {
      query: {
        ...source.space,
        ...filters(params),
        ...(filter !== '' && { q: filter }),
        page_size: size,
        ...defined({ cursor }),
      },
    });
    const more = { source, names: await namesOf(source, data) };
    return { items: data, more, next: meta.next, total: meta.count };
  };
  return itemsPane(find, {
    title: 'Deliveries',
    columns: [
      { heading: 'LAST (UTC)', cell: ({ at }) => shortTime(at) },
      { heading: 'STATUS', cell: statusCell },
      {
        heading: 'WHO',
        atLeast: WHO_WIDTH,
        cell: ({ fp_id, masked_name }) => whoText(fp_id, masked_name ?? undefined),
      },
      {
        heading: 'RECEIVER',
        atLeast: RECEIVER_WIDTH,
        cell: ({ webhook_id, url }, { names }) => names.get(webhook_id) ?? url,
      },
      { heading: 'ANSWER', drop: 1, cell: answerCell },
      { heading: 'KIND', atLeast: LONGEST_KIND, drop: 2, cell: 'kind' },
      { heading: 'ERROR', grows: true, atLeast: 30, drop: 3, cell: 'error' },
      { heading: 'NEXT (UTC)', drop: 4, cell: ({ next_at: at }) => shortTime(at) },
      { heading: 'EXTERNAL ID', drop: 5, cell: 'external_id' },
      { heading: 'USER OR BUSINESS', isId: true, atLeast: 12, drop: 6, cell: 'fp_id' },
      {
        heading: 'HINT',
        drop: 7,
        cell: (delivery) => ({ text: delivery.hint ?? waitText(delivery) ?? '-', tone: 'warn' }),
      },
      { heading: 'URL', drop: 8, cell: 'url' },
    ],
    empty,
    changesWith: ['delivery', 'event'],
    isFeed: true,
    filteredBy: 'daemon',
    finds: 'kind, id, receiver, error',
    row: (delivery, { source }) => ({
      ...copiesOfDelivery(delivery, source),
      key: delivery.id,
      opens: { screen: 'delivery', params: { delivery_id: delivery.id, event_id: delivery.event_id } },
      who: delivery.masked_name ?? undefined,
    }),
  });
}

/** By all endpoints, not by those of a page, so that a name stays the same. */
async function namesOf(
  { client, space }: Source,
  deliveries: readonly Delivery[],
): Promise<ReadonlyMap<string, string>> {
  const query = { ...space, page_size: PAGE_SIZE.most };
  const { data } = await client.call('GET /_kyclone/webhooks', { query });
  const shown = deliveries.map(({ webhook_id: id, url }) => [id, url] as const);
  const urls = new Map([...shown, ...data.map(({ id, url }) => [id, url] as const)]);
  return receiverNames([...urls].map(([id, url]) => ({ id, url })));
}

/** Copies a request for the deliveries of the event, because no command shows a single delivery. */
function copiesOfDelivery(
  { id, event_id, webhook_id }: Delivery,
  { space }: Source,
): Pick<Row, 'id' | 'command' | 'call' | 'subject'> {
  const path = `/_kyclone/deliveries?event_id=${event_id}&webhook_id=${webhook_id}`;
  return {
    id,
    ...copiesOf(['webhooks', 'deliveries', '--event', event_id, '--webhook', webhook_id], path, space),
    subject: { kind: 'event', event_id, webhook_id },
  };
}

const TONES: Readonly<Record<Delivery['status'], Tone>> = {
  delivered: 'good',
  failed: 'bad',
  pending: 'warn',
};

function statusCell(delivery: Delivery): Cell {
  return { text: deliveryStatusText(delivery), tone: TONES[delivery.status] };
}

/** A pending delivery without a next attempt is on hold. */
function waitText({ status, next_at }: Delivery): string | undefined {
  return status === 'pending' && next_at === null ? 'Waits until its endpoint is enabled' : undefined;
}

/** The result: a status, or a note that no response came. */
function answerCell({
  response_status: status,
  error,
}: Pick<Attempt, 'response_status' | 'error'>): string | Cell {
  if (status === null) return error === null ? '-' : { text: 'none', tone: 'bad' };
  return { text: String(status), tone: isSuccess(status) ? 'good' : 'bad' };
}

export const deliveryScreen: ScreenDefinition = {
  title: ({ delivery_id = '' }) => `Delivery ${delivery_id}`,
  subject: ({ event_id }) => (event_id === undefined ? undefined : { kind: 'event', event_id }),
  panes: [
    recordPane(findDelivery, {
      title: 'Delivery',
      empty: 'This delivery no longer exists',
      changesWith: ['delivery', 'event'],
      page: (delivery, source) => ({ rows: factsOf(delivery, source), record: delivery }),
    }),
    itemsPane(findAttempts, {
      title: 'Attempts',
      columns: [
        { heading: 'NO', align: 'right', cell: 'attempt' },
        { heading: 'AT (UTC)', cell: ({ at }) => shortTime(at) },
        { heading: 'ANSWER', cell: answerCell },
        { heading: 'MS', align: 'right', cell: ({ ms }) => String(Math.round(ms)) },
        { heading: 'ERROR', grows: true, atLeast: 24, cell: 'error' },
        {
          heading: 'HINT',
          drop: 1,
          hidesEmpty: true,
          cell: ({ hint }) => ({ text: hint ?? '-', tone: 'warn' }),
        },
        { heading: 'SIGNED AT (UNIX)', align: 'right', drop: 10, cell: 'webhook_timestamp' },
        { heading: 'SIGNATURE', drop: 11, cell: 'webhook_signature' },
      ],
      besideInPage: BODY_PANE,
      empty: 'No attempt yet',
      changesWith: ['delivery', 'event'],
      row: (one, { same, event_id }) => ({ ...same, ...headersOf(event_id, one), key: String(one.attempt) }),
    }),
    eventBodyPane,
  ],
};

/** The newest first, a row for each: the number of rows is that of the attempts. */
async function findAttempts(source: Source, query: PageQuery) {
  const delivery = await findDelivery(source, query);
  const { event_id = '' } = query.params;
  const more = { same: delivery && copiesOfDelivery(delivery, source), event_id };
  return { items: delivery?.attempts.toReversed() ?? [], more, total: undefined };
}

/** Searches the deliveries of the event, because a single delivery has no endpoint. */
async function findDelivery(source: Source, { params }: PageQuery): Promise<Delivery | undefined> {
  const { client, space } = source;
  const { delivery_id: id = '', event_id = '' } = params;
  return await source.once(`delivery ${id}`, async () => {
    const pages = pagesOf((page) =>
      client.call('GET /_kyclone/deliveries', { query: { ...space, event_id, ...page } }),
    );
    for await (const data of pages) {
      const found = data.find((each) => each.id === id);
      if (found !== undefined) return found;
    }
    return undefined;
  });
}

/** Each attempt is signed anew, and the secret is shown nowhere here. */
const SIGNATURE =
  'each attempt has its own: y there copies its headers for kyclone webhooks verify --headers';

function factsOf(delivery: Delivery, source: Source): readonly Row[] {
  const { id, kind, event_id, webhook_id, url, created_at, at, next_at, ms } = delivery;
  const { fp_id, external_id } = delivery;
  const answer = answerCell(delivery);
  const facts: readonly Fact[] = [
    { name: 'delivery', text: id },
    { name: 'status', ...statusCell(delivery) },
    { name: 'user or business', text: fp_id, opens: placeOf(fp_id) },
    ...fact('name', delivery.masked_name),
    ...fact('external id', external_id),
    { name: 'kind', text: kind },
    { name: 'event', text: event_id, opens: { screen: 'event', params: { event_id } } },
    { name: 'endpoint', text: webhook_id },
    { name: 'url', text: url },
    { name: 'signature', text: SIGNATURE, isProse: true },
    { name: 'attempts', text: String(delivery.attempt) },
    ...(typeof answer === 'string' ? [] : [{ name: 'last answer', ...answer }]),
    ...(ms === null ? [] : fact('took', `${Math.round(ms)} ms`)),
    { name: 'created (UTC)', text: shortTime(created_at) },
    ...(at === null ? [] : fact('last (UTC)', shortTime(at))),
    ...(next_at === null ? [] : fact('next (UTC)', shortTime(next_at), 'warn')),
    ...fact('error', delivery.error, 'bad').map((each) => ({ ...each, isProse: true })),
    ...fact('hint', delivery.hint ?? waitText(delivery), 'warn').map((each) => ({ ...each, isProse: true })),
  ];
  return factRows(facts, { ...copiesOfDelivery(delivery, source), who: delivery.masked_name ?? undefined });
}

/** The signed headers of an attempt, one on each line, as `webhooks verify --headers` takes them. */
function headersOf(
  event_id: string,
  { attempt, webhook_timestamp, webhook_signature }: Attempt,
): Pick<Row, 'id' | 'copies'> {
  if (webhook_timestamp === null || webhook_signature === null) return {};
  const prefix = HEADER_PREFIXES.standard;
  const headers = { id: event_id, timestamp: webhook_timestamp, signature: webhook_signature };
  const lines = Object.entries(headers).map(([name, value]) => `${prefix}-${name}: ${value}`);
  return { id: `${lines.join('\n')}\n`, copies: `headers of attempt ${attempt}` };
}

// Short names that distinguish all webhook endpoints in a narrow window. Pure.

export interface Receiver {
  readonly id: string;
  readonly url: string;
}

const ID_CHARACTERS = 5;
/** How much of the beginning of a long URL is kept: what is cut is between it and the end. */
const BEGINNINGS = [6, 10, 14, 2, 18, 0];

/** The name of each receiver by its id: its URL without the scheme, cut where others don't differ. */
export function receiverNames(receivers: readonly Receiver[]): ReadonlyMap<string, string> {
  const texts = receivers.map(({ id, url }) => ({ id, text: url.replace(/^https?:\/\//, '') }));
  const tries = BEGINNINGS.map((head) => texts.map(({ text }) => cut(text, head)));
  const chosen = tries.find((names) => new Set(names).size === names.length) ?? tries[0] ?? [];
  return new Map(
    texts.map(({ id, text }, at) => {
      const name = chosen[at] ?? text;
      const isShared = chosen.filter((each) => each === name).length > 1;
      return [
        id,
        isShared ? `${cut(text, 0, RECEIVER_WIDTH - ID_CHARACTERS - 1)} ${id.slice(-ID_CHARACTERS)}` : name,
      ];
    }),
  );
}

function cut(text: string, head: number, width = RECEIVER_WIDTH): string {
  if (displayWidth(text) <= width) return text;
  const characters = Array.from(text);
  const tail = width - head - 1;
  return [...characters.slice(0, head), '…', ...characters.slice(-tail)].join('');
}
