/** The SQL of users and businesses, one at a time. Times are epoch milliseconds. */
import type { EntityKind, EntityStatus, Label } from '../../contract/facts/entities.ts';
import type { Database } from '../../storage/database.ts';
import { dropDebris } from '../../storage/debris.ts';
import { scalarStatement, statement, tupleStatement } from '../../storage/statement.ts';
import { keptRows } from '../../storage/kept-rows.ts';
import { reportDamage } from '../../storage/store-health.ts';
import { countEntities } from '../../vault/entity-counts.ts';
import { requireSeal, sealOf } from '../../vault/grants/index.ts';
import { requireAbsent, type TableIndex } from '../../storage/confirmed-misses.ts';
import type { Space } from '../api-keys/index.ts';

export interface EntityRow extends Space {
  /** Row id. */
  readonly id: number;
  readonly fp_id: string;
  readonly kind: EntityKind;
  readonly external_id: string | null;
  readonly sandbox_id: string | null;
  readonly status: EntityStatus;
  readonly requires_manual_review: number;
  readonly vault_version: number;
  /** JSON map of blind indexes by slot; maintained by the vault. */
  readonly fingerprints: string;
  readonly root_key_version: number;
  readonly sealed_key: Uint8Array;
  readonly created_at: number;
  readonly updated_at: number;
  readonly label: Label | null;
}

export const COLUMNS = `id, fp_id, kind, external_id, sandbox_id, status, requires_manual_review, vault_version,
  fingerprints, root_key_version, sealed_key, created_at, updated_at, label, seal`;

/** A raw row, in the order of COLUMNS. */
export type EntityTuple = [
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
 * The caller passes the space, since joining it would cost more than the row. Throws `vault_damaged` when this vault
 * did not store the row in this form in this tenant and environment.
 */
export function entityOf(
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

/** A few MiB at most, and all entities of most test suites. */
const KEPT_ENTITIES = 2_048;

const IN_SPACE = tupleStatement<[fpId: string, space: number], EntityTuple>(
  `SELECT ${COLUMNS} FROM entities WHERE fp_id = ? AND space = ?`,
);

/** Rows whose seals were verified. */
const kept = keptRows<EntityRow>('entities', { limit: KEPT_ENTITIES });

export function findEntity(database: Database, space: Space, fpId: string): EntityRow | undefined {
  const key = { owner: space.space, name: fpId, asOf: 0 };
  const row = kept.get(database, key, () => readEntity(database, space, fpId));
  return row?.space === space.space ? row : undefined;
}

function readEntity(database: Database, space: Space, fpId: string): EntityRow | undefined {
  const row = IN_SPACE.get(database, fpId, space.space);
  // The seal distinguishes an entity of another space from a damaged row.
  return row ? entityOf(database, space, row) : findEntityById(database, fpId);
}

export const BY_FP_ID: TableIndex = {
  table: 'entities',
  index: 'sqlite_autoindex_entities_1',
  columns: ['fp_id'],
};
export const BY_EXTERNAL_ID: TableIndex = {
  table: 'entities',
  index: 'entities_by_external_id',
  columns: ['space', 'external_id'],
  holds: 'external_id IS NOT NULL',
};

const PLACED_COLUMNS = `${COLUMNS}, space, (SELECT tenant FROM spaces WHERE spaces.id = space),
  (SELECT environment FROM spaces WHERE spaces.id = space)`;
type PlacedTuple = [...EntityTuple, space: number, tenant: string, environment: Space['environment']];

const BY_ROW = tupleStatement<[number], PlacedTuple>(`SELECT ${PLACED_COLUMNS} FROM entities WHERE id = ?`);
const BY_ID = tupleStatement<[string], PlacedTuple>(`SELECT ${PLACED_COLUMNS} FROM entities WHERE fp_id = ?`);

function placedEntityOf(database: Database, row: PlacedTuple | undefined): EntityRow | undefined {
  return row && entityOf(database, { space: row[15], tenant: row[16], environment: row[17] }, row);
}

/** The entity of this row in any space; undefined when it was deleted. */
export function findEntityByRow(database: Database, rowId: number): EntityRow | undefined {
  const row = BY_ROW.get(database, rowId);
  if (!row && isIndexed(database, rowId)) throw reportDamage(database);
  return placedEntityOf(database, row);
}

/** Whether an index has the row, although the table doesn't. Reads the whole index. */
function isIndexed(database: Database, rowId: number): boolean {
  const sql = 'SELECT 1 FROM entities INDEXED BY entities_by_age WHERE +id = ? AND created_at IS NOT NULL';
  return scalarStatement<[number], 1>(sql).get(database, rowId) !== undefined;
}

/** The entity of this id in any space, for control calls without a tenant. */
export function findEntityById(database: Database, fpId: string): EntityRow | undefined {
  const row = BY_ID.get(database, fpId);
  if (!row) requireAbsent(database, BY_FP_ID, [fpId]);
  return placedEntityOf(database, row);
}

/** Whether an entity of any tenant has this id. */
export function isEntityId(database: Database, fpId: string): boolean {
  return (
    scalarStatement<[string], 1>('SELECT 1 FROM entities WHERE fp_id = ?').get(database, fpId) !== undefined
  );
}

export function findEntityByExternalId(
  database: Database,
  space: Space,
  externalId: string,
): EntityRow | undefined {
  const row = tupleStatement<[number, string], EntityTuple>(
    `SELECT ${COLUMNS} FROM entities WHERE space = ? AND external_id = ?`,
  ).get(database, space.space, externalId);
  if (!row) requireAbsent(database, BY_EXTERNAL_ID, [space.space, externalId]);
  return row && entityOf(database, space, row);
}

/** Not that of a deleted entity whose values are not removed yet. */
const NEXT_ROW = scalarStatement<[], number>(
  `SELECT 1 + max(coalesce((SELECT max(id) FROM entities), 0),
     coalesce((SELECT max(parent) FROM debris WHERE of_table = 'vault_values'), 0))`,
);
const INSERT = statement<
  [
    id: number,
    seal: Uint8Array,
    fp_id: string,
    space: number,
    kind: string,
    external_id: string | null,
    sandbox_id: string | null,
    vault_version: number,
    fingerprints: string,
    root_key_version: number,
    sealed_key: Uint8Array,
    created_at: number,
    updated_at: number,
  ]
>(`INSERT INTO entities (id, seal, fp_id, space, kind, external_id, sandbox_id, vault_version, fingerprints,
     root_key_version, sealed_key, created_at, updated_at)
   VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);

export function insertEntity(
  database: Database,
  row: Omit<EntityRow, 'id' | 'status' | 'requires_manual_review' | 'updated_at' | 'label'>,
): number {
  // Chosen here as SQLite would, since the seal covers it.
  const id = NEXT_ROW.one(database);
  INSERT.run(
    database,
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

/** Updates the row with another external id. */
export function updateExternalId(database: Database, row: EntityRow): void {
  statement<[string | null, number, Uint8Array, number]>(
    'UPDATE entities SET external_id = ?, updated_at = ?, seal = ? WHERE id = ?',
  ).run(database, row.external_id, row.updated_at, sealOf(database, 'entities', row), row.id);
}

export function updateStatus(
  database: Database,
  row: Pick<EntityRow, 'id' | 'status' | 'updated_at'> & { readonly requires_manual_review: boolean },
): void {
  const current = findEntityByRow(database, row.id);
  if (!current) return;
  const requires_manual_review = row.requires_manual_review ? 1 : 0;
  statement<[string, number, number, Uint8Array, number]>(
    'UPDATE entities SET status = ?, requires_manual_review = ?, updated_at = ?, seal = ? WHERE id = ?',
  ).run(
    database,
    row.status,
    requires_manual_review,
    row.updated_at,
    sealOf(database, 'entities', { ...current, status: row.status, requires_manual_review }),
    row.id,
  );
}

/** Also deletes the vault's key; its history becomes debris. */
export function deleteEntity(database: Database, id: number): void {
  statement<[number]>('DELETE FROM entities WHERE id = ?').run(database, id);
}

export function deleteAllEntities(database: Database): { users: number; businesses: number } {
  const counts = countByKind(database);
  statement('DELETE FROM entities').run(database);
  dropDebris(database);
  statement('DELETE FROM idempotency_ids').run(database);
  return counts;
}

export function countByKind(database: Database): { users: number; businesses: number } {
  return {
    users: countEntities(database, { kind: 'user' }),
    businesses: countEntities(database, { kind: 'business' }),
  };
}

export function holdsEntities(database: Database): boolean {
  return scalarStatement<[], 1>('SELECT 1 FROM entities LIMIT 1').get(database) !== undefined;
}
