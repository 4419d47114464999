import { ServiceError } from '../../kernel/errors.ts';
import type { Database } from '../../storage/database.ts';
import { findLink, type PlacedLinkRow } from './links-repository.ts';

/** A link of this space (row id). Throws `not_found` for one that is unknown, deleted or in another space. */
export function getLink(database: Database, space: number, id: string): PlacedLinkRow {
  const link = findLink(database, space, id);
  if (!link) throw new ServiceError('not_found', 'No bank link of this environment has this id');
  return link;
}
