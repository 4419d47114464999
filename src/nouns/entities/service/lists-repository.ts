/**
 * The SQL for lists of users and businesses. Times are epoch milliseconds. The cost of a page doesn't depend on the
 * number of entities: it is read along an index in list order, or from a few matching rows.
 */
import { ENTITY_KINDS, type EntityKind } from '../facts.ts';
import { ID_PREFIX } from '../../../kernel/ids/ids.ts';
import { prefixEnd } from '../../../kernel/text/text.ts';
import type { Database } from '../../../storage/database.ts';
import { scalarStatement } from '../../../storage/statement.ts';
import { countEntities } from '../../../vault/entity-counts.ts';
import type { Space } from '../../api-keys/service/index.ts';
import { type EntityRow, ENTITIES } from './repository.ts';
import { defined } from '../../../kernel/defined.ts';

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
 * all pages.
 */
export function listEntities(
  database: Database,
  filter: EntityFilter,
  page: Page,
): { rows: EntityRow[]; count: number } {
  const kinds = filter.kind ? [filter.kind] : ENTITY_KINDS;
  const parts = kinds.map((kind) => listOfKind(database, { ...filter, kind }, page));
  const rows = parts.flatMap((part) => part.rows);
  if (parts.length > 1) rows.sort(newestFirst);
  return { rows: rows.slice(0, page.limit + 1), count: parts.reduce((sum, { count }) => sum + count, 0) };
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
  return `INDEXED BY ${hasStatus(status) ? 'entities_by_status' : 'entities_by_age'}`;
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
    ids.push(`SELECT id FROM entities INDEXED BY sqlite_autoindex_entities_1 WHERE ${startsSo('fp_id')}`);
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
