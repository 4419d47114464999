/**
 * The SQL for lists of users and businesses. Times are epoch milliseconds. The cost of a page doesn't depend on the
 * number of entities: it is read along an index in list order, or from a few matching rows.
 */
import { ENTITY_KINDS, type EntityKind } from '../facts.ts';
import { ID_PREFIX } from '../../../kernel/ids.ts';
import { prefixEnd } from '../../../kernel/text.ts';
import { requireIntactAround, type TableIndex } from '../../../storage/confirmed-misses.ts';
import type { Database } from '../../../storage/database.ts';
import { scalarStatement } from '../../../storage/statement.ts';
import { countEntities } from '../../../vault/entity-counts.ts';
import type { Space } from '../../api-keys/service/index.ts';
import { type EntityRow, ENTITIES, BY_FP_ID, BY_EXTERNAL_ID, findEntityByExternalId } from './repository.ts';
import { defined } from '../../../kernel/defined.ts';

const BY_AGE: TableIndex = {
  table: 'entities',
  index: 'entities_by_age',
  columns: ['space', 'kind', 'created_at', 'fp_id'],
};
const BY_STATUS: TableIndex = {
  table: 'entities',
  index: 'entities_by_status',
  columns: ['space', 'kind', 'status', 'created_at', 'fp_id'],
  holds: "status <> 'none'",
};

/** The filter of a list; members that are left out don't restrict it. */
export interface EntityFilter {
  readonly space: Space;
  readonly kind?: EntityKind | undefined;
  readonly external_id?: string | undefined;
  readonly status?: string | undefined;
  /** Prefix of id or external id, or a row id in `found`. */
  readonly q?: string | undefined;
  /** Row ids; without `q` the list contains only these. */
  readonly found?: readonly number[] | undefined;
}

export interface PagePosition {
  readonly created_at: number;
  readonly fp_id: string;
}

interface Page {
  readonly after: PagePosition | undefined;
  readonly limit: number;
}

/** More matches than this are not sorted, since reading the list in order finds them soon enough. */
const MOST_SORTED = 500;

/**
 * Newest first, ties by id descending; up to one more than `limit`, starting after the place `after`. `count` covers
 * all pages. Throws `vault_damaged` when the index is damaged where the page begins.
 */
export function listEntities(
  database: Database,
  filter: EntityFilter,
  page: Page,
): { rows: EntityRow[]; count: number } {
  requireIntactList(database, filter, page.after);
  const kinds = filter.kind ? [filter.kind] : ENTITY_KINDS;
  const parts = kinds.map((kind) => listOfKind(database, { ...filter, kind }, page));
  const rows = parts.flatMap((part) => part.rows);
  if (parts.length > 1) rows.sort(newestFirst);
  return {
    rows: rows.slice(0, page.limit + 1),
    count: parts.reduce((sum, { count }) => sum + count, 0),
  };
}

function newestFirst(one: EntityRow, other: EntityRow): number {
  if (one.created_at !== other.created_at) return other.created_at - one.created_at;
  return one.fp_id < other.fp_id ? 1 : -1;
}

type KindFilter = EntityFilter & { readonly kind: EntityKind };
type Parameters = Readonly<Record<string, string | number>>;

function listOfKind(
  database: Database,
  filter: KindFilter,
  page: Page,
): { rows: EntityRow[]; count: number } {
  const wanted = candidates(filter);
  const matches = conditions(filter);
  const parameters = parametersOf(filter);
  if (!wanted) {
    const count = countEntities(database, { ...filter, space: filter.space.space });
    const rows = count === 0 ? [] : read(database, `${along(filter)} WHERE ${matches}`, { page, parameters });
    return { rows, count };
  }
  const among = `NOT INDEXED WHERE id IN (${wanted.ids}) AND ${matches}`;
  const count = scalarStatement<Parameters, number>(`SELECT count(*) FROM entities ${among}`).one(
    database,
    parameters,
  );
  const source = count <= MOST_SORTED ? among : `${along(filter)} WHERE ${matches} AND (${wanted.condition})`;
  return { rows: count === 0 ? [] : read(database, source, { page, parameters }), count };
}

function read(
  database: Database,
  source: string,
  { page, parameters }: { page: Page; parameters: Parameters },
): EntityRow[] {
  const after = page.after ? 'AND (created_at, fp_id) < (@after_at, @after_id)' : '';
  return ENTITIES.all<Parameters>(`${source} ${after} ORDER BY created_at DESC, fp_id DESC LIMIT @limit + 1`)(
    database,
    {
      ...parameters,
      ...(page.after && { after_at: page.after.created_at, after_id: page.after.fp_id }),
      limit: page.limit,
    },
  );
}

/** The index in list order. */
function along({ status }: KindFilter): string {
  const { index } = hasStatus(status) ? BY_STATUS : BY_AGE;
  return `INDEXED BY ${index}`;
}

const hasStatus = (status: string | undefined) => status !== undefined && status !== 'none';

/** There are few distinct texts. SQLite uses the index by status when a condition excludes `none`. */
function conditions({ status }: KindFilter): string {
  if (status === undefined) return 'space = @space AND kind = @kind';
  return `space = @space AND kind = @kind AND status = @status ${hasStatus(status) ? "AND status <> 'none'" : ''}`;
}

/** The matching rows, with the condition that selects them; undefined when the whole kind matches. */
function candidates({
  kind,
  external_id,
  q,
  found,
}: KindFilter): { ids: string; condition: string } | undefined {
  const byExternalId = 'SELECT id FROM entities INDEXED BY entities_by_external_id WHERE space = @space AND';
  const listed = 'SELECT value FROM json_each(@found)';
  if (external_id !== undefined) {
    const condition = 'external_id = @external_id';
    return { ids: `${byExternalId} ${condition}`, condition };
  }
  if (q === undefined) return found && { ids: listed, condition: `id IN (${listed})` };
  const prefix = ID_PREFIX[kind];
  if (prefix.startsWith(q)) return undefined;
  const startsSo = (column: string) => `${column} >= @q AND ${column} < @q_end`;
  const ids = [listed, `${byExternalId} ${startsSo('external_id')}`];
  const either = [`id IN (${listed})`, startsSo('external_id')];
  if (q.startsWith(prefix)) {
    ids.push(`SELECT id FROM entities INDEXED BY ${BY_FP_ID.index} WHERE ${startsSo('fp_id')}`);
    either.push(startsSo('fp_id'));
  }
  return { ids: ids.join(' UNION '), condition: either.join(' OR ') };
}

function parametersOf({ space, kind, status, external_id, q, found }: KindFilter): Parameters {
  return defined({
    space: space.space,
    kind,
    status,
    external_id,
    q,
    q_end: q === undefined ? q : prefixEnd(q),
    found: (found ?? q) === undefined ? undefined : JSON.stringify(found ?? []),
  });
}

/**
 * Throws `vault_damaged` when the index entries are damaged where the page begins, or the requested entries are wrong.
 */
function requireIntactList(database: Database, filter: EntityFilter, after: PagePosition | undefined): void {
  const { space } = filter.space;
  const { status } = filter;
  for (const kind of filter.kind ? [filter.kind] : ENTITY_KINDS) {
    const from = after?.created_at ?? Number.MAX_SAFE_INTEGER;
    if (status !== undefined && hasStatus(status))
      requireIntactAround(database, BY_STATUS, [space, kind, status, from]);
    else requireIntactAround(database, BY_AGE, [space, kind, from]);
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
