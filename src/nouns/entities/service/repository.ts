/** The SQL of users and businesses, one at a time. Times are epoch milliseconds. */
import type { EntityKind, EntityStatus, Label } from '../facts.ts';
import type { Database } from '../../../storage/database.ts';
import { dropDebris } from '../../../storage/debris.ts';
import { scalarStatement, statement, keptRows } from '../../../storage/statement.ts';
import {
  boolean,
  bytes,
  initially,
  integer,
  joined,
  optional,
  table,
  text,
  textOf,
  type RowOf,
} from '../../../storage/table.ts';
import { countEntities } from '../../../vault/entity-counts.ts';
import { rowSeal } from '../../../vault/grants/index.ts';
import type { Space } from '../../api-keys/service/index.ts';

export const ENTITIES = table(
  'entities',
  {
    /** Row id. */
    id: integer,
    fp_id: text,
    kind: textOf<EntityKind>(),
    external_id: optional(text),
    sandbox_id: optional(text),
    status: initially('none', textOf<EntityStatus>()),
    requires_manual_review: initially(false, boolean),
    vault_version: integer,
    /** JSON map of blind indexes by slot; maintained by the vault. */
    fingerprints: text,
    root_key_version: integer,
    sealed_key: bytes,
    created_at: integer,
    updated_at: integer,
    label: initially(null, optional(textOf<Label>())),
    space: integer,
    tenant: joined('(SELECT tenant FROM spaces WHERE spaces.id = space)', text),
    environment: joined(
      '(SELECT environment FROM spaces WHERE spaces.id = space)',
      textOf<Space['environment']>(),
    ),
  },
  { key: ['id'], seal: rowSeal('entities') },
);

/** Reads throw `vault_damaged` when this vault did not store the row in this form in this tenant and environment. */
export type EntityRow = Omit<RowOf<typeof ENTITIES>, 'seal'>;

/** A few MiB at most, and all entities of most test suites. */
const KEPT_ENTITIES = 2_048;

/** Rows whose seals were verified. */
const kept = keptRows<EntityRow>('entities', { limit: KEPT_ENTITIES });

export function findEntity(database: Database, space: Space, fpId: string): EntityRow | undefined {
  const key = { owner: space.space, name: fpId, asOf: 0 };
  const row = kept.get(database, key, () => findEntityById(database, fpId));
  return row?.space === space.space ? row : undefined;
}

/** The entity of this row in any space; undefined when it was deleted. */
export const findEntityByRow = ENTITIES.first<[row: number]>('WHERE id = ?');

/** The entity of this id in any space, for control calls without a tenant. */
export const findEntityById = ENTITIES.first<[fpId: string]>('WHERE fp_id = ?');

/** Whether an entity of any tenant has this id. */
export const isEntityId = ENTITIES.has<[fpId: string]>('fp_id = ?');

export const findEntityByExternalId = ENTITIES.first<[space: number, externalId: string]>(
  'WHERE space = ? AND external_id = ?',
);

/** Not that of a deleted entity whose values are not removed yet. */
const NEXT_ROW = scalarStatement<[], number>(
  `SELECT 1 + max(coalesce((SELECT max(id) FROM entities), 0),
     coalesce((SELECT max(parent) FROM debris WHERE of_table = 'vault_values'), 0))`,
);

export function insertEntity(
  database: Database,
  row: Omit<EntityRow, 'id' | 'status' | 'requires_manual_review' | 'updated_at' | 'label'>,
): number {
  // Chosen here as SQLite would, since the seal covers it.
  return ENTITIES.insert(database, { ...row, id: NEXT_ROW.one(database), updated_at: row.created_at });
}

export function updateExternalId(database: Database, row: EntityRow): void {
  const { external_id, updated_at } = row;
  ENTITIES.change(database, row, { external_id, updated_at });
}

export function updateStatus(
  database: Database,
  { id, ...changes }: Pick<EntityRow, 'id' | 'status' | 'updated_at' | 'requires_manual_review'>,
): void {
  const current = findEntityByRow(database, id);
  if (current) ENTITIES.change(database, current, changes);
}

/** Also deletes the vault's key; its history becomes debris. */
export const deleteEntity = ENTITIES.delete<[id: number]>('id = ?');

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

export const holdsEntities = ENTITIES.has();
