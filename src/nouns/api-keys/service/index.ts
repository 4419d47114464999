import type { Environment } from '../../entities/facts.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import type { Database } from '../../../storage/database.ts';
import {
  findSpace,
  type Space,
  ensureSpace,
  findApiKey,
  insertApiKey,
  listAllApiKeys,
  listSpaces,
  updateApiKey,
} from './repository.ts';

export {
  bothOf,
  createApiKeys,
  findKeyRights,
  newApiKey,
  requireKnownPermissions,
  requirePermission,
  requireScope,
  rightsOf,
  type ApiKeys,
  type Caller,
  type FlowCaller,
  type KeyRights,
  type LocalKeys,
  type TokenCaller,
} from './operations.ts';
export {
  deleteApiKey as forgetApiKey,
  ensureSpace,
  findApiKey,
  isApiKeyId,
  findSpace,
  listSpaces,
  type Space,
} from './repository.ts';

/** The tenant and environment of a control call (contract §11); `not_found` when there is no such tenant. */
export function spaceOf(
  database: Database,
  query: { readonly tenant?: string; readonly environment?: Environment },
): Space {
  const space = findSpace(database, query.tenant ?? 'default', query.environment ?? 'sandbox');
  if (!space) throw new ServiceError('not_found', 'No tenant has this name in this environment');
  return space;
}

/** The row, if it is of this space. Otherwise throws `not_found`; `what`: such as `webhook endpoint`. */
export function inSpace<Row extends { readonly space: number }>(
  { space }: Pick<Space, 'space'>,
  row: Row | undefined,
  what: string,
): Row {
  if (row?.space === space) return row;
  throw new ServiceError('not_found', `No ${what} of this tenant and environment has this id`);
}

// Copies API keys between stores, except keys that a loaded store must not restore.

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
  if (row) updateApiKey(database, { ...row, enabled: false });
}
