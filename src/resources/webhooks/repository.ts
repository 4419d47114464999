/**
 * The SQL of events, deliveries and their attempts. Times are epoch milliseconds. A pending delivery without next_at
 * waits until its endpoint is enabled.
 */
import type { EventKind, DELIVERY_STATUSES } from '../../contract/facts/webhooks.ts';
import { requireAbsent, type TableIndex } from '../../storage/confirmed-misses.ts';
import type { Database } from '../../storage/database.ts';
import { ROWS_PER_TURN, sliceOf, type Slice } from '../../storage/scanned-page.ts';
import { scalarStatement, statement } from '../../storage/statement.ts';

export interface EventRow {
  readonly seq: number;
  readonly id: string;
  readonly space: number;
  readonly kind: EventKind;
  readonly fp_id: string;
  /** The JSON text that is signed and sent, byte for byte. */
  readonly body: string;
  readonly created_at: number;
}

export interface DeliveryRow {
  readonly seq: number;
  readonly id: string;
  readonly event: string;
  readonly webhook: string;
  readonly status: (typeof DELIVERY_STATUSES)[number];
  /** The number of attempts made. */
  readonly attempts: number;
  readonly next_at: number | null;
  readonly created_at: number;
}

export interface AttemptRow {
  readonly delivery: string;
  readonly attempt: number;
  readonly at: number;
  readonly response_status: number | null;
  readonly error: string | null;
  /** Milliseconds of real time. */
  readonly ms: number;
  readonly hint: string | null;
}

/** A delivery with the displayed members of its event and endpoint. */
export interface ShownDeliveryRow extends DeliveryRow {
  readonly kind: EventKind;
  readonly url: string;
}

const BY_ID = {
  events: { table: 'events', index: 'sqlite_autoindex_events_1', columns: ['id'] },
  deliveries: { table: 'deliveries', index: 'sqlite_autoindex_deliveries_1', columns: ['id'] },
} satisfies Readonly<Record<string, TableIndex>>;

export function insertEvent(database: Database, row: Omit<EventRow, 'seq'>): void {
  statement<{
    id: string;
    space: number;
    created_at: number;
    fp_id: string;
    kind: string;
    body: string;
  }>(`INSERT INTO events (id, space, kind, fp_id, body, created_at)
     VALUES (@id, @space, @kind, @fp_id, @body, @created_at)`).run(database, row);
}

export function findEvent(database: Database, id: string): EventRow | undefined {
  const row = statement<[string], EventRow>('SELECT * FROM events WHERE id = ?').get(database, id);
  if (!row) requireAbsent(database, BY_ID.events, [id]);
  return row;
}

export function isEventId(database: Database, id: string): boolean {
  return scalarStatement<[string], 1>('SELECT 1 FROM events WHERE id = ?').get(database, id) !== undefined;
}

/** Undefined members don't restrict the result. */
export interface EventFilter {
  readonly space: number;
  readonly kind?: EventKind | undefined;
  readonly id?: string | undefined;
  readonly fp_id?: string | undefined;
  /** Inclusive. */
  readonly since?: number | undefined;
}

const EVENT_CONDITIONS = {
  kind: 'kind = @kind',
  id: 'id = @id',
  fp_id: 'fp_id = @fp_id',
  since: 'created_at >= @since',
};

/** Looks at some events of the space below a number. */
export function scanEvents(database: Database, filter: EventFilter, below: number): Slice {
  const { texts, parameters } = conditions(EVENT_CONDITIONS, filter);
  const byId = filter.id === undefined ? '' : 'AND id = @id';
  const rows = statement<Wanted, { seq: number; isMatch: number }>(
    `SELECT seq, ${texts.join(' AND ')} AS isMatch FROM events WHERE space = @space AND seq < @below ${byId}
     ORDER BY seq DESC LIMIT ${ROWS_PER_TURN}`,
  ).all(database, { ...parameters, space: filter.space, below });
  return sliceOf(rows, ROWS_PER_TURN);
}

/** These events, newest first. */
export function listEvents(database: Database, seqs: readonly number[]): EventRow[] {
  return statement<[string], EventRow>(
    'SELECT * FROM events WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq DESC',
  ).all(database, JSON.stringify(seqs));
}

/** `tampering`: JSON of DeliveryTampering; see due-deliveries.ts for the name of its column. */
export function insertDelivery(
  database: Database,
  row: Pick<DeliveryRow, 'id' | 'event' | 'webhook' | 'created_at'> & { readonly tampering: string | null },
): void {
  statement<{
    id: string;
    created_at: number;
    event: string;
    webhook: string;
    tampering: string | null;
  }>(`INSERT INTO deliveries (id, event, webhook, status, next_at, mischief, created_at)
     VALUES (@id, @event, @webhook, 'pending', @created_at, @tampering, @created_at)`).run(database, row);
}

export function isDeliveryId(database: Database, id: string): boolean {
  return (
    scalarStatement<[string], 1>('SELECT 1 FROM deliveries WHERE id = ?').get(database, id) !== undefined
  );
}

const SHOWN = `SELECT deliveries.*, events.kind, webhooks.url FROM deliveries
  JOIN events ON events.id = event JOIN webhooks ON webhooks.id = webhook`;

export function findDelivery(database: Database, id: string): ShownDeliveryRow | undefined {
  const row = statement<[string], ShownDeliveryRow>(`${SHOWN} WHERE deliveries.id = ?`).get(database, id);
  if (!row) requireAbsent(database, BY_ID.deliveries, [id]);
  return row;
}

export interface DeliveryFilter {
  readonly space: number;
  readonly kind?: EventKind | undefined;
  readonly webhook?: string | undefined;
  readonly event?: string | undefined;
  readonly status?: DeliveryRow['status'] | undefined;
}

const DELIVERY_CONDITIONS = {
  kind: 'kind = @kind',
  webhook: 'webhook = @webhook',
  event: 'event = @event',
  status: 'status = @status',
};

/** Looks at some deliveries below a number: of the event or the endpoint, if the filter names one. */
export function scanDeliveries(database: Database, filter: DeliveryFilter, below: number): Slice {
  const { texts, parameters } = conditions(DELIVERY_CONDITIONS, filter);
  const found = [
    ...(filter.event === undefined ? [] : ['event = @event']),
    ...(filter.webhook === undefined ? [] : ['webhook = @webhook']),
  ];
  const rows = statement<Wanted, { seq: number; isMatch: number }>(
    `SELECT deliveries.seq, ${['webhooks.space = @space', ...texts].join(' AND ')} AS isMatch
     FROM deliveries CROSS JOIN events ON events.id = event CROSS JOIN webhooks ON webhooks.id = webhook
     WHERE ${['deliveries.seq < @below', ...found].join(' AND ')}
     ORDER BY deliveries.seq DESC LIMIT ${ROWS_PER_TURN}`,
  ).all(database, { ...parameters, space: filter.space, below });
  return sliceOf(rows, ROWS_PER_TURN);
}

/** These deliveries, newest first. */
export function listDeliveries(database: Database, seqs: readonly number[]): ShownDeliveryRow[] {
  return statement<[string], ShownDeliveryRow>(
    `${SHOWN} WHERE deliveries.seq IN (SELECT value FROM json_each(?)) ORDER BY deliveries.seq DESC`,
  ).all(database, JSON.stringify(seqs));
}

/** By parameter name. */
type Wanted = Readonly<Record<string, string | number>>;

/** Only the conditions that apply, or one that is always true; there are few distinct texts. */
function conditions(
  known: Readonly<Record<string, string>>,
  filter: EventFilter | DeliveryFilter,
): { texts: readonly string[]; parameters: Wanted } {
  const wanted = filter as unknown as Readonly<Record<string, string | number | undefined>>;
  const texts = ['1'];
  const parameters: Record<string, string | number> = {};
  for (const [name, text] of Object.entries(known)) {
    const value = wanted[name];
    if (value === undefined) continue;
    texts.push(text);
    parameters[name] = value;
  }
  return { texts, parameters };
}

/** The attempts of these deliveries, in order. */
export function listAttempts(database: Database, deliveries: readonly string[]): AttemptRow[] {
  return statement<
    [string],
    AttemptRow
  >(`SELECT * FROM delivery_attempts WHERE delivery IN (SELECT value FROM json_each(?))
     ORDER BY delivery, attempt`).all(database, JSON.stringify(deliveries));
}

/** Also deletes the deliveries of the events. */
export function deleteAllEvents(database: Database): { events: number; deliveries: number } {
  const deliveries = scalarStatement<[], number>('SELECT count(*) FROM deliveries').one(database);
  const { changes: events } = statement('DELETE FROM events').run(database);
  return { events, deliveries };
}
