import type { Environment } from '../../contract/facts/entities.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Database } from '../../storage/database.ts';
import { findSpace, type Space } from './repository.ts';

/** The tenant and environment of a control call (contract §11); `not_found` when there is no such tenant. */
export function spaceOf(
  database: Database,
  query: { readonly tenant?: string; readonly environment?: Environment },
): Space {
  const space = findSpace(database, query.tenant ?? 'default', query.environment ?? 'sandbox');
  if (!space) throw new ServiceError('not_found', 'No tenant has this name in this environment');
  return space;
}
