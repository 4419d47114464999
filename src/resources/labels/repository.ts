/** All SQL of labels and tags. `entity` is the row id of the entity; times are epoch milliseconds. */
import type { Label } from '../../contract/facts/entities.ts';
import { requireAbsent, type TableIndex } from '../../storage/confirmed-misses.ts';
import type { Database } from '../../storage/database.ts';
import { scalarStatement, statement } from '../../storage/statement.ts';

export interface LabelRow {
  readonly label: Label;
  readonly labelled_at: number;
}

export interface TagRow {
  readonly id: string;
  readonly tag: string;
  readonly created_at: number;
}

export function findLabel(database: Database, entity: number): LabelRow | undefined {
  return statement<[number], LabelRow>(
    'SELECT label, labelled_at FROM entities WHERE id = ? AND label IS NOT NULL',
  ).get(database, entity);
}

/** Sets the label; null removes it. */
export function updateLabel(
  database: Database,
  row: { entity: number; label: Label | null; updated_at: number },
): void {
  statement<[string | null, number | null, number, number]>(
    'UPDATE entities SET label = ?, labelled_at = ?, updated_at = ? WHERE id = ?',
  ).run(database, row.label, row.label === null ? null : row.updated_at, row.updated_at, row.entity);
}

/** The labels of those entities that have one. */
export function listLabels(
  database: Database,
  entities: readonly number[],
): { entity: number; label: Label }[] {
  return statement<[string], { entity: number; label: Label }>(`SELECT id AS entity, label FROM entities
     WHERE id IN (SELECT value FROM json_each(?)) AND label IS NOT NULL`).all(
    database,
    JSON.stringify(entities),
  );
}

/** Newest first, ties by id descending. */
export function listTags(database: Database, entity: number): TagRow[] {
  return statement<[number], TagRow>(
    'SELECT id, tag, created_at FROM tags WHERE entity = ? ORDER BY created_at DESC, id DESC',
  ).all(database, entity);
}

/** The tags of these entities, each entity's in the order of `listTags`. */
export function listTagsOfAll(
  database: Database,
  entities: readonly number[],
): { entity: number; tag: string }[] {
  return statement<[string], { entity: number; tag: string }>(`SELECT entity, tag FROM tags
     WHERE entity IN (SELECT value FROM json_each(?)) ORDER BY created_at DESC, id DESC`).all(
    database,
    JSON.stringify(entities),
  );
}

export function findTag(database: Database, entity: number, tag: string): TagRow | undefined {
  const row = statement<[number, string], TagRow>(
    'SELECT id, tag, created_at FROM tags WHERE entity = ? AND tag = ?',
  ).get(database, entity, tag);
  if (!row) requireAbsent(database, BY_TAG, [entity, tag]);
  return row;
}

const BY_ID: TableIndex = { table: 'tags', index: 'sqlite_autoindex_tags_1', columns: ['id'] };
const BY_TAG: TableIndex = { table: 'tags', index: 'sqlite_autoindex_tags_2', columns: ['entity', 'tag'] };

export function isTagId(database: Database, id: string): boolean {
  return scalarStatement<[string], 1>('SELECT 1 FROM tags WHERE id = ?').get(database, id) !== undefined;
}

export function insertTag(database: Database, row: TagRow & { entity: number }): void {
  statement<[string, number, string, number]>(
    'INSERT INTO tags (id, entity, tag, created_at) VALUES (?, ?, ?, ?)',
  ).run(database, row.id, row.entity, row.tag, row.created_at);
}

/** Returns how many were deleted: 0 when the entity has no tag of this id. */
export function deleteTag(database: Database, entity: number, id: string): number {
  const { changes } = statement<[string, number]>('DELETE FROM tags WHERE id = ? AND entity = ?').run(
    database,
    id,
    entity,
  );
  if (changes === 0 && !isTagId(database, id)) requireAbsent(database, BY_ID, [id]);
  return changes;
}
