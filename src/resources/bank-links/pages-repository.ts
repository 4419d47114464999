/** The SQL of choices on the pages of intents. */
import type { Database } from '../../storage/database.ts';
import { scalarStatement, statement } from '../../storage/statement.ts';

/** The sealed choices; undefined when there are none. `digest` is that of the intent. */
export function findSealedPage(database: Database, digest: Uint8Array): Uint8Array | undefined {
  return scalarStatement<[Uint8Array], Uint8Array>('SELECT sealed FROM bank_pages WHERE digest = ?').get(
    database,
    digest,
  );
}

export function putSealedPage(database: Database, digest: Uint8Array, sealed: Uint8Array): void {
  statement<[Uint8Array, Uint8Array]>(
    'INSERT INTO bank_pages (digest, sealed) VALUES (?, ?) ON CONFLICT DO UPDATE SET sealed = excluded.sealed',
  ).run(database, digest, sealed);
}

export function deletePage(database: Database, digest: Uint8Array): void {
  statement<[Uint8Array]>('DELETE FROM bank_pages WHERE digest = ?').run(database, digest);
}

/** Deletes choices of intents that are expired by `now`. */
export function deleteExpiredPages(database: Database, now: number): void {
  statement<[number]>(
    `DELETE FROM bank_pages
     WHERE digest IN (SELECT digest FROM bank_link_intents WHERE expires_at <= ? OR has_expired = 1)`,
  ).run(database, now);
}
