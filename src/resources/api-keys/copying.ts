/** Copies API keys between stores, except keys that a loaded store must not restore. */
import type { Database } from '../../storage/database.ts';
import {
  ensureSpace,
  findApiKey,
  findSpace,
  insertApiKey,
  listAllApiKeys,
  listSpaces,
  updateApiKey,
  type Space,
} from './repository.ts';

/**
 * Copies the API keys of a verified store into one that has none. Returns the row ids of the target's spaces by those
 * of the source. Throws `vault_damaged`.
 */
export function copyApiKeys(
  from: Database,
  to: Database,
  onNewSpace: (database: Database, space: Space) => void,
): ReadonlyMap<number, number> {
  const spaces = new Map<number, Space>();
  for (const { space, tenant, environment, created_at } of listSpaces(from)) {
    const isNew = !findSpace(to, tenant, environment);
    const made = ensureSpace(to, { tenant, environment, created_at });
    if (isNew) onNewSpace(to, made);
    spaces.set(space, made);
  }
  for (const row of listAllApiKeys(from)) {
    const space = spaces.get(row.space);
    if (space) insertApiKey(to, { ...row, ...space, last_used_at: null });
  }
  return new Map([...spaces].map(([row, { space }]) => [row, space]));
}

export function disableApiKey(database: Database, id: string): void {
  const row = findApiKey(database, id);
  if (row) updateApiKey(database, { ...row, enabled: 0 });
}
