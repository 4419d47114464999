/**
 * All SQL of webhook endpoints, events, deliveries and their attempts. Times are epoch milliseconds. A delivery that is
 * pending without next_at waits for its endpoint to be enabled.
 */
import type { EventKind, DELIVERY_STATUSES } from '../../contract/webhooks.ts';
import { requireAbsent, type TableIndex } from '../../storage/confirmed-misses.ts';
import { statement, type Database } from '../../storage/database.ts';
import { isSealed, requireSeal, sealOf, updateGrantList, type GrantRow } from '../../vault/grants/index.ts';

export interface WebhookRow {
  readonly seq: number;
  readonly id: string;
  /** Row id. */
  readonly space: number;
  readonly url: string;
  /** JSON list. */
  readonly kinds: string;
  readonly sealed_secret: Uint8Array;
  readonly sealed_old_secret: Uint8Array | null;
  readonly old_until: number | null;
  readonly enabled: number;
  readonly disabled_reason: string | null;
  /** Of the first failure since which no attempt succeeded. */
  readonly failing_since: number | null;
  readonly created_at: number;
  readonly seal: Uint8Array | null;
}

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
  /** How many were made. */
  readonly attempts: number;
  readonly next_at: number | null;
  /** JSON of DeliveryMischief. */
  readonly mischief: string | null;
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

/** A delivery with what is shown of its event and endpoint. */
export interface ShownDeliveryRow extends DeliveryRow {
  readonly kind: EventKind;
  readonly url: string;
}

export function insertWebhook(
  database: Database,
  row: Pick<WebhookRow, 'id' | 'space' | 'url' | 'kinds' | 'sealed_secret' | 'enabled' | 'created_at'>,
): void {
  statement(
    database,
    `INSERT INTO webhooks (id, space, url, kinds, sealed_secret, enabled, created_at, seal)
     VALUES (@id, @space, @url, @kinds, @sealed_secret, @enabled, @created_at, @seal)`,
  ).run({ ...row, seal: sealOf(database, 'webhooks', { ...row, sealed_old_secret: null, old_until: null }) });
  updateGrantList(database);
}

/** The row as it was found, with what is to be changed. */
export function updateWebhook(database: Database, row: WebhookRow): void {
  statement(
    database,
    `UPDATE webhooks SET url = @url, kinds = @kinds, sealed_secret = @sealed_secret,
       sealed_old_secret = @sealed_old_secret, old_until = @old_until, enabled = @enabled,
       disabled_reason = @disabled_reason, failing_since = @failing_since, seal = @seal WHERE id = @id`,
  ).run({ ...row, seal: sealOf(database, 'webhooks', row) });
  updateGrantList(database);
}

export function updateFailingSince(database: Database, id: string, failingSince: number | null): void {
  statement(database, 'UPDATE webhooks SET failing_since = ? WHERE id = ?').run(failingSince, id);
}

/** Takes its deliveries along. */
export function deleteWebhook(database: Database, id: string): void {
  statement(database, 'DELETE FROM webhooks WHERE id = ?').run(id);
  updateGrantList(database);
}

/** Throws `vault_damaged` when somebody else has changed it. */
export function findWebhook(database: Database, id: string): WebhookRow | undefined {
  const row = findAnyWebhook(database, id);
  if (row) requireOwnWebhook(database, row);
  return row;
}

/** Also one that somebody else has changed: to delete it, and to end what was to be sent there. */
export function findAnyWebhook(database: Database, id: string): WebhookRow | undefined {
  const row = statement(database, 'SELECT * FROM webhooks WHERE id = ?').get(id) as WebhookRow | undefined;
  if (!row) requireAbsent(database, BY_ID.webhooks, [id]);
  return row;
}

const BY_ID = {
  webhooks: { table: 'webhooks', index: 'sqlite_autoindex_webhooks_1', columns: ['id'] },
  events: { table: 'events', index: 'sqlite_autoindex_events_1', columns: ['id'] },
  deliveries: { table: 'deliveries', index: 'sqlite_autoindex_deliveries_1', columns: ['id'] },
} satisfies Readonly<Record<string, TableIndex>>;

export function isOwnWebhook(database: Database, row: WebhookRow): boolean {
  return isSealed(database, 'webhooks', row, row.seal);
}

/** Where data goes is asked again before each time it goes there. Throws `vault_damaged`. */
export function requireOwnWebhook(
  database: Database,
  row: GrantRow<'webhooks'> & Pick<WebhookRow, 'seal'>,
): void {
  requireSeal(database, 'webhooks', row, row.seal);
}

/** Puts the endpoints of one store into another that has none. Throws `vault_damaged`. */
export function copyWebhooks(
  from: Database,
  to: Database,
  how: {
    /** Row ids of spaces there by those here. */
    readonly spaces: ReadonlyMap<number, number>;
    readonly reseal: (id: string, secret: Uint8Array) => Uint8Array;
  },
): void {
  for (const row of statement(from, 'SELECT * FROM webhooks ORDER BY seq').all() as WebhookRow[]) {
    requireOwnWebhook(from, row);
    const space = how.spaces.get(row.space);
    if (space === undefined) continue;
    const { id, sealed_old_secret: old } = row;
    const copied = { ...row, space, sealed_secret: how.reseal(id, row.sealed_secret) };
    insertWebhook(to, copied);
    updateWebhook(to, { ...copied, sealed_old_secret: old && how.reseal(id, old) });
  }
}

/** In the order of their registration. */
export function listEnabledWebhooks(database: Database, space: number): WebhookRow[] {
  return statement(database, 'SELECT * FROM webhooks WHERE space = ? AND enabled = 1 ORDER BY seq').all(
    space,
  ) as WebhookRow[];
}

/** A page of a list: newest first, those before the row `before` when there is one; one more than `limit`. */
export interface Page {
  readonly before: number | undefined;
  readonly limit: number;
}

export function listWebhooks(database: Database, space: number, { before, limit }: Page): WebhookRow[] {
  return statement(
    database,
    `SELECT * FROM webhooks WHERE space = @space AND (@before IS NULL OR seq < @before)
     ORDER BY seq DESC LIMIT @limit + 1`,
  ).all({ space, before: before ?? null, limit }) as WebhookRow[];
}

export function countWebhooks(database: Database, space: number): number {
  return statement(database, 'SELECT count(*) FROM webhooks WHERE space = ?').pluck().get(space) as number;
}

export function insertEvent(database: Database, row: Omit<EventRow, 'seq'>): void {
  statement(
    database,
    `INSERT INTO events (id, space, kind, fp_id, body, created_at)
     VALUES (@id, @space, @kind, @fp_id, @body, @created_at)`,
  ).run(row);
}

export function findEvent(database: Database, id: string): EventRow | undefined {
  const row = statement(database, 'SELECT * FROM events WHERE id = ?').get(id) as EventRow | undefined;
  if (!row) requireAbsent(database, BY_ID.events, [id]);
  return row;
}

export function isEventId(database: Database, id: string): boolean {
  return statement(database, 'SELECT 1 FROM events WHERE id = ?').get(id) !== undefined;
}

/** What is undefined is not asked for. */
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

export function listEvents(database: Database, filter: EventFilter, { before, limit }: Page): EventRow[] {
  const { where, parameters } = conditions('space = @space', EVENT_CONDITIONS, { ...filter });
  return statement(
    database,
    `SELECT * FROM events WHERE ${where} AND (@before IS NULL OR seq < @before) ORDER BY seq DESC LIMIT @limit + 1`,
  ).all({ ...parameters, before: before ?? null, limit }) as EventRow[];
}

export function countEvents(database: Database, filter: EventFilter): number {
  const { where, parameters } = conditions('space = @space', EVENT_CONDITIONS, { ...filter });
  return statement(database, `SELECT count(*) FROM events WHERE ${where}`).pluck().get(parameters) as number;
}

export function insertDelivery(
  database: Database,
  row: Pick<DeliveryRow, 'id' | 'event' | 'webhook' | 'mischief' | 'created_at'>,
): void {
  statement(
    database,
    `INSERT INTO deliveries (id, event, webhook, status, next_at, mischief, created_at)
     VALUES (@id, @event, @webhook, 'pending', @created_at, @mischief, @created_at)`,
  ).run(row);
}

export function isDeliveryId(database: Database, id: string): boolean {
  return statement(database, 'SELECT 1 FROM deliveries WHERE id = ?').get(id) !== undefined;
}

const SHOWN = `SELECT deliveries.*, events.kind, webhooks.url FROM deliveries
  JOIN events ON events.id = event JOIN webhooks ON webhooks.id = webhook`;

export function findDelivery(database: Database, id: string): ShownDeliveryRow | undefined {
  const row = statement(database, `${SHOWN} WHERE deliveries.id = ?`).get(id) as ShownDeliveryRow | undefined;
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

export function listDeliveries(
  database: Database,
  filter: DeliveryFilter,
  { before, limit }: Page,
): ShownDeliveryRow[] {
  const { where, parameters } = conditions('webhooks.space = @space', DELIVERY_CONDITIONS, { ...filter });
  return statement(
    database,
    `${SHOWN} WHERE ${where} AND (@before IS NULL OR deliveries.seq < @before)
     ORDER BY deliveries.seq DESC LIMIT @limit + 1`,
  ).all({ ...parameters, before: before ?? null, limit }) as ShownDeliveryRow[];
}

export function countDeliveries(database: Database, filter: DeliveryFilter): number {
  const { where, parameters } = conditions('webhooks.space = @space', DELIVERY_CONDITIONS, { ...filter });
  return statement(database, `SELECT count(*) FROM (${SHOWN} WHERE ${where})`)
    .pluck()
    .get(parameters) as number;
}

/** Only the conditions that apply; the texts are few and fixed. */
function conditions(
  first: string,
  known: Readonly<Record<string, string>>,
  { space, ...wanted }: { readonly space: number } & Readonly<Record<string, unknown>>,
): { where: string; parameters: Record<string, unknown> } {
  const names = Object.keys(known).filter((name) => wanted[name] !== undefined);
  return {
    where: [first, ...names.map((name) => known[name])].join(' AND '),
    parameters: { space, ...Object.fromEntries(names.map((name) => [name, wanted[name]])) },
  };
}

/** In their order, of these deliveries. */
export function listAttempts(database: Database, deliveries: readonly string[]): AttemptRow[] {
  return statement(
    database,
    `SELECT * FROM delivery_attempts WHERE delivery IN (SELECT value FROM json_each(?))
     ORDER BY delivery, attempt`,
  ).all(JSON.stringify(deliveries)) as AttemptRow[];
}

/** What is deleted with all of it: the deliveries of the events go along. */
export function deleteAllEvents(database: Database): { events: number; deliveries: number } {
  const deliveries = statement(database, 'SELECT count(*) FROM deliveries').pluck().get() as number;
  const { changes: events } = statement(database, 'DELETE FROM events').run();
  return { events, deliveries };
}

export function deleteAllWebhooks(database: Database): void {
  statement(database, 'DELETE FROM webhooks').run();
  updateGrantList(database);
}
