/** The SQL for lists of the access log. */
import { timestamp } from '../kernel/clock.ts';
import type { Database } from '../storage/database.ts';
import { scalarStatement, statement } from '../storage/statement.ts';
import { COLUMNS, type AccessRow } from './access-log-repository.ts';
import { countRuns, FOUND_BY_ENTITY } from './access-log-runs-repository.ts';

export interface AccessFilter {
  readonly fp_id?: string | undefined;
  readonly identifier?: string | undefined;
  readonly operation?: string | undefined;
  readonly outcome?: string | undefined;
  /** In the format of the entries, so that text comparison works. */
  readonly since?: string | undefined;
}

type Parameters = Readonly<Record<string, string | number>>;

const CONDITIONS: Readonly<Record<keyof AccessFilter, string>> = {
  fp_id: 'fp_id = @fp_id',
  operation: 'operation = @operation',
  outcome: 'outcome = @outcome',
  since: 'at >= @since',
  identifier: `EXISTS (
    SELECT 1 FROM json_each(entry, '$.identifiers')
    WHERE value = @identifier OR substr(value, 1, length(@identifier) + 1) = @identifier || ':')`,
};

/**
 * Newest first, starting after the row `before`; up to one more than `limit`, so that the caller sees whether there is
 * a next page.
 */
export function listAccessRows(
  database: Database,
  filter: AccessFilter,
  page: { before: number | undefined; limit: number },
): AccessRow[] {
  const { opening, from, conditions, parameters } = partsOf(database, filter);
  if (page.before !== undefined) {
    conditions.push('access_log.seq < @before');
    parameters['before'] = page.before;
  }
  const columns = COLUMNS.replace('seq', 'access_log.seq');
  return statement<Parameters, AccessRow>(
    `${opening} SELECT ${columns} FROM ${from} ${whereOf(conditions)} ORDER BY access_log.seq DESC LIMIT @limit + 1`,
  ).all(database, { ...parameters, limit: page.limit });
}

/** The newest entries of an entity before a time, or at that time and before a row: at most `limit`, newest first. */
export function listAccessRowsBefore(
  database: Database,
  fpId: string,
  before: { readonly at: number; readonly seq: number },
  limit: number,
): AccessRow[] {
  const columns = COLUMNS.replace('seq', 'access_log.seq');
  const at = timestamp(Math.min(before.at, LAST_MOMENT));
  return statement<Parameters, AccessRow>(
    `${FOUND_BY_ENTITY} SELECT ${columns} FROM found CROSS JOIN access_log ON access_log.seq = found.seq
     WHERE at < @at OR (at = @at AND access_log.seq < @seq) ORDER BY at DESC, access_log.seq DESC LIMIT @limit`,
  ).all(database, { fp_id: fpId, runs: countRuns(database), at, seq: before.seq, limit });
}

/** The last moment of a year with four digits, since times are compared as texts. */
const LAST_MOMENT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

export function countAccessRows(database: Database, filter: AccessFilter): number {
  const { opening, from, conditions, parameters } = partsOf(database, filter);
  const given = Object.keys(parameters).length;
  // Rows are numbered from 1 without a gap, so counting them all, which is slow in a long log, is unnecessary.
  if (given === 0)
    return scalarStatement<[], number>('SELECT coalesce(max(seq), 0) FROM access_log').one(database);
  const isByEntity = filter.fp_id !== undefined && conditions.length === 1;
  const counted = isByEntity ? 'found' : `${from} ${whereOf(conditions)}`;
  return scalarStatement<Parameters, number>(`${opening} SELECT count(*) FROM ${counted}`).one(
    database,
    parameters,
  );
}

/** Only the conditions that apply; there are few distinct texts. */
function partsOf(database: Database, filter: AccessFilter) {
  const conditions: string[] = [];
  const parameters: Record<string, string | number> = {};
  for (const [name, condition] of Object.entries(CONDITIONS)) {
    const wanted = filter[name as keyof AccessFilter];
    if (wanted === undefined) continue;
    conditions.push(condition);
    parameters[name] = wanted;
  }
  if (filter.fp_id === undefined) return { opening: '', from: 'access_log', conditions, parameters };
  parameters['runs'] = countRuns(database);
  const from = 'found CROSS JOIN access_log ON access_log.seq = found.seq';
  return { opening: FOUND_BY_ENTITY, from, conditions, parameters };
}

function whereOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
}
