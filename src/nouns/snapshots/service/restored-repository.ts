/** Finds deleted or revoked records that exist in a store or a snapshot, with any schema that has their tables. */
import type { Database } from '../../../storage/database.ts';
import { exists, tupleStatement } from '../../../storage/statement.ts';
import type { Tombstone, TombstoneKind } from '../../../vault/tombstones.ts';

/** A deleted or revoked record. */
export type Dead = Pick<Tombstone, 'kind' | 'id'>;

/** One that exists. `isOwn`: it was deleted or revoked itself, not with its entity or key. */
export interface Living extends Dead {
  readonly isOwn: boolean;
}

const KEYS = 'SELECT value FROM json_each(@key) UNION SELECT value FROM json_each(@disabled_key)';

/** Valid tokens. Each part reads along an index, as a snapshot may have many tokens. */
const TOKENS = `SELECT 'token', id, id IN (SELECT value FROM json_each(@token)) FROM client_tokens
  WHERE revoked_at IS NULL AND expires_at > @now AND id IN (
    SELECT value FROM json_each(@token)
    UNION SELECT client_tokens.id FROM entities JOIN client_tokens ON client_tokens.entity = entities.id
      WHERE fp_id IN (SELECT value FROM json_each(@entity))
    UNION SELECT id FROM client_tokens WHERE api_key IN (${KEYS}))
  UNION ALL `;

/** Those of these records that the store has, and the tokens of such an entity or key that are valid at `now`. */
export function listLiving(database: Database, records: readonly Dead[], now: number): Living[] {
  const idsOf = (kind: TombstoneKind) =>
    JSON.stringify(records.filter((each) => each.kind === kind).map(({ id }) => id));
  const ids = { entity: idsOf('entity'), key: idsOf('key'), disabled_key: idsOf('disabled_key') };
  const hasTokens = hasTable(database, 'client_tokens');
  const rows = tupleStatement<Readonly<Record<string, string | number>>, [TombstoneKind, string, 0 | 1]>(
    `${hasTokens ? TOKENS : ''}
     SELECT iif(id IN (SELECT value FROM json_each(@key)), 'key', 'disabled_key'), id, 1 FROM api_keys
     WHERE enabled = 1 AND id IN (${KEYS})
     UNION ALL
     SELECT 'entity', fp_id, 1 FROM entities WHERE fp_id IN (SELECT value FROM json_each(@entity))`,
  ).all(database, hasTokens ? { ...ids, token: idsOf('token'), now } : ids);
  return rows.map(([kind, id, isOwn]) => ({ kind, id, isOwn: isOwn === 1 }));
}

export const hasTable = exists<[name: string]>(
  "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?",
);
