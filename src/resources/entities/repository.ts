/** All SQL of users and businesses. Times are epoch milliseconds. */
import type { EntityStatus, Label } from '../../contract/shapes.ts';
import { rawStatement, statement, type Database } from '../../storage/database.ts';
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
  fingerprints, root_key_version, sealed_key, created_at, updated_at, label`;

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
];

/** Whoever asks knows the space already; joining it would cost more than the row. */
function entityOf(
  { space, tenant, environment }: Space,
  row: EntityTuple | [...EntityTuple, ...unknown[]],
): EntityRow {
  return {
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
}

export function findEntity(database: Database, space: Space, fpId: string): EntityRow | undefined {
  const row = rawStatement(database, `SELECT ${COLUMNS} FROM entities WHERE fp_id = ? AND space = ?`).get(
    fpId,
    space.space,
  ) as EntityTuple | undefined;
  return row && entityOf(space, row);
}

const PLACED_COLUMNS = `${COLUMNS}, space, (SELECT tenant FROM spaces WHERE spaces.id = space),
  (SELECT environment FROM spaces WHERE spaces.id = space)`;
type PlacedTuple = [...EntityTuple, space: number, tenant: string, environment: Space['environment']];

function placedEntityOf(row: PlacedTuple | undefined): EntityRow | undefined {
  return row && entityOf({ space: row[14], tenant: row[15], environment: row[16] }, row);
}

/** The entity of this row, of whatever space; undefined when it was deleted. */
export function findEntityByRow(database: Database, rowId: number): EntityRow | undefined {
  const found = rawStatement(database, `SELECT ${PLACED_COLUMNS} FROM entities WHERE id = ?`);
  return placedEntityOf(found.get(rowId) as PlacedTuple | undefined);
}

/** The entity of this id, of whatever space: for control calls, which say no tenant. */
export function findEntityById(database: Database, fpId: string): EntityRow | undefined {
  const found = rawStatement(database, `SELECT ${PLACED_COLUMNS} FROM entities WHERE fp_id = ?`);
  return placedEntityOf(found.get(fpId) as PlacedTuple | undefined);
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
  return row && entityOf(space, row);
}

export function insertEntity(
  database: Database,
  row: Omit<
    EntityRow,
    'id' | 'tenant' | 'environment' | 'status' | 'requires_manual_review' | 'updated_at' | 'label'
  >,
): number {
  const { lastInsertRowid } = statement(
    database,
    `INSERT INTO entities (fp_id, space, kind, external_id, sandbox_id, vault_version, fingerprints, root_key_version,
       sealed_key, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
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
  return Number(lastInsertRowid);
}

export function updateExternalId(
  database: Database,
  row: { id: number; external_id: string; updated_at: number },
): void {
  statement(database, 'UPDATE entities SET external_id = ?, updated_at = ? WHERE id = ?').run(
    row.external_id,
    row.updated_at,
    row.id,
  );
}

export function updateStatus(
  database: Database,
  row: Pick<EntityRow, 'id' | 'status' | 'updated_at'> & { readonly requires_manual_review: boolean },
): void {
  statement(
    database,
    'UPDATE entities SET status = ?, requires_manual_review = ?, updated_at = ? WHERE id = ?',
  ).run(row.status, row.requires_manual_review ? 1 : 0, row.updated_at, row.id);
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

export interface Place {
  readonly created_at: number;
  readonly fp_id: string;
}

/** Newest first, ties by id descending; one more than `limit`, after the place `after`. */
export function listEntities(
  database: Database,
  filter: EntityFilter,
  page: { after: Place | undefined; limit: number },
): EntityRow[] {
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
  return rows.map((row) => entityOf(filter.space, row));
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
  return statement(
    database,
    'SELECT kind, fp_id FROM idempotency_ids WHERE space = ? AND idempotency_id = ?',
  ).get(space, idempotencyId) as { kind: string; fp_id: string } | undefined;
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
