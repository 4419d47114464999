/** The SQL of choices on the pages of intents. */
import type { Database } from '../../../storage/database.ts';
import { bytes, table } from '../../../storage/table.ts';

/** `digest` is that of the intent. */
const PAGES = table('bank_pages', { digest: bytes, sealed: bytes }, { key: ['digest'] });

/** The sealed choices; undefined when there are none. */
export const findSealedPage = PAGES.value<[digest: Uint8Array], 'sealed'>('sealed', 'WHERE digest = ?');

export function putSealedPage(database: Database, digest: Uint8Array, sealed: Uint8Array): void {
  PAGES.put(database, { digest, sealed });
}

export const deletePage = PAGES.delete<[digest: Uint8Array]>('digest = ?');

/** Deletes choices of intents that are expired by `now`. */
export const deleteExpiredPages = PAGES.delete<[now: number]>(
  'digest IN (SELECT digest FROM bank_link_intents WHERE expires_at <= ? OR has_expired = 1)',
);
