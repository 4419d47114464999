/** The SQL of intents, from which links are created, and of the choices on their pages. Times are epoch milliseconds. */
import type { Database } from '../../../storage/database.ts';
import { bytes, initially, integer, optional, table, text, type RowOf } from '../../../storage/table.ts';
import { rowSeal } from '../../../vault/grants/index.ts';

const INTENTS = table(
  'bank_link_intents',
  {
    /** SHA-256 of the token; the store doesn't contain the token itself. */
    digest: bytes,
    /** Row id. */
    entity: integer,
    /** Row id of the link that it reconnects. */
    link: optional(integer),
    persona: text,
    institution: text,
    created_at: integer,
    expires_at: integer,
    /** Whether it was expired when the clock was moved back. */
    has_expired: initially(0, integer),
    used_at: initially(null, optional(integer)),
  },
  { key: ['digest'], seal: rowSeal('bank_link_intents') },
);

export type IntentRow = RowOf<typeof INTENTS>;

export const insertIntent = INTENTS.insert;

/** Throws `vault_damaged` when another program has changed it. */
export const findIntent = INTENTS.first<[digest: Uint8Array]>('WHERE digest = ?');

/** Marks the intent as used. Its choices now belong to the link. */
export function useIntent(database: Database, intent: IntentRow, at: number): void {
  deletePage(database, intent.digest);
  INTENTS.change(database, intent, { used_at: at });
}

const listExpired = INTENTS.all<[now: number]>('WHERE expires_at <= ? AND has_expired = 0');

/** Intents that are expired by `now` stay expired whatever the clock says later. */
export function markExpired(database: Database, now: number): void {
  for (const row of listExpired(database, now)) INTENTS.change(database, row, { has_expired: 1 });
}

export const deleteIntentsExpiredBefore = INTENTS.delete<[entity: number, time: number]>(
  'entity = ? AND expires_at < ?',
);

/** `digest` is that of the intent. */
const PAGES = table('bank_pages', { digest: bytes, sealed: bytes }, { key: ['digest'] });

/** The sealed choices; undefined when there are none. */
export const findSealedPage = PAGES.value<[digest: Uint8Array], 'sealed'>('sealed', 'WHERE digest = ?');
export const putPage = PAGES.put;
const deletePage = PAGES.delete<[digest: Uint8Array]>('digest = ?');

/** Deletes choices of intents that are expired by `now`. */
export const deleteExpiredPages = PAGES.delete<[now: number]>(
  'digest IN (SELECT digest FROM bank_link_intents WHERE expires_at <= ? OR has_expired = 1)',
);
