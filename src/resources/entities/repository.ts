/** All SQL of users and businesses. Times are epoch milliseconds. */
import type { EntityStatus, Label } from '../../contract/shapes.ts';
import { rawStatement, statement, type Database } from '../../storage/database.ts';
import { reportDamage } from '../../storage/store-health.ts';
import { requireSeal, sealOf } from '../../vault/grants/index.ts';
import {
  requireAbsent,
  requireIntactAround,
  type OwnKey,
  type TableIndex,
} from '../../storage/confirmed-misses.ts';
import type { Space } from '../api-keys/index.ts';

export interface EntityRow extends Space {
  /** Row id. */
  readonly id: number;
  readonly fp_id: string;
  readonly kind: 'user' | 'business';
  readonly external_id: string | null;
  readonly sandbox_id: string | null;
  readonly status: EntityStatus;
  readonly requires_manual_review: number;
  readonly vault_version: number;
  /** JSON map of blind indexes by slot; the vault's. */
  readonly fingerprints: string;
  readonly root_key_version: number;
  readonly sealed_key: Uint8Array;
  readonly created_at: number;
  readonly updated_at: number;
  readonly label: Label | null;
}

const COLUMNS = `id, fp_id, kind, external_id, sandbox_id, status, requires_manual_review, vault_version,
  fingerprints, root_key_version, sealed_key, created_at, updated_at, label, seal`;

/** A row as it comes, in the order of COLUMNS. */
type EntityTuple = [
  id: number,
  fp_id: string,
  kind: EntityRow['kind'],
  external_id: string | null,
  sandbox_id: string | null,
  status: EntityStatus,
  requires_manual_review: number,
  vault_version: number,
  fingerprints: string,
  root_key_version: number,
  sealed_key: Uint8Array,
  created_at: number,
  updated_at: number,
  label: Label | null,
  seal: Uint8Array | null,
];

/**
 * The caller knows the space already; joining it would cost more than the row. Throws `vault_damaged` when the row is
 * not as this vault put it into this tenant and environment.
 */
function entityOf(
  database: Database,
  { space, tenant, environment }: Space,
  row: EntityTuple | [...EntityTuple, ...unknown[]],
): EntityRow {
  const entity: EntityRow = {
    id: row[0],
    fp_id: row[1],
    space,
    tenant,
    environment,
    kind: row[2],
    external_id: row[3],
    sandbox_id: row[4],
    status: row[5],
    requires_manual_review: row[6],
    vault_version: row[7],
    fingerprints: row[8],
    root_key_version: row[9],
    sealed_key: row[10],
    created_at: row[11],
    updated_at: row[12],
    label: row[13],
  };
  requireSeal(database, 'entities', entity, row[14]);
  return entity;
}

export function findEntity(database: Database, space: Space, fpId: string): EntityRow | undefined {
  const row = rawStatement(database, `SELECT ${COLUMNS} FROM entities WHERE fp_id = ? AND space = ?`).get(
    fpId,
    space.space,
  ) as EntityTuple | undefined;
  if (row) return entityOf(database, space, row);
  // The seal tells an entity of another space from a damaged row.
  const elsewhere = findEntityById(database, fpId);
  return elsewhere?.space === space.space ? elsewhere : undefined;
}

const BY_FP_ID: TableIndex = {
  table: 'entities',
  index: 'sqlite_autoindex_entities_1',
  columns: ['fp_id'],
};
const BY_EXTERNAL_ID: TableIndex = {
  table: 'entities',
  index: 'entities_by_external_id',
  columns: ['space', 'external_id'],
};
const BY_AGE: TableIndex = {
  table: 'entities',
  index: 'entities_by_age',
  columns: ['space', 'kind', 'created_at'],
};
const BY_IDEMPOTENCY_ID: OwnKey = {
  table: 'idempotency_ids',
  columns: ['space', 'idempotency_id'],
  twin: { index: 'idempotency_ids_by_entity', columns: ['fp_id'] },
};

const PLACED_COLUMNS = `${COLUMNS}, space, (SELECT tenant FROM spaces WHERE spaces.id = space),
  (SELECT environment FROM spaces WHERE spaces.id = space)`;
type PlacedTuple = [...EntityTuple, space: number, tenant: string, environment: Space['environment']];

function placedEntityOf(database: Database, row: PlacedTuple | undefined): EntityRow | undefined {
  return row && entityOf(database, { space: row[15], tenant: row[16], environment: row[17] }, row);
}

/** The entity of this row, of whatever space; undefined when it was deleted. */
export function findEntityByRow(database: Database, rowId: number): EntityRow | undefined {
  const found = rawStatement(database, `SELECT ${PLACED_COLUMNS} FROM entities WHERE id = ?`);
  const row = found.get(rowId) as PlacedTuple | undefined;
  if (!row && isIndexed(database, rowId)) throw reportDamage(database);
  return placedEntityOf(database, row);
}

/** Whether an index holds the row: for a row that the table doesn't show. Reads the whole index. */
function isIndexed(database: Database, rowId: number): boolean {
  const sql = 'SELECT 1 FROM entities INDEXED BY entities_by_age WHERE +id = ? AND created_at IS NOT NULL';
  return statement(database, sql).get(rowId) !== undefined;
}

/** The entity of this id, of whatever space: for control calls, which say no tenant. */
export function findEntityById(database: Database, fpId: string): EntityRow | undefined {
  const found = rawStatement(database, `SELECT ${PLACED_COLUMNS} FROM entities WHERE fp_id = ?`);
  const row = found.get(fpId) as PlacedTuple | undefined;
  if (!row) requireAbsent(database, BY_FP_ID, [fpId]);
  return placedEntityOf(database, row);
}

/** Whether an entity of any tenant has this id. */
export function isEntityId(database: Database, fpId: string): boolean {
  return statement(database, 'SELECT 1 FROM entities WHERE fp_id = ?').get(fpId) !== undefined;
}

export function findEntityByExternalId(
  database: Database,
  space: Space,
  externalId: string,
): EntityRow | undefined {
  const row = rawStatement(
    database,
    `SELECT ${COLUMNS} FROM entities WHERE space = ? AND external_id = ?`,
  ).get(space.space, externalId) as EntityTuple | undefined;
  if (!row) requireAbsent(database, BY_EXTERNAL_ID, [space.space, externalId]);
  return row && entityOf(database, space, row);
}

export function insertEntity(
  database: Database,
  row: Omit<EntityRow, 'id' | 'status' | 'requires_manual_review' | 'updated_at' | 'label'>,
): number {
  // The one that SQLite would choose: the seal is over it, too.
  const id = statement(database, 'SELECT coalesce(max(id), 0) + 1 FROM entities').pluck().get() as number;
  statement(
    database,
    `INSERT INTO entities (id, seal, fp_id, space, kind, external_id, sandbox_id, vault_version, fingerprints, root_key_version,
       sealed_key, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    id,
    sealOf(database, 'entities', { ...row, id, status: 'none', requires_manual_review: 0 }),
    row.fp_id,
    row.space,
    row.kind,
    row.external_id,
    row.sandbox_id,
    row.vault_version,
    row.fingerprints,
    row.root_key_version,
    row.sealed_key,
    row.created_at,
    row.created_at,
  );
  return id;
}

/** The row as it was found, with another external id. */
export function updateExternalId(database: Database, row: EntityRow): void {
  statement(database, 'UPDATE entities SET external_id = ?, updated_at = ?, seal = ? WHERE id = ?').run(
    row.external_id,
    row.updated_at,
    sealOf(database, 'entities', row),
    row.id,
  );
}

export function updateStatus(
  database: Database,
  row: Pick<EntityRow, 'id' | 'status' | 'updated_at'> & { readonly requires_manual_review: boolean },
): void {
  const current = findEntityByRow(database, row.id);
  if (!current) return;
  const requires_manual_review = row.requires_manual_review ? 1 : 0;
  statement(
    database,
    'UPDATE entities SET status = ?, requires_manual_review = ?, updated_at = ?, seal = ? WHERE id = ?',
  ).run(
    row.status,
    requires_manual_review,
    row.updated_at,
    sealOf(database, 'entities', { ...current, status: row.status, requires_manual_review }),
    row.id,
  );
}

/** Takes the vault's key and its history along. */
export function deleteEntity(database: Database, id: number): void {
  statement(database, 'DELETE FROM entities WHERE id = ?').run(id);
}

export function deleteAllEntities(database: Database): { users: number; businesses: number } {
  const counts = countByKind(database);
  statement(database, 'DELETE FROM entities').run();
  statement(database, 'DELETE FROM idempotency_ids').run();
  return counts;
}

export function countByKind(database: Database): { users: number; businesses: number } {
  const rows = statement(database, 'SELECT kind, count(*) AS count FROM entities GROUP BY kind').all() as {
    kind: string;
    count: number;
  }[];
  const countOf = (kind: string) => rows.find((row) => row.kind === kind)?.count ?? 0;
  return { users: countOf('user'), businesses: countOf('business') };
}

export function holdsEntities(database: Database): boolean {
  return statement(database, 'SELECT 1 FROM entities LIMIT 1').get() !== undefined;
}

/** Which entities a list is of; what is left out is not asked for. */
export interface EntityFilter {
  readonly space: Space;
  readonly kind?: 'user' | 'business' | undefined;
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
  const rows = rawStatement(
    database,
    `SELECT ${COLUMNS} FROM entities WHERE ${where} ${after} ORDER BY created_at DESC, fp_id DESC LIMIT @limit + 1`,
  ).all({
    ...parameters,
    ...(page.after && { after_at: page.after.created_at, after_id: page.after.fp_id }),
    limit: page.limit,
  }) as EntityTuple[];
  return rows.map((row) => entityOf(database, filter.space, row));
}

/** Throws `vault_damaged` when the entries are damaged where the page begins, or those that are asked for lie. */
function requireIntactList(database: Database, filter: EntityFilter, after: PagePosition | undefined): void {
  const { space } = filter.space;
  for (const kind of filter.kind ? [filter.kind] : ['business', 'user']) {
    requireIntactAround(database, BY_AGE, [space, kind, after?.created_at ?? Number.MAX_SAFE_INTEGER]);
  }
  if (filter.external_id !== undefined) {
    // Its seal tells whether it is of another kind, or damaged.
    findEntityByExternalId(database, filter.space, filter.external_id);
  }
  if (filter.q !== undefined && filter.q !== '') {
    requireIntactAround(database, BY_FP_ID, [filter.q]);
    requireIntactAround(database, BY_EXTERNAL_ID, [space, filter.q]);
  }
}

export function countEntities(database: Database, filter: EntityFilter): number {
  const { where, parameters } = conditions(filter);
  return statement(database, `SELECT count(*) FROM entities WHERE ${where}`)
    .pluck()
    .get(parameters) as number;
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

export function findIdempotencyId(
  database: Database,
  space: number,
  idempotencyId: string,
): { kind: string; fp_id: string } | undefined {
  const row = statement(
    database,
    'SELECT kind, fp_id FROM idempotency_ids WHERE space = ? AND idempotency_id = ?',
  ).get(space, idempotencyId) as { kind: string; fp_id: string } | undefined;
  if (!row) requireAbsent(database, BY_IDEMPOTENCY_ID, [space, idempotencyId]);
  return row;
}

/** Throws `vault_damaged` unless what the idempotency id stands for is as it was stored. */
export function requireIntactIdempotencyId(database: Database, space: number, idempotencyId: string): void {
  requireIntactAround(database, BY_IDEMPOTENCY_ID, [space, idempotencyId]);
}

export function insertIdempotencyId(
  database: Database,
  row: { space: number; idempotency_id: string; kind: string; fp_id: string },
): void {
  statement(
    database,
    'INSERT INTO idempotency_ids (space, idempotency_id, kind, fp_id) VALUES (?, ?, ?, ?)',
  ).run(row.space, row.idempotency_id, row.kind, row.fp_id);
}
