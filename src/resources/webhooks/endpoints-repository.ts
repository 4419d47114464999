/** The SQL of webhook endpoints. Times are epoch milliseconds. */
import { requireAbsent, type TableIndex } from '../../storage/confirmed-misses.ts';
import type { Database } from '../../storage/database.ts';
import { scalarStatement, statement } from '../../storage/statement.ts';
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
  /** The time of the first failure after the last success. */
  readonly failing_since: number | null;
  readonly created_at: number;
  readonly seal: Uint8Array | null;
}

export function insertWebhook(
  database: Database,
  row: Pick<WebhookRow, 'id' | 'space' | 'url' | 'kinds' | 'sealed_secret' | 'enabled' | 'created_at'>,
): void {
  statement<{
    seal: Uint8Array;
    id: string;
    space: number;
    enabled: number;
    created_at: number;
    url: string;
    kinds: string;
    sealed_secret: Uint8Array;
  }>(`INSERT INTO webhooks (id, space, url, kinds, sealed_secret, enabled, created_at, seal)
     VALUES (@id, @space, @url, @kinds, @sealed_secret, @enabled, @created_at, @seal)`).run(database, {
    ...row,
    seal: sealOf(database, 'webhooks', { ...row, sealed_old_secret: null, old_until: null }),
  });
  updateGrantList(database);
}

/** Updates the row with the given changes. */
export function updateWebhook(database: Database, row: WebhookRow): void {
  statement<{
    seal: Uint8Array;
    seq: number;
    id: string;
    space: number;
    url: string;
    kinds: string;
    sealed_secret: Uint8Array;
    sealed_old_secret: Uint8Array | null;
    old_until: number | null;
    enabled: number;
    disabled_reason: string | null;
    failing_since: number | null;
    created_at: number;
  }>(`UPDATE webhooks SET url = @url, kinds = @kinds, sealed_secret = @sealed_secret,
       sealed_old_secret = @sealed_old_secret, old_until = @old_until, enabled = @enabled,
       disabled_reason = @disabled_reason, failing_since = @failing_since, seal = @seal WHERE id = @id`).run(
    database,
    { ...row, seal: sealOf(database, 'webhooks', row) },
  );
  updateGrantList(database);
}

export function updateFailingSince(database: Database, id: string, failingSince: number | null): void {
  statement<[number | null, string]>('UPDATE webhooks SET failing_since = ? WHERE id = ?').run(
    database,
    failingSince,
    id,
  );
}

/** Also deletes its deliveries. */
export function deleteWebhook(database: Database, id: string): void {
  statement<[string]>('DELETE FROM webhooks WHERE id = ?').run(database, id);
  updateGrantList(database);
}

/** Throws `vault_damaged` when another program has changed it. */
export function findWebhook(database: Database, id: string): WebhookRow | undefined {
  const row = findAnyWebhook(database, id);
  if (row) requireOwnWebhook(database, row);
  return row;
}

/** Also returns a row that another program has changed, to delete it and to end its deliveries. */
export function findAnyWebhook(database: Database, id: string): WebhookRow | undefined {
  const row = statement<[string], WebhookRow>('SELECT * FROM webhooks WHERE id = ?').get(database, id);
  if (!row) requireAbsent(database, BY_ID, [id]);
  return row;
}

const BY_ID: TableIndex = { table: 'webhooks', index: 'sqlite_autoindex_webhooks_1', columns: ['id'] };

export function isOwnWebhook(database: Database, row: WebhookRow): boolean {
  return isSealed(database, 'webhooks', row, row.seal);
}

/** Verifies the endpoint again before each delivery. Throws `vault_damaged`. */
export function requireOwnWebhook(
  database: Database,
  row: GrantRow<'webhooks'> & Pick<WebhookRow, 'seal'>,
): void {
  requireSeal(database, 'webhooks', row, row.seal);
}

/** Copies the endpoints of one store into one that has none. Throws `vault_damaged`. */
export function copyWebhooks(
  from: Database,
  to: Database,
  how: {
    /** Row ids of the target's spaces by those of the source. */
    readonly spaces: ReadonlyMap<number, number>;
    readonly reseal: (id: string, secret: Uint8Array) => Uint8Array;
  },
): void {
  for (const row of statement<[], WebhookRow>('SELECT * FROM webhooks ORDER BY seq').all(from)) {
    requireOwnWebhook(from, row);
    const space = how.spaces.get(row.space);
    if (space === undefined) continue;
    const { id, sealed_old_secret: old } = row;
    const copied = { ...row, space, sealed_secret: how.reseal(id, row.sealed_secret) };
    insertWebhook(to, copied);
    updateWebhook(to, { ...copied, sealed_old_secret: old && how.reseal(id, old) });
  }
}

/** In the order of registration. */
export function listEnabledWebhooks(database: Database, space: number): WebhookRow[] {
  return statement<[number], WebhookRow>(
    'SELECT * FROM webhooks WHERE space = ? AND enabled = 1 ORDER BY seq',
  ).all(database, space);
}

/** A page of a list: newest first, starting before the row `before` if given; up to one more than `limit`. */
export interface EndpointsPage {
  readonly before: number | undefined;
  readonly limit: number;
}

export function listWebhooks(
  database: Database,
  space: number,
  { before, limit }: EndpointsPage,
): WebhookRow[] {
  return statement<
    { space: number; before: number | null; limit: number },
    WebhookRow
  >(`SELECT * FROM webhooks WHERE space = @space AND (@before IS NULL OR seq < @before)
     ORDER BY seq DESC LIMIT @limit + 1`).all(database, { space, before: before ?? null, limit });
}

export function countWebhooks(database: Database, space: number): number {
  return scalarStatement<[number], number>('SELECT count(*) FROM webhooks WHERE space = ?').one(
    database,
    space,
  );
}

export function deleteAllWebhooks(database: Database): void {
  statement('DELETE FROM webhooks').run(database);
  updateGrantList(database);
}
