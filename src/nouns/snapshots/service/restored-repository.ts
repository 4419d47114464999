/** Finds deleted or revoked records that exist in a store or a snapshot, with any schema that has their tables. */
import type { Database } from '../../../storage/database.ts';
import { scalarStatement, statement } from '../../../storage/statement.ts';

/** Ids as JSON lists. */
export interface DeletedIds {
  readonly entities: string;
  readonly tokens: string;
  readonly keys: string;
  readonly disabledKeys: string;
}

export function listLivingEntities(database: Database, { entities }: DeletedIds): string[] {
  const sql = 'SELECT fp_id FROM entities WHERE fp_id IN (SELECT value FROM json_each(?))';
  return scalarStatement<[string], string>(sql).all(database, entities);
}

/** Deleted keys, and disabled ones that are enabled there. */
export function listLivingKeys(
  database: Database,
  deleted: DeletedIds,
): { id: string; isToDelete: number }[] {
  return statement<
    { keys: string; disabledKeys: string },
    { id: string; isToDelete: number }
  >(`SELECT id, id IN (SELECT value FROM json_each(@keys)) AS isToDelete FROM api_keys WHERE enabled = 1
       AND id IN (SELECT value FROM json_each(@keys) UNION SELECT value FROM json_each(@disabledKeys))`).all(
    database,
    { keys: deleted.keys, disabledKeys: deleted.disabledKeys },
  );
}

/**
 * Tokens that are valid at `now`, although they were revoked since, or their entity or key was deleted. `isOwn`: the
 * token itself was revoked.
 */
export function listLivingTokens(
  database: Database,
  deleted: DeletedIds,
  now: number,
): { id: string; isOwn: number }[] {
  if (!hasTable(database, 'client_tokens')) return [];
  // Each part reads along an index, as a snapshot may have many tokens.
  const keys = 'SELECT value FROM json_each(@keys) UNION SELECT value FROM json_each(@disabledKeys)';
  return statement<
    { now: number; entities: string; tokens: string; keys: string; disabledKeys: string },
    { id: string; isOwn: number }
  >(`SELECT id, id IN (SELECT value FROM json_each(@tokens)) AS isOwn FROM client_tokens
     WHERE revoked_at IS NULL AND expires_at > @now AND id IN (
       SELECT value FROM json_each(@tokens)
       UNION SELECT client_tokens.id FROM entities JOIN client_tokens ON client_tokens.entity = entities.id
         WHERE fp_id IN (SELECT value FROM json_each(@entities))
       UNION SELECT id FROM client_tokens WHERE api_key IN (${keys}))`).all(database, { ...deleted, now });
}

export function hasTable(database: Database, name: string): boolean {
  const sql = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?";
  return scalarStatement<[string], 1>(sql).get(database, name) !== undefined;
}
