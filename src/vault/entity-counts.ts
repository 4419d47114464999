/**
 * Numbers of entities by space, kind and status. They are counted once for each open store, with its indexes, and then
 * kept up to date by triggers of this connection. A rollback reverts them, too. They are in a temporary table, not in
 * the store's file, where another program could change them.
 */
import { isSqliteError, type Database } from '../storage/database.ts';
import { scalarStatement, statement, reportDamage } from '../storage/statement.ts';

/** Members that are left out don't restrict the count. */
export interface CountFilter {
  readonly space?: number | undefined;
  readonly kind?: string | undefined;
  readonly status?: string | undefined;
}

const counted = new WeakSet<Database>();

/** Entities with a status other than `none` have an index of their own; the rest follows by subtraction. */
const COUNTS = `
  SELECT space, kind, status, count(*) AS entities FROM entities INDEXED BY entities_by_status
    WHERE status <> 'none' GROUP BY space, kind, status
  UNION ALL
  SELECT space, kind, 'none', count(*) - (
    SELECT count(*) FROM entities AS other INDEXED BY entities_by_status
      WHERE status <> 'none' AND other.space = entities.space AND other.kind = entities.kind
  ) FROM entities INDEXED BY entities_by_age GROUP BY space, kind`;

const KEEP_COUNTS = `
CREATE TEMP TABLE entity_counts (
  space INTEGER NOT NULL,
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  entities INTEGER NOT NULL,
  PRIMARY KEY (space, kind, status)
) WITHOUT ROWID;
INSERT INTO temp.entity_counts ${COUNTS};
CREATE TEMP TRIGGER count_new_entity AFTER INSERT ON main.entities BEGIN
  INSERT INTO entity_counts VALUES (new.space, new.kind, new.status, 1)
    ON CONFLICT DO UPDATE SET entities = entities + 1;
END;
CREATE TEMP TRIGGER count_gone_entity AFTER DELETE ON main.entities BEGIN
  UPDATE entity_counts SET entities = entities - 1
    WHERE space = old.space AND kind = old.kind AND status = old.status;
END;
CREATE TEMP TRIGGER count_changed_entity AFTER UPDATE OF status ON main.entities
WHEN new.status <> old.status BEGIN
  UPDATE entity_counts SET entities = entities - 1
    WHERE space = old.space AND kind = old.kind AND status = old.status;
  INSERT INTO entity_counts VALUES (new.space, new.kind, new.status, 1)
    ON CONFLICT DO UPDATE SET entities = entities + 1;
END;`;

const MATCHES = `(@space IS NULL OR space = @space) AND (@kind IS NULL OR kind = @kind)
  AND (@status IS NULL OR status = @status)`;

/**
 * The number of matching entities: from the counters, or by counting, if this is a job and the counters don't exist
 * yet.
 */
export function countEntities(database: Database, { space, kind, status }: CountFilter): number {
  const source = keepsCounts(database) ? 'temp.entity_counts' : `(${COUNTS})`;
  return scalarStatement<{ space: number | null; kind: string | null; status: string | null }, number>(
    `SELECT coalesce(sum(entities), 0) FROM ${source} WHERE ${MATCHES}`,
  ).one(database, { space: space ?? null, kind: kind ?? null, status: status ?? null });
}

/** Not started within a transaction, since a rollback would remove the triggers. */
function keepsCounts(database: Database): boolean {
  if (counted.has(database)) return true;
  if (database.inTransaction) return false;
  try {
    database.transaction(() => database.exec(KEEP_COUNTS))();
  } catch (error) {
    // Every row has these columns, so a row without them is on a damaged page.
    throw isSqliteError(error, 'SQLITE_CONSTRAINT') ? reportDamage(database, error) : error;
  }
  counted.add(database);
  return true;
}

/**
 * Counts by version of the root key that seals the entities' keys; versions without entities are left out. The number
 * for the newest version follows by subtracting the others, which are few or none.
 */
export function countByRootKey(database: Database, newest: number): { version: number; entities: number }[] {
  const older = statement<[number], { version: number; entities: number }>(
    `SELECT root_key_version AS version, count(*) AS entities
     FROM entities INDEXED BY entities_by_root_key WHERE root_key_version < ?
     GROUP BY root_key_version ORDER BY root_key_version`,
  ).all(database, newest);
  const entities = older.reduce((rest, each) => rest - each.entities, countEntities(database, {}));
  return entities > 0 ? [...older, { version: newest, entities }] : older;
}
