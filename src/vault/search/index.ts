/**
 * An index of parts of vaults in memory, for searching people by what a caller says: names and their beginnings, a date
 * of birth, the end of a phone or tax number. A part of a space is read at the first search, in slices between other
 * requests, and then kept up to date. The index is dropped, overwritten with zeros, after a period without searches and
 * when the store is closed. It is never stored, and while it doesn't exist it costs writes nothing.
 */
import type { EntityKind } from '../../nouns/entities/facts.ts';
import { realTime } from '../../kernel/time/real-time.ts';
import { nextTurn } from '../../kernel/time/turns.ts';
import { MINUTE_MS, SECOND_MS } from '../../kernel/numbers/units.ts';
import type { Database } from '../../storage/database.ts';
import { scalarStatement, statement, tupleStatement } from '../../storage/statement.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import { decodeValue, type StoredValue, valueKey } from '../reader.ts';
import { countEntities } from '../entity-counts.ts';
import { openAs, unlessDamaged } from '../envelope.ts';
import type { Keyring } from '../keyring/index.ts';
import { createPackedWords, type PackedWords } from './packed-words.ts';
import { SEARCHED_PARTS, wordsOfPart, type SearchedPart } from './parts.ts';

export { SEARCHED_PARTS, type SearchedPart } from './parts.ts';

// All SQL of the index of parts. Triggers of this connection note changes while the index exists, in a temporary table.
// A rollback reverts the notes, too, and nothing of them is in the store's file.

const NOTE_CHANGES = `
CREATE TEMP TABLE searched_changes (seq INTEGER PRIMARY KEY, entity INTEGER NOT NULL);
CREATE TEMP TRIGGER search_new_entity AFTER INSERT ON main.entities BEGIN
  INSERT INTO searched_changes (entity) VALUES (new.id);
END;
CREATE TEMP TRIGGER search_gone_entity AFTER DELETE ON main.entities BEGIN
  INSERT INTO searched_changes (entity) VALUES (old.id);
END;
CREATE TEMP TRIGGER search_changed_entity AFTER UPDATE OF vault_version ON main.entities BEGIN
  INSERT INTO searched_changes (entity) VALUES (new.id);
END;`;

/** Not within a transaction, since a rollback would remove the triggers. */
function beginNoting(database: Database): void {
  database.transaction(() => database.exec(NOTE_CHANGES))();
}

function endNoting(database: Database): void {
  database.transaction(() =>
    database.exec(`DROP TRIGGER temp.search_new_entity; DROP TRIGGER temp.search_gone_entity;
      DROP TRIGGER temp.search_changed_entity; DROP TABLE temp.searched_changes;`),
  )();
}

/** The number of the last note; 0 when there are none. */
const lastChange = scalarStatement<[], number>('SELECT coalesce(max(seq), 0) FROM temp.searched_changes').one;

/** Removes the oldest notes and returns the row ids of up to `limit` created, changed or deleted entities. */
function takeChanges(database: Database, limit: number): { upTo: number; entities: number[] } {
  const taken = tupleStatement<[number], [seq: number, entity: number]>(
    `DELETE FROM temp.searched_changes
     WHERE seq IN (SELECT seq FROM temp.searched_changes ORDER BY seq LIMIT ?) RETURNING seq, entity`,
  ).all(database, limit);
  return {
    upTo: taken.reduce((last, [seq]) => Math.max(last, seq), 0),
    entities: [...new Set(taken.map(([, entity]) => entity))],
  };
}

interface KeyedEntity {
  /** Row id. */
  readonly id: number;
  readonly fp_id: string;
  readonly space: number;
  readonly kind: EntityKind;
  readonly sandbox_id: string | null;
  readonly root_key_version: number;
  readonly sealed_key: Uint8Array;
}

const KEYED = 'SELECT id, fp_id, space, kind, sandbox_id, root_key_version, sealed_key FROM entities';

/** Entities of a space and kind after a row id, in the order of row ids. */
function listKeyedEntities(
  database: Database,
  { space, kind, after, limit }: { space: number; kind: EntityKind; after: number; limit: number },
): KeyedEntity[] {
  return statement<[number, number, string, number], KeyedEntity>(
    `${KEYED} NOT INDEXED WHERE id > ? AND space = ? AND kind = ? ORDER BY id LIMIT ?`,
  ).all(database, after, space, kind, limit);
}

function listKeyedEntitiesOf(database: Database, ids: readonly number[]): KeyedEntity[] {
  return statement<[string], KeyedEntity>(`${KEYED} WHERE id IN (SELECT value FROM json_each(?))`).all(
    database,
    JSON.stringify(ids),
  );
}

type CurrentValue = [entity: number, identifier: string, version: number, sealed: Uint8Array];

/** The current values of these identifiers in the vaults of these entities. */
function listCurrentValues(
  database: Database,
  entities: readonly number[],
  identifiers: readonly string[],
): CurrentValue[] {
  // With max(), SQLite takes `sealed` from the row that holds the maximum.
  return tupleStatement<[string, string], CurrentValue>(
    `SELECT entity, identifier, max(version), sealed FROM json_each(?) AS asked
     CROSS JOIN json_each(?) AS named CROSS JOIN vault_values
     WHERE entity = asked.value AND identifier = named.value
       AND version <= (SELECT vault_version FROM entities WHERE id = asked.value)
     GROUP BY entity, identifier HAVING sealed IS NOT NULL`,
  ).all(database, JSON.stringify(entities), JSON.stringify(identifiers));
}

/** A slice takes a few milliseconds. */
const ENTITIES_PER_SLICE = 64;
const IDLE_MS = 5 * MINUTE_MS;
/** Deleted or changed names are removed from memory within this time, even without a search. */
const REFRESH_MS = SECOND_MS;

export interface SearchPlace {
  readonly space: number;
  readonly kinds: readonly EntityKind[];
}

export type PartIndex = ReturnType<typeof createPartIndex>;

interface Part {
  readonly space: number;
  readonly kind: EntityKind;
  readonly of: SearchedPart;
  readonly words: PackedWords;
  readonly damaged: Set<number>;
  /** The last row id that was read. */
  upTo: number;
  done: number;
  reading: Promise<unknown> | undefined;
}

/** `idleMs`: how long it is kept after the last search. */
export function createPartIndex(
  { queue, keyring }: { queue: WriteQueue; keyring: Keyring },
  idleMs = IDLE_MS,
) {
  const { database } = queue;
  const parts = new Map<string, Part>();
  let isAlive = false;
  let idle: NodeJS.Timeout | undefined;
  let refresh: NodeJS.Timeout | undefined;

  queue.beforeCommit(() => {
    if (!isAlive || refresh) return;
    queue.afterCommit(() => {
      refresh ??= realTime
        .setTimeout(() => {
          refresh = undefined;
          void settle().catch(() => undefined);
        }, REFRESH_MS)
        .unref();
    });
  });
  queue.beforeClose(drop);

  function drop(): void {
    realTime.clearTimeout(idle);
    realTime.clearTimeout(refresh);
    refresh = undefined;
    for (const part of parts.values()) part.words.clear();
    parts.clear();
    if (!isAlive) return;
    isAlive = false;
    endNoting(database);
  }

  function stayAlive(): void {
    if (!isAlive) beginNoting(database);
    isAlive = true;
    realTime.clearTimeout(idle);
    idle = realTime.setTimeout(drop, idleMs).unref();
  }

  /** When this settles, the index includes everything committed before the call. */
  async function settle(): Promise<void> {
    if (!isAlive) return;
    const last = lastChange(database);
    let upTo = 0;
    do {
      upTo = applySome();
      if (upTo === 0 || upTo >= last) return;
      await nextTurn();
    } while (parts.size > 0);
  }

  /**
   * Returns the last note that was applied; 0 when there is none. A read error drops the index, since it would be
   * wrong.
   */
  function applySome(): number {
    try {
      const taken = takeChanges(database, ENTITIES_PER_SLICE);
      readAgain(taken.entities);
      return taken.upTo;
    } catch (error) {
      drop();
      throw error;
    }
  }

  function readAgain(ids: readonly number[]): void {
    const entities = listKeyedEntitiesOf(database, ids);
    for (const part of parts.values()) {
      const { space, kind, upTo } = part;
      for (const id of ids) {
        part.words.set(id, []);
        part.damaged.delete(id);
      }
      readInto(
        part,
        entities.filter((entity) => entity.space === space && entity.kind === kind && entity.id <= upTo),
      );
    }
  }

  /** Reads their current values, replacing earlier ones. */
  function readInto(part: Part, entities: readonly KeyedEntity[]): void {
    if (entities.length === 0) return;
    const { of, kind } = part;
    if (of === 'sandbox_id') {
      for (const { id, sandbox_id } of entities)
        if (sandbox_id !== null) part.words.set(id, wordsOfPart('sandbox_id', [['', sandbox_id]]));
      return;
    }
    const ids = entities.map(({ id }) => id);
    const rows = listCurrentValues(database, ids, SEARCHED_PARTS[of].identifiers[kind]);
    for (const entity of entities) {
      const { id, fp_id } = entity;
      const own = rows.filter(([owner]) => owner === id);
      if (own.length === 0) continue;
      const entityKey = unlessDamaged(() => keyring.openEntityKey(fp_id, entity));
      const values: [string, StoredValue][] = [];
      for (const [, identifier, version, sealed] of entityKey ? own : []) {
        const value =
          entityKey &&
          unlessDamaged(() => {
            const key = valueKey(entityKey, { fp_id, identifier, version });
            return openAs(key, sealed, decodeValue);
          });
        if (value !== undefined) values.push([identifier, value]);
      }
      entityKey?.fill(0);
      if (values.length < own.length) part.damaged.add(id);
      part.words.set(id, wordsOfPart(of, values));
    }
  }

  async function readAll(part: Part): Promise<void> {
    const { space, kind } = part;
    while (isOurs(part)) {
      const entities = listKeyedEntities(database, {
        space,
        kind,
        after: part.upTo,
        limit: ENTITIES_PER_SLICE,
      });
      // From here on only the notes report new entities.
      part.upTo = entities.at(-1)?.id ?? Number.MAX_SAFE_INTEGER;
      if (entities.length === 0) return;
      readInto(part, entities);
      part.done += entities.length;
      await nextTurn();
    }
  }

  const isOurs = (part: Part) => parts.get(nameOf(part)) === part;

  function begin(where: Pick<Part, 'space' | 'kind' | 'of'>): Part {
    const part: Part = {
      ...where,
      words: createPackedWords(),
      damaged: new Set(),
      upTo: 0,
      done: 0,
      reading: undefined,
    };
    parts.set(nameOf(part), part);
    part.reading = nextTurn()
      .then(() => readAll(part))
      .then(
        () => (part.reading = undefined),
        // After a read error the next search tries again.
        () => {
          part.words.clear();
          if (isOurs(part)) parts.delete(nameOf(part));
        },
      );
    return part;
  }

  function partsOf({ space, kinds }: SearchPlace, of: SearchedPart): Part[] {
    return kinds.flatMap((kind) => parts.get(nameOf({ space, kind, of })) ?? []);
  }

  return {
    drop,
    /** When it settles, the index includes everything committed before the call. */
    settle,

    /** Starts reading a part of a place if necessary and returns the progress; undefined once it is complete. */
    progress({ space, kinds }: SearchPlace, of: SearchedPart) {
      stayAlive();
      const all = kinds.map((kind) => parts.get(nameOf({ space, kind, of })) ?? begin({ space, kind, of }));
      if (all.every(({ reading }) => reading === undefined)) return undefined;
      const there = (kind: EntityKind) => countEntities(database, { space, kind });
      return {
        done: all.reduce((sum, { done }) => sum + done, 0),
        of: all.reduce((sum, { kind, done }) => sum + Math.max(done, there(kind)), 0),
      };
    },

    /** Settles when all parts in progress are complete, or the index was dropped. */
    async whenReady(): Promise<void> {
      for (const { reading } of [...parts.values()]) await reading;
    },

    /**
     * Row ids of the entities that have all words of one of these lists, matched as SEARCHED_PARTS says. The part must be
     * complete.
     */
    find(place: SearchPlace, of: SearchedPart, either: readonly (readonly string[])[]): number[] {
      const { sought, fit } = SEARCHED_PARTS[of];
      const wanted = sought ? either.map((needed) => needed.map(sought)) : either;
      const lists = partsOf(place, of).flatMap(({ words }) =>
        wanted.map((needed) => words.find(needed, fit)),
      );
      return ([] as number[]).concat(...lists);
    },

    /** How many entities of the place have values of the part that don't open. */
    unreadable: (place: SearchPlace, of: SearchedPart): number =>
      partsOf(place, of).reduce((sum, { damaged }) => sum + damaged.size, 0),
  };
}

function nameOf({ space, kind, of }: Pick<Part, 'space' | 'kind' | 'of'>): string {
  return `${space} ${kind} ${of}`;
}
