/** The SQL of duplicates: other entities with a blind index. Only reads; the vault writes the index. */
import type { Database } from '../../storage/database.ts';
import { tupleStatement } from '../../storage/statement.ts';
import { listUnlistedBy } from '../../vault/fingerprints-repository.ts';
import type { EntityRow } from '../entities/index.ts';

export interface OtherUser {
  /** Row id, increasing with creation. */
  readonly id: number;
  readonly fp_id: string;
  readonly external_id: string | null;
}

/**
 * Other users of the same space with this digest, newest first, at most `limit`: first those that the table doesn't
 * cover yet, then those in the table.
 */
export function listOthersByFingerprint(
  database: Database,
  user: Pick<EntityRow, 'id' | 'space'>,
  lookup: { digest: Uint8Array; limit: number },
): OtherUser[] {
  const byId = new Map<number, OtherUser>();
  const add = (rows: readonly OtherTuple[]) => {
    for (const [id, fp_id, external_id] of rows) byId.set(id, { id, fp_id, external_id });
  };
  for (const id of listUnlistedBy(database, lookup.digest))
    add(BY_ROW.all(database, id, user.id, user.space));
  add(BY_DIGEST.all(database, lookup.digest, user.id, user.space, lookup.limit));
  return [...byId.values()].sort((one, other) => other.id - one.id).slice(0, lookup.limit);
}

type OtherTuple = [id: number, fp_id: string, external_id: string | null];
const OF_OTHERS = "AND entities.id <> ? AND space = ? AND kind = 'user'";

const BY_ROW = tupleStatement<[row: number, user: number, space: number], OtherTuple>(
  `SELECT id, fp_id, external_id FROM entities WHERE id = ? ${OF_OTHERS}`,
);

/**
 * CROSS JOIN forces this order of tables: SQLite reads the digest's rows from the newest and stops at the limit,
 * however many there are.
 */
const BY_DIGEST = tupleStatement<
  [digest: Uint8Array, user: number, space: number, limit: number],
  OtherTuple
>(`SELECT entities.id, fp_id, external_id
   FROM fingerprints CROSS JOIN entities ON entities.id = fingerprints.entity
   WHERE digest = ? ${OF_OTHERS} ORDER BY entity DESC LIMIT ?`);
