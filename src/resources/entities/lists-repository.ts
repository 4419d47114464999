/** The SQL of lists of users and businesses. Times are epoch milliseconds. */
import type { EntityKind } from '../../contract/facts/entities.ts';
import type { Database } from '../../storage/database.ts';
import { scalarStatement, tupleStatement } from '../../storage/statement.ts';
import { requireIntactAround, type TableIndex } from '../../storage/confirmed-misses.ts';
import type { Space } from '../api-keys/index.ts';
import {
  type EntityRow,
  COLUMNS,
  type EntityTuple,
  entityOf,
  BY_FP_ID,
  BY_EXTERNAL_ID,
  findEntityByExternalId,
} from './repository.ts';

const BY_AGE: TableIndex = {
  table: 'entities',
  index: 'entities_by_age',
  columns: ['space', 'kind', 'created_at'],
};

/** Which entities a list is of; what is left out is not asked for. */
export interface EntityFilter {
  readonly space: Space;
  readonly kind?: EntityKind | undefined;
  readonly external_id?: string | undefined;
  readonly status?: string | undefined;
  /** Prefix of id or external id, or one of the row ids in `found`. */
  readonly q?: string | undefined;
  /** Row ids; without `q` the list is of these only. */
  readonly found?: readonly number[] | undefined;
}

export interface PagePosition {
  readonly created_at: number;
  readonly fp_id: string;
}

/** Newest first, ties by id descending; one more than `limit`, after the place `after`. */
export function listEntities(
  database: Database,
  filter: EntityFilter,
  page: { after: PagePosition | undefined; limit: number },
): EntityRow[] {
  requireIntactList(database, filter, page.after);
  const { where, parameters } = conditions(filter);
  const after = page.after ? 'AND (created_at, fp_id) < (@after_at, @after_id)' : '';
  const rows = tupleStatement<{ limit: number; after_at?: number; after_id?: string }, EntityTuple>(
    `SELECT ${COLUMNS} FROM entities WHERE ${where} ${after} ORDER BY created_at DESC, fp_id DESC LIMIT @limit + 1`,
  ).all(database, {
    ...parameters,
    ...(page.after && { after_at: page.after.created_at, after_id: page.after.fp_id }),
    limit: page.limit,
  });
  return rows.map((row) => entityOf(database, filter.space, row));
}

/** Throws `vault_damaged` when the entries are damaged where the page begins, or those that are asked for lie. */
function requireIntactList(database: Database, filter: EntityFilter, after: PagePosition | undefined): void {
  const { space } = filter.space;
  for (const kind of filter.kind ? [filter.kind] : ['business', 'user']) {
    requireIntactAround(database, BY_AGE, [space, kind, after?.created_at ?? Number.MAX_SAFE_INTEGER]);
  }
  if (filter.external_id !== undefined) {
    // Its seal shows whether it is of another kind, or damaged.
    findEntityByExternalId(database, filter.space, filter.external_id);
  }
  if (filter.q !== undefined && filter.q !== '') {
    requireIntactAround(database, BY_FP_ID, [filter.q]);
    requireIntactAround(database, BY_EXTERNAL_ID, [space, filter.q]);
  }
}

export function countEntities(database: Database, filter: EntityFilter): number {
  const { where, parameters } = conditions(filter);
  return scalarStatement<Readonly<Record<string, string | number>>, number>(
    `SELECT count(*) FROM entities WHERE ${where}`,
  ).one(database, parameters);
}

/** Only the conditions that apply, so that SQLite chooses the index that fits; the texts are few and fixed. */
function conditions(filter: EntityFilter): { where: string; parameters: Record<string, string | number> } {
  const parts = ['space = @space'];
  const parameters: Record<string, string | number> = { space: filter.space.space };
  for (const column of ['kind', 'external_id', 'status'] as const) {
    const wanted = filter[column];
    if (wanted === undefined) continue;
    parts.push(`${column} = @${column}`);
    parameters[column] = wanted;
  }
  if (filter.q !== undefined) {
    parts.push(`(substr(fp_id, 1, length(@q)) = @q OR substr(external_id, 1, length(@q)) = @q
      OR id IN (SELECT value FROM json_each(@found)))`);
    parameters['q'] = filter.q;
    parameters['found'] = JSON.stringify(filter.found ?? []);
  } else if (filter.found !== undefined) {
    parts.push('id IN (SELECT value FROM json_each(@found))');
    parameters['found'] = JSON.stringify(filter.found);
  }
  return { where: parts.join(' AND '), parameters };
}
