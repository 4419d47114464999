/**
 * The SQL of events, deliveries and their attempts. Times are epoch milliseconds. A pending delivery without next_at
 * waits until its endpoint is enabled.
 */
import type { DeliveryStatus, EventKind } from '../facts.ts';
import type { Database } from '../../../storage/database.ts';
import { ROWS_PER_TURN, sliceOf, type Slice } from '../../../storage/scanned-page.ts';
import { statement } from '../../../storage/statement.ts';
import {
  assigned,
  initially,
  integer,
  joined,
  optional,
  real,
  table,
  text,
  textOf,
  type RowOf,
} from '../../../storage/table.ts';

const EVENTS = table('events', {
  seq: assigned,
  id: text,
  space: integer,
  kind: textOf<EventKind>(),
  fp_id: text,
  /** The JSON text that is signed and sent, byte for byte. */
  body: text,
  created_at: integer,
});
/** The external id of an event's entity; null once it is deleted. */
const EXTERNAL_ID = `(SELECT external_id FROM entities
  WHERE entities.fp_id = events.fp_id AND entities.space = events.space)`;

const DELIVERIES = table(
  'deliveries',
  {
    seq: assigned,
    id: text,
    event: text,
    webhook: text,
    status: textOf<DeliveryStatus>(),
    /** The number of attempts made. */
    attempts: initially(0, integer),
    next_at: optional(integer),
    /** JSON of DeliveryTampering; see due-deliveries.ts for its name. */
    mischief: optional(text),
    created_at: integer,
    kind: joined('events.kind', textOf<EventKind>()),
    fp_id: joined('events.fp_id', text),
    external_id: joined(EXTERNAL_ID, optional(text)),
    url: joined('webhooks.url', text),
  },
  { key: ['id'], from: `deliveries JOIN events ON events.id = event JOIN webhooks ON webhooks.id = webhook` },
);
const ATTEMPTS = table('delivery_attempts', {
  delivery: text,
  attempt: integer,
  at: integer,
  response_status: optional(integer),
  error: optional(text),
  /** Milliseconds of real time. */
  ms: real,
  hint: optional(text),
  /** Unix seconds, as sent. */
  webhook_timestamp: optional(integer),
  webhook_signature: optional(text),
});

export type EventRow = RowOf<typeof EVENTS>;
/** A delivery with the displayed members of its event and endpoint. */
export type DeliveryRow = RowOf<typeof DELIVERIES>;

export const insertEvent = EVENTS.insert;
export const findEvent = EVENTS.first<[id: string]>('WHERE id = ?');
export const isEventId = EVENTS.has<[id: string]>('id = ?');

/** What restricts a list, by the name of its condition; what is undefined doesn't. */
type Filter<Conditions> = {
  readonly [Name in keyof Conditions]?: string | number | undefined;
} & { readonly space: number };

const EVENT_CONDITIONS = {
  kind: 'kind = @kind',
  event_id: 'id = @event_id',
  fp_id: 'fp_id = @fp_id',
  since: 'created_at >= @since',
};

/** Looks at some events of the space below a number. */
export function scanEvents(
  database: Database,
  filter: Filter<typeof EVENT_CONDITIONS>,
  below: number,
): Slice {
  const { texts, parameters } = conditions(EVENT_CONDITIONS, filter);
  const byId = filter.event_id === undefined ? '' : `AND ${EVENT_CONDITIONS.event_id}`;
  const rows = statement<Wanted, Looked>(
    `SELECT seq, ${texts.join(' AND ')} AS isMatch FROM events WHERE space = @space AND seq < @below ${byId}
     ORDER BY seq DESC LIMIT ${ROWS_PER_TURN}`,
  ).all(database, { ...parameters, space: filter.space, below });
  return sliceOf(rows, ROWS_PER_TURN);
}

/** The events of these numbers, newest first. */
export const listEvents = EVENTS.among('seq', 'ORDER BY seq DESC');

export function insertDelivery(
  database: Database,
  {
    tampering,
    ...row
  }: Pick<DeliveryRow, 'id' | 'event' | 'webhook' | 'created_at'> & { readonly tampering: string | null },
): void {
  const next_at = row.created_at;
  DELIVERIES.insert(database, { ...row, mischief: tampering, status: 'pending', next_at });
}

export function updateDelivery(
  database: Database,
  { id, status, attempts, next_at }: Pick<DeliveryRow, 'id' | 'status' | 'attempts' | 'next_at'>,
): void {
  DELIVERIES.set(database, { id }, { status, attempts, next_at });
}

export const isDeliveryId = DELIVERIES.has<[id: string]>('id = ?');
export const findDelivery = DELIVERIES.first<[id: string]>('WHERE deliveries.id = ?');

/** The words of a filter as a JSON list, in lower case where SQLite has one: in ASCII. */
export function wordsOf(text: string | undefined): string | undefined {
  const words = text?.split(/\s+/).filter((word) => word !== '');
  return words && JSON.stringify(words).replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** An attempt that was no success, in the words of its error and hint. */
const RESULT = `(SELECT concat_ws(char(10), error, hint, response_status) FROM delivery_attempts
  WHERE delivery = deliveries.id AND attempt = attempts)`;
/** A delivery that has failed so far is found by either word. */
const STATUS = `iif(status = 'pending' AND attempts > 0, 'failing pending', status)`;

/** Whether a text has each of the words. */
function hasWords(words: string, text: string): string {
  return `NOT EXISTS (SELECT 1 FROM json_each(${words}) WHERE instr(lower(${text}), value) = 0)`;
}

/** `error` and `q` are words as JSON; see `wordsOf`. */
const DELIVERY_CONDITIONS = {
  kind: 'kind = @kind',
  webhook_id: 'webhook = @webhook_id',
  event_id: 'event = @event_id',
  fp_id: 'events.fp_id = @fp_id',
  external_id: `${EXTERNAL_ID} = @external_id`,
  status: `iif(@status = 'failing', status = 'pending' AND attempts > 0, status = @status)`,
  error: hasWords('@error', `coalesce(${RESULT}, '')`),
  q: hasWords(
    '@q',
    `concat_ws(char(10), deliveries.id, event, webhook, events.fp_id, ${EXTERNAL_ID}, kind, ${STATUS}, url, ${RESULT})`,
  ),
};

/** Looks at some deliveries below a number: of the event or the endpoint, if the filter names one. */
export function scanDeliveries(
  database: Database,
  filter: Filter<typeof DELIVERY_CONDITIONS>,
  below: number,
): Slice {
  const { event_id, webhook_id } = DELIVERY_CONDITIONS;
  const { texts, parameters } = conditions(DELIVERY_CONDITIONS, filter);
  const found = texts.filter((text) => text === event_id || text === webhook_id);
  const rows = statement<Wanted, Looked>(
    `SELECT deliveries.seq, ${['webhooks.space = @space', ...texts].join(' AND ')} AS isMatch
     FROM deliveries CROSS JOIN events ON events.id = event CROSS JOIN webhooks ON webhooks.id = webhook
     WHERE ${['deliveries.seq < @below', ...found].join(' AND ')}
     ORDER BY deliveries.seq DESC LIMIT ${ROWS_PER_TURN}`,
  ).all(database, { ...parameters, space: filter.space, below });
  return sliceOf(rows, ROWS_PER_TURN);
}

/** The deliveries of these numbers, newest first. */
export const listDeliveries = DELIVERIES.among('deliveries.seq', 'ORDER BY deliveries.seq DESC');

type Wanted = Readonly<Record<string, string | number>>;
interface Looked {
  readonly seq: number;
  readonly isMatch: number;
}

/** Only the conditions that apply, or one that is always true; there are few distinct texts. */
function conditions(
  known: Readonly<Record<string, string>>,
  filter: Readonly<Record<string, string | number | undefined>>,
) {
  const wanted = Object.entries(known).filter(([name]) => filter[name] !== undefined);
  const parameters = Object.fromEntries(wanted.map(([name]) => [name, filter[name]])) as Wanted;
  return { texts: ['1', ...wanted.map(([, text]) => text)], parameters };
}

export const insertAttempt = ATTEMPTS.insert;

interface About {
  readonly space: number;
  readonly fp_id: string;
}

/** The newest of an entity before a time, or at that time and before a row: at most `limit`, newest first. */
export const listEventsOf = EVENTS.all<About & { at: number; seq: number; limit: number }>(
  `WHERE space = @space AND fp_id = @fp_id AND (created_at < @at OR (created_at = @at AND seq < @seq))
   ORDER BY created_at DESC, seq DESC LIMIT @limit`,
);
export const countEventsOf = EVENTS.count<About>('space = @space AND fp_id = @fp_id');

/** Those of these events, in the order of creation. */
export const listDeliveriesOf = DELIVERIES.among('event', 'ORDER BY deliveries.seq');

/** The attempts of these deliveries, in order. */
export const listAttempts = ATTEMPTS.among('delivery', 'ORDER BY delivery, attempt');

const countDeliveries = DELIVERIES.count();
const deleteEvents = EVENTS.delete();

/** Also deletes the deliveries of the events. */
export function deleteAllEvents(database: Database): { events: number; deliveries: number } {
  const deliveries = countDeliveries(database);
  return { events: deleteEvents(database), deliveries };
}
