/** All SQL of labels and tags. `entity` is the row id of the entity; times are epoch milliseconds. */
import type { Label } from '../../contract/facts/entities.ts';
import { requireAbsent, type TableIndex } from '../../storage/confirmed-misses.ts';
import type { Database } from '../../storage/database.ts';
import { statement } from '../../storage/statement.ts';
import { integer, table, text, type RowOf } from '../../storage/table.ts';

export interface LabelRow {
  readonly label: Label;
  readonly labelled_at: number;
}

const TAGS = table('tags', { id: text, entity: integer, tag: text, created_at: integer });
export type TagRow = RowOf<typeof TAGS>;

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
export const listTags = TAGS.all<[entity: number]>('WHERE entity = ? ORDER BY created_at DESC, id DESC');

/** The tags of these entities, each entity's in the order of `listTags`. */
export const listTagsOfAll = TAGS.among('entity', 'ORDER BY created_at DESC, id DESC');

const BY_ID: TableIndex = { table: 'tags', index: 'sqlite_autoindex_tags_1', columns: ['id'] };
const BY_TAG: TableIndex = { table: 'tags', index: 'sqlite_autoindex_tags_2', columns: ['entity', 'tag'] };

export const findTag = TAGS.find<[entity: number, tag: string]>(BY_TAG);
export const isTagId = TAGS.has<[id: string]>('id = ?');
export const insertTag = TAGS.insert;

const deleteOf = TAGS.delete<[id: string, entity: number]>('id = ? AND entity = ?');

/** Returns how many were deleted: 0 when the entity has no tag of this id. */
export function deleteTag(database: Database, entity: number, id: string): number {
  const changes = deleteOf(database, id, entity);
  if (changes === 0 && !isTagId(database, id)) requireAbsent(database, BY_ID, [id]);
  return changes;
}
