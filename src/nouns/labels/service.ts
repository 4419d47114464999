/** Marks on users and businesses: one label, any number of tags (contract §10). */
import type { Label } from '../entities/facts.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import { timestamp } from '../../kernel/time/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids/ids.ts';
import type { Database } from '../../storage/database.ts';
import { statement, tupleStatement } from '../../storage/statement.ts';
import { integer, type RowOf, table, text } from '../../storage/table.ts';
import type { AccessCall } from '../../vault/access-entry.ts';
import { type EntityRow, forBusinessesToo, getEntity } from '../entities/service/index.ts';
import { answer, doneWriting, written } from '../handlers.ts';
import type { Needs } from '../needs.ts';

// All SQL of labels and tags. `entity` is the row id of the entity; times are epoch milliseconds.

interface LabelRow {
  readonly label: Label;
  readonly labelled_at: number;
}

const TAGS = table('tags', { id: text, entity: integer, tag: text, created_at: integer });

const findLabel = statement<[entity: number], LabelRow>(
  'SELECT label, labelled_at FROM entities WHERE id = ? AND label IS NOT NULL',
).get;

/** Sets the label; null removes it. */
function updateLabel(
  database: Database,
  row: { entity: number; label: Label | null; updated_at: number },
): void {
  statement<[string | null, number | null, number, number]>(
    'UPDATE entities SET label = ?, labelled_at = ?, updated_at = ? WHERE id = ?',
  ).run(database, row.label, row.label === null ? null : row.updated_at, row.updated_at, row.entity);
}

/** The labels of those entities that have one; a JSON list of row ids. */
const listLabels = tupleStatement<[entities: string], [entity: number, label: Label]>(
  'SELECT id, label FROM entities WHERE id IN (SELECT value FROM json_each(?)) AND label IS NOT NULL',
).all;

/** Newest first, ties by id descending. */
const listTags = TAGS.all<[entity: number]>('WHERE entity = ? ORDER BY created_at DESC, id DESC');

/** The tags of these entities, each entity's in the order of `listTags`. */
const listTagsOfAll = TAGS.among('entity', 'ORDER BY created_at DESC, id DESC');

const findTag = TAGS.first<[entity: number, tag: string]>('WHERE entity = ? AND tag = ?');
const isTagId = TAGS.has<[id: string]>('id = ?');

/** Returns how many were deleted: 0 when the entity has no tag of this id. */
const deleteTag = TAGS.delete<[entity: number, id: string]>('entity = ? AND id = ?');

type LabelAnswer = AnswerOf<'GET /users/{fp_id}/label'>;
type TagRecord = AnswerOf<'GET /users/{fp_id}/tags'>[number];

export type Labels = ReturnType<typeof createLabels>;

export function createLabels(context: Needs<'queue' | 'clock' | 'random' | 'acts'>) {
  const { queue, clock, random, acts } = context;

  /** In a write job; `entity` must be its row. The same label again changes nothing, not even its time. */
  function writeLabel(
    database: Database,
    entity: EntityRow,
    label: Label | null,
    { call, reason }: { readonly call: AccessCall; readonly reason: string | undefined },
  ): void {
    const current = findLabel(database, entity.id)?.label ?? null;
    if (label === current) return;
    updateLabel(database, { entity: entity.id, label, updated_at: clock.now() });
    const effect = `${current ?? 'none'} -> ${label ?? 'none'}`;
    acts.record(database, call, entity, { operation: 'label', effect, reason });
  }

  function label(entity: EntityRow): LabelAnswer {
    const row = findLabel(queue.database, entity.id);
    return row ? { kind: row.label, created_at: timestamp(row.labelled_at) } : { kind: null };
  }

  /** Newest first, ties by id descending. */
  const tags = (entity: EntityRow): TagRecord[] => listTags(queue.database, entity.id).map(tagView);

  return {
    label,
    tags,
    writeLabel,

    /** The labels of these entities by row id; entities without a label are absent. */
    labelOf: (database: Database, entities: readonly number[]): ReadonlyMap<number, Label> =>
      new Map(listLabels(database, JSON.stringify(entities))),

    /** The tags of these entities by row id, in the order of `tags`; entities without tags are absent. */
    tagsOf(database: Database, entities: readonly number[]): ReadonlyMap<number, readonly string[]> {
      const byEntity = new Map<number, string[]>();
      for (const { entity, tag } of listTagsOfAll(database, entities)) {
        const tags = byEntity.get(entity);
        if (tags) tags.push(tag);
        else byEntity.set(entity, [tag]);
      }
      return byEntity;
    },

    handlers: forBusinessesToo({
      'GET /users/{fp_id}/label': ({ entity }) => answer(label(entity)),

      'POST /users/{fp_id}/label': ({ entity, body: { kind, reason }, ...call }) =>
        doneWriting(queue, (database) =>
          writeLabel(database, currentRow(database, entity), kind, { call, reason }),
        ),

      'GET /users/{fp_id}/tags': ({ entity }) => answer(tags(entity)),

      // Adding an existing tag returns its record.
      'POST /users/{fp_id}/tags': ({ entity, body: { tag, reason }, ...call }) =>
        written(queue, (database) => {
          const { id: row } = currentRow(database, entity);
          const known = findTag(database, row, tag);
          if (known) return tagView(known);
          const id = newId('tag', random, (taken) => isTagId(database, taken));
          const added = { id, entity: row, tag, created_at: clock.now() };
          TAGS.insert(database, added);
          acts.record(database, call, entity, { operation: 'tag', effect: `added ${tag}`, reason });
          return tagView(added);
        }),

      'DELETE /users/{fp_id}/tags/{tag_id}': ({ entity, params: { tag_id }, body, ...call }) =>
        doneWriting(queue, (database) => {
          const { id: row } = currentRow(database, entity);
          const removed = listTags(database, row).find(({ id }) => id === tag_id);
          if (deleteTag(database, row, tag_id) === 0 || removed === undefined) {
            throw new ServiceError('not_found', `This ${entity.kind} has no tag with this id`);
          }
          const effect = `removed ${removed.tag}`;
          acts.record(database, call, entity, { operation: 'tag', effect, reason: body?.reason });
        }),
    }),
  };
}

/** The current entity within the job; `not_found` when it was deleted in the meantime. */
function currentRow(database: Database, entity: EntityRow): EntityRow {
  return getEntity(database, entity, entity.fp_id, entity.kind);
}

function tagView({ id, tag, created_at }: RowOf<typeof TAGS>): TagRecord {
  return { id, tag, created_at: timestamp(created_at) };
}
