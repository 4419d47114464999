/** The SQL of intents, from which links are created. Times are epoch milliseconds. */
import { requireAbsent, type OwnKey } from '../../storage/confirmed-misses.ts';
import type { Database } from '../../storage/database.ts';
import { statement } from '../../storage/statement.ts';
import { requireSeal, sealOf } from '../../vault/grants/index.ts';
import { deletePage } from './pages-repository.ts';

export interface IntentRow {
  /** SHA-256 of the token; the store doesn't contain the token itself. */
  readonly digest: Uint8Array;
  /** Row id. */
  readonly entity: number;
  /** Row id of the link that it reconnects. */
  readonly link: number | null;
  readonly persona: string;
  readonly institution: string;
  readonly created_at: number;
  readonly expires_at: number;
  /** Whether it was expired when the clock was moved back. */
  readonly has_expired: number;
  readonly used_at: number | null;
  readonly seal: Uint8Array | null;
}

export function insertIntent(
  database: Database,
  row: Omit<IntentRow, 'has_expired' | 'used_at' | 'seal'>,
): void {
  const seal = sealOf(database, 'bank_link_intents', { ...row, has_expired: 0, used_at: null });
  statement<{
    seal: Uint8Array;
    digest: Uint8Array;
    created_at: number;
    entity: number;
    expires_at: number;
    link: number | null;
    persona: string;
    institution: string;
  }>(`INSERT INTO bank_link_intents (digest, entity, link, persona, institution, created_at, expires_at, seal)
     VALUES (@digest, @entity, @link, @persona, @institution, @created_at, @expires_at, @seal)`).run(
    database,
    { ...row, seal },
  );
}

/** Throws `vault_damaged` when another program has changed it. */
export function findIntent(database: Database, digest: Uint8Array): IntentRow | undefined {
  const row = statement<[Uint8Array], IntentRow>('SELECT * FROM bank_link_intents WHERE digest = ?').get(
    database,
    digest,
  );
  if (row) requireSeal(database, 'bank_link_intents', row, row.seal);
  else requireAbsent(database, INTENTS, [digest]);
  return row;
}

const INTENTS: OwnKey = {
  table: 'bank_link_intents',
  columns: ['digest'],
  twin: { index: 'bank_link_intents_by_entity', columns: ['entity'] },
};

/** Marks the intent as used. Its choices now belong to the link. */
export function useIntent(database: Database, intent: IntentRow, at: number): void {
  deletePage(database, intent.digest);
  updateIntent(database, { ...intent, used_at: at });
}

function updateIntent(database: Database, row: IntentRow): void {
  statement<[number, number | null, Uint8Array, Uint8Array]>(
    'UPDATE bank_link_intents SET has_expired = ?, used_at = ?, seal = ? WHERE digest = ?',
  ).run(database, row.has_expired, row.used_at, sealOf(database, 'bank_link_intents', row), row.digest);
}

/** Intents that are expired by `now` stay expired whatever the clock says later. */
export function markExpired(database: Database, now: number): void {
  const rows = statement<[number], IntentRow>(
    'SELECT * FROM bank_link_intents WHERE expires_at <= ? AND has_expired = 0',
  ).all(database, now);
  for (const row of rows) {
    requireSeal(database, 'bank_link_intents', row, row.seal);
    updateIntent(database, { ...row, has_expired: 1 });
  }
}

export function deleteIntentsExpiredBefore(database: Database, entity: number, time: number): void {
  statement<[number, number]>('DELETE FROM bank_link_intents WHERE entity = ? AND expires_at < ?').run(
    database,
    entity,
    time,
  );
}
