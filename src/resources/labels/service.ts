/** Marks on users and businesses: one label, any number of tags (contract §10). */
import type { Label } from '../../contract/facts/entities.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import { timestamp, type Clock } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Randomness } from '../../kernel/random.ts';
import type { Database } from '../../storage/database.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import { getEntity, type EntityRow } from '../entities/index.ts';
import {
  deleteTag,
  findLabel,
  findTag,
  insertTag,
  isTagId,
  listLabels,
  listTags,
  listTagsOfAll,
  updateLabel,
  type TagRow,
} from './repository.ts';

type LabelAnswer = AnswerOf<'GET /users/{fp_id}/label'>;
export type TagRecord = AnswerOf<'GET /users/{fp_id}/tags'>[number];

export interface Labels {
  label(entity: EntityRow): LabelAnswer;
  /** Setting the same label again changes nothing, not even its time; null removes the label. */
  setLabel(entity: EntityRow, label: Label | null): Promise<void>;
  /** `setLabel` within an existing write job; the entity must be the row of that job. */
  writeLabel(database: Database, entity: EntityRow, label: Label | null): void;
  /** Newest first, ties by id descending. */
  tags(entity: EntityRow): TagRecord[];
  /** Adding an existing tag returns its record. */
  addTag(entity: EntityRow, tag: string): Promise<TagRecord>;
  /** Throws `not_found` when the entity has no tag of this id. */
  removeTag(entity: EntityRow, tagId: string): Promise<void>;
  /** The labels of these entities by row id; entities without a label are absent. */
  labelOf(database: Database, entities: readonly number[]): ReadonlyMap<number, Label>;
  /** The tags of these entities by row id, in the order of `tags`; entities without tags are absent. */
  tagsOf(database: Database, entities: readonly number[]): ReadonlyMap<number, readonly string[]>;
}

export function createLabels(context: { queue: WriteQueue; clock: Clock; random: Randomness }): Labels {
  const { queue, clock, random } = context;

  function writeLabel(database: Database, entity: EntityRow, label: Label | null): void {
    const current = findLabel(database, entity.id)?.label ?? null;
    if (label !== current) updateLabel(database, { entity: entity.id, label, updated_at: clock.now() });
  }

  return {
    label(entity) {
      const row = findLabel(queue.database, entity.id);
      return row ? { kind: row.label, created_at: timestamp(row.labelled_at) } : { kind: null };
    },

    setLabel: (entity, label) =>
      queue.write((database) => {
        writeLabel(database, currentRow(database, entity), label);
      }),

    writeLabel,

    tags: (entity) => listTags(queue.database, entity.id).map(tagView),

    addTag: (entity, tag) =>
      queue.write((database) => {
        const { id: row } = currentRow(database, entity);
        const known = findTag(database, row, tag);
        if (known) return tagView(known);
        const id = newId('tag', random, (taken) => isTagId(database, taken));
        const added = { id, entity: row, tag, created_at: clock.now() };
        insertTag(database, added);
        return tagView(added);
      }),

    removeTag: (entity, tagId) =>
      queue.write((database) => {
        const { id: row } = currentRow(database, entity);
        if (deleteTag(database, row, tagId) === 0) {
          throw new ServiceError('not_found', `This ${entity.kind} has no tag with this id`);
        }
      }),

    labelOf: (database, entities) =>
      new Map(listLabels(database, entities).map(({ entity, label }) => [entity, label])),

    tagsOf(database, entities) {
      const byEntity = new Map<number, string[]>();
      for (const { entity, tag } of listTagsOfAll(database, entities)) {
        const tags = byEntity.get(entity);
        if (tags) tags.push(tag);
        else byEntity.set(entity, [tag]);
      }
      return byEntity;
    },
  };
}

/** The current entity within the job; `not_found` when it was deleted in the meantime. */
function currentRow(database: Database, entity: EntityRow): EntityRow {
  return getEntity(database, entity, entity.fp_id, entity.kind);
}

function tagView({ id, tag, created_at }: TagRow): TagRecord {
  return { id, tag, created_at: timestamp(created_at) };
}
