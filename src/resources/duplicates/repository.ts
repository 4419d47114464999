/** The SQL of duplicates: who else has a blind index. Reads only; the vault writes the index. */
import type { Database } from '../../storage/database.ts';
import { tupleStatement } from '../../storage/statement.ts';
import type { EntityRow } from '../entities/index.ts';

export interface OtherUser {
  /** Row id: rises with creation. */
  readonly id: number;
  readonly fp_id: string;
  readonly external_id: string | null;
}

/**
 * Other users of the same space with this digest, newest first, `limit` at most. CROSS JOIN keeps SQLite to that order
 * of tables: it walks the digest's rows from the newest on and stops at the limit, however many there are.
 */
export function listOthersByFingerprint(
  database: Database,
  user: Pick<EntityRow, 'id' | 'space'>,
  lookup: { digest: Uint8Array; limit: number },
): OtherUser[] {
  const rows = tupleStatement<
    [Uint8Array, number, number, number],
    [number, string, string | null]
  >(`SELECT entities.id, fp_id, external_id
     FROM fingerprints CROSS JOIN entities ON entities.id = fingerprints.entity
     WHERE digest = ? AND entity <> ? AND space = ? AND kind = 'user'
     ORDER BY entity DESC LIMIT ?`).all(database, lookup.digest, user.id, user.space, lookup.limit);
  return rows.map(([id, fp_id, external_id]) => ({ id, fp_id, external_id }));
}
