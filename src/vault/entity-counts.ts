/**
 * How many entities there are of each kind and status in each space. They are counted once for each open store, by
 * its indexes, and from then on kept up to date by triggers of this connection: what is rolled back is rolled back
 * here, too, and nothing of it stands in the store's file, where another program could change it.
 */
import { isSqliteError, type Database } from '../storage/database.ts';
import { scalarStatement, statement } from '../storage/statement.ts';
import { reportDamage } from '../storage/store-health.ts';

/** What is counted; what is left out is not asked for. */
export interface CountFilter {
  readonly space?: number | undefined;
  readonly kind?: string | undefined;
  readonly status?: string | undefined;
}

const counted = new WeakSet<Database>();

/** Entities of a status other than `none` stand in an index of their own; the others are what is left. */
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

/** How many entities match; by what was counted, or, where a job counts before anybody else did, by counting. */
export function countEntities(database: Database, { space, kind, status }: CountFilter): number {
  const source = keepsCounts(database) ? 'temp.entity_counts' : `(${COUNTS})`;
  return scalarStatement<{ space: number | null; kind: string | null; status: string | null }, number>(
    `SELECT coalesce(sum(entities), 0) FROM ${source} WHERE ${MATCHES}`,
  ).one(database, {
    space: space ?? null,
    kind: kind ?? null,
    status: status ?? null,
  });
}

/** Not begun within a transaction: were it rolled back, the triggers would go with it. */
function keepsCounts(database: Database): boolean {
  if (counted.has(database)) return true;
  if (database.inTransaction) return false;
  try {
    database.transaction(() => database.exec(KEEP_COUNTS))();
  } catch (error) {
    // Every row of the store has these columns: one without them stands on a damaged page.
    throw isSqliteError(error, 'SQLITE_CONSTRAINT') ? reportDamage(database, error) : error;
  }
  counted.add(database);
  return true;
}

/**
 * By the version of the root key that seals their keys; versions that seal none are left out. Those of the newest are
 * what is left when the others, few or none, are counted.
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
