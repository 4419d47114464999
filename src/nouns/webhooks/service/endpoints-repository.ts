/** The SQL of webhook endpoints. Times are epoch milliseconds. */
import type { Database } from '../../../storage/database.ts';
import {
  assigned,
  boolean,
  bytes,
  initially,
  integer,
  optional,
  table,
  text,
  type RowOf,
} from '../../../storage/table.ts';
import { rowSeal } from '../../../vault/grants/index.ts';
import { inSpace, type Space } from '../../api-keys/service/index.ts';
import { sealedCopy } from '../../../vault/private-values.ts';

const WEBHOOKS = table(
  'webhooks',
  {
    seq: assigned,
    id: text,
    /** Row id. */
    space: integer,
    url: text,
    /** JSON list. */
    kinds: text,
    sealed_secret: bytes,
    sealed_old_secret: initially(null, optional(bytes)),
    old_until: initially(null, optional(integer)),
    enabled: boolean,
    disabled_reason: initially(null, optional(text)),
    /** The time of the first failure after the last success. */
    failing_since: initially(null, optional(integer)),
    created_at: integer,
  },
  { key: ['id'], fixed: ['space', 'created_at'], seal: rowSeal('webhooks') },
);

export type WebhookRow = RowOf<typeof WEBHOOKS>;

export const insertWebhook = WEBHOOKS.insert;
/** Updates the row with the given changes. */
export const updateWebhook = WEBHOOKS.update;

export function updateFailingSince(database: Database, id: string, failing_since: number | null): void {
  WEBHOOKS.set(database, { id }, { failing_since });
}

/** Also deletes its deliveries. */
export const deleteWebhook = WEBHOOKS.delete<[id: string]>('id = ?');
export const deleteAllWebhooks = WEBHOOKS.delete();

/** Throws `vault_damaged` when another program has changed it. */
export const findWebhook = WEBHOOKS.first<[id: string]>('WHERE id = ?');

/** Also returns a row that another program has changed, to delete it and to end its deliveries. */
export const findAnyWebhook = WEBHOOKS.unchecked.first<[id: string]>('WHERE id = ?');

/** The endpoint. Throws `vault_damaged`, and `not_found` for one of another tenant or environment. */
export function getWebhook(database: Database, space: Pick<Space, 'space'>, id: string): WebhookRow {
  return inSpace(space, findWebhook(database, id), 'webhook endpoint');
}

export const isOwnWebhook = WEBHOOKS.isOwn;

/** Throws `vault_damaged`. */
export const copyWebhooks = sealedCopy(WEBHOOKS.all('ORDER BY seq'), insertWebhook);

/** In the order of registration. */
export const listEnabledWebhooks = WEBHOOKS.unchecked.all<[space: number]>(
  'WHERE space = ? AND enabled = 1 ORDER BY seq',
);

/** Newest first. */
export const listWebhooks = WEBHOOKS.unchecked.page<{ space: number }, 'seq'>(
  'space = @space',
  ['seq'],
  'DESC',
);
export const countWebhooks = WEBHOOKS.count<[space: number]>('space = ?');
