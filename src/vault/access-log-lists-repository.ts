/** The SQL for lists of the access log. */
import type { AccessOperation } from '../nouns/access-log/facts.ts';
import { timestamp } from '../kernel/time/clock.ts';
import type { Database } from '../storage/database.ts';
import { scalarStatement, statement } from '../storage/statement.ts';
import { COLUMNS, type AccessRow } from './access-log-repository.ts';
import { countRuns, FOUND_BY_ENTITY } from './access-log-runs-repository.ts';

export interface AccessFilter {
  readonly tenant?: string | undefined;
  readonly environment?: string | undefined;
  readonly fp_id?: string | undefined;
  readonly external_id?: string | undefined;
  readonly identifier?: string | undefined;
  readonly operation?: string | undefined;
  readonly outcome?: string | undefined;
  /** The result for any identifier of a verification. */
  readonly result?: string | undefined;
  /** In the format of the entries, so that text comparison works. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

type Parameters = Readonly<Record<string, string | number>>;

const CONDITIONS: Readonly<Record<keyof AccessFilter, string>> = {
  fp_id: 'fp_id = @fp_id',
  operation: 'operation = @operation',
  outcome: 'outcome = @outcome',
  since: 'at >= @since',
  until: 'at < @until',
  tenant: `entry ->> '$.tenant' = @tenant`,
  environment: `entry ->> '$.environment' = @environment`,
  external_id: 'fp_id IN (SELECT entities.fp_id FROM entities WHERE external_id = @external_id)',
  result: "EXISTS (SELECT 1 FROM json_each(entry, '$.results') WHERE value = @result)",
  identifier: `EXISTS (
    SELECT 1 FROM json_each(entry, '$.identifiers')
    WHERE value = @identifier OR substr(value, 1, length(@identifier) + 1) = @identifier || ':')`,
};

/** The rows `after` to `last`, at most a run of them. */
export interface AccessPart {
  readonly after: number;
  readonly last: number;
  /** The run of exactly these rows, if there is one. */
  readonly run: number | undefined;
}

/** The numbers of the rows of a part that match, newest first. */
export function listMatches(database: Database, filter: AccessFilter, part: AccessPart): number[] {
  const conditions = ['seq > @after', 'seq <= @last'];
  const parameters: Record<string, string | number> = { after: part.after, last: part.last };
  for (const [name, condition] of Object.entries(CONDITIONS)) {
    const wanted = filter[name as keyof AccessFilter];
    if (wanted === undefined) continue;
    conditions.push(condition);
    parameters[name] = wanted;
  }
  if (filter.fp_id !== undefined && part.run !== undefined) {
    conditions.push('seq IN (SELECT seq FROM access_log_runs WHERE run = @run AND fp_id = @fp_id)');
    parameters['run'] = part.run;
  }
  // There are few distinct texts.
  return scalarStatement<Parameters, number>(
    `SELECT seq FROM access_log WHERE ${conditions.join(' AND ')} ORDER BY seq DESC`,
  ).all(database, parameters);
}

/** These rows, newest first. */
export function listAccessRows(database: Database, seqs: readonly number[]): AccessRow[] {
  return statement<[string], AccessRow>(
    `SELECT ${COLUMNS} FROM access_log WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq DESC`,
  ).all(database, JSON.stringify(seqs));
}

/** The entries of an entity: with one of these operations, or with any other. */
export interface EntityAccesses {
  readonly fp_id: string;
  readonly operations: readonly AccessOperation[];
  readonly isOther?: boolean;
}

const CHOSEN = '(operation IN (SELECT value FROM json_each(@operations))) <> @other';

function chosen(database: Database, { fp_id, operations, isOther = false }: EntityAccesses) {
  return { fp_id, operations: JSON.stringify(operations), other: isOther ? 1 : 0, runs: countRuns(database) };
}

/** The newest before a time, or at that time and before a row: at most `limit`, newest first. */
export function listAccessRowsBefore(
  database: Database,
  accesses: EntityAccesses,
  before: { readonly at: number; readonly seq: number },
  limit: number,
): AccessRow[] {
  const columns = COLUMNS.replace('seq', 'access_log.seq');
  const at = timestamp(Math.min(before.at, LAST_MOMENT));
  return statement<Parameters, AccessRow>(
    `${FOUND_BY_ENTITY} SELECT ${columns} FROM found CROSS JOIN access_log ON access_log.seq = found.seq
     WHERE ${CHOSEN} AND (at < @at OR (at = @at AND access_log.seq < @seq)) ORDER BY at DESC, access_log.seq DESC LIMIT @limit`,
  ).all(database, { ...chosen(database, accesses), at, seq: before.seq, limit });
}

/** The entity's verifications from one time to another, both inclusive, with a value that didn't match; newest first. */
export function listMissesOf(
  database: Database,
  fpId: string,
  { since, until }: { readonly since: string; readonly until: string },
): AccessRow[] {
  const columns = COLUMNS.replace('seq', 'access_log.seq').replace('fp_id', 'access_log.fp_id');
  return statement<Parameters, AccessRow>(
    `${FOUND_BY_ENTITY} SELECT ${columns} FROM found CROSS JOIN access_log ON access_log.seq = found.seq
     WHERE operation = 'verify' AND at >= @since AND at <= @until AND ${CONDITIONS.result}
     ORDER BY at DESC, access_log.seq DESC`,
  ).all(database, { fp_id: fpId, runs: countRuns(database), since, until, result: 'no_match' });
}

/** The last moment of a year with four digits, since times are compared as texts. */
const LAST_MOMENT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** The number of entries about an entity. */
export function countAccessRowsOf(database: Database, fpId: string): number {
  return scalarStatement<Parameters, number>(`${FOUND_BY_ENTITY} SELECT count(*) FROM found`).one(database, {
    fp_id: fpId,
    runs: countRuns(database),
  });
}

/** Reads each of the entity's entries. */
export function countAccesses(database: Database, accesses: EntityAccesses): number {
  return scalarStatement<Parameters, number>(
    `${FOUND_BY_ENTITY} SELECT count(*) FROM found CROSS JOIN access_log ON access_log.seq = found.seq
     WHERE ${CHOSEN}`,
  ).one(database, chosen(database, accesses));
}
