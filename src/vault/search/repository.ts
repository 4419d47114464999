/**
 * All SQL of the index of parts. Triggers of this connection note changes while the index exists, in a temporary table.
 * A rollback reverts the notes, too, and nothing of them is in the store's file.
 */
import type { EntityKind } from '../../contract/facts/entities.ts';
import type { Database } from '../../storage/database.ts';
import { scalarStatement, statement, tupleStatement } from '../../storage/statement.ts';

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
export function beginNoting(database: Database): void {
  database.transaction(() => database.exec(NOTE_CHANGES))();
}

export function endNoting(database: Database): void {
  database.transaction(() =>
    database.exec(`DROP TRIGGER temp.search_new_entity; DROP TRIGGER temp.search_gone_entity;
      DROP TRIGGER temp.search_changed_entity; DROP TABLE temp.searched_changes;`),
  )();
}

/** The number of the last note; 0 when there are none. */
export function lastChange(database: Database): number {
  return scalarStatement<[], number>('SELECT coalesce(max(seq), 0) FROM temp.searched_changes').one(database);
}

/** Removes the oldest notes and returns the row ids of up to `limit` created, changed or deleted entities. */
export function takeChanges(database: Database, limit: number): { upTo: number; entities: number[] } {
  const taken = tupleStatement<[number], [seq: number, entity: number]>(
    `DELETE FROM temp.searched_changes
     WHERE seq IN (SELECT seq FROM temp.searched_changes ORDER BY seq LIMIT ?) RETURNING seq, entity`,
  ).all(database, limit);
  return {
    upTo: taken.reduce((last, [seq]) => Math.max(last, seq), 0),
    entities: [...new Set(taken.map(([, entity]) => entity))],
  };
}

export interface KeyedEntity {
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
export function listKeyedEntities(
  database: Database,
  { space, kind, after, limit }: { space: number; kind: EntityKind; after: number; limit: number },
): KeyedEntity[] {
  return statement<[number, number, string, number], KeyedEntity>(
    `${KEYED} NOT INDEXED WHERE id > ? AND space = ? AND kind = ? ORDER BY id LIMIT ?`,
  ).all(database, after, space, kind, limit);
}

export function listKeyedEntitiesOf(database: Database, ids: readonly number[]): KeyedEntity[] {
  return statement<[string], KeyedEntity>(`${KEYED} WHERE id IN (SELECT value FROM json_each(?))`).all(
    database,
    JSON.stringify(ids),
  );
}

export type CurrentValue = readonly [entity: number, identifier: string, version: number, sealed: Uint8Array];

/** The current values of these identifiers in the vaults of these entities. */
export function listCurrentValues(
  database: Database,
  entities: readonly number[],
  identifiers: readonly string[],
): CurrentValue[] {
  // With max(), SQLite takes `sealed` from the row that holds the maximum.
  return tupleStatement<[string, string], [number, string, number, Uint8Array]>(
    `SELECT entity, identifier, max(version), sealed FROM json_each(?) AS asked
     CROSS JOIN json_each(?) AS named CROSS JOIN vault_values
     WHERE entity = asked.value AND identifier = named.value
       AND version <= (SELECT vault_version FROM entities WHERE id = asked.value)
     GROUP BY entity, identifier HAVING sealed IS NOT NULL`,
  ).all(database, JSON.stringify(entities), JSON.stringify(identifiers));
}
