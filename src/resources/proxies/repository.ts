/** All SQL of stored proxy configurations. Times are epoch milliseconds. */
import { requireAbsent, type TableIndex } from '../../storage/confirmed-misses.ts';
import type { Database } from '../../storage/database.ts';
import { scalarStatement, statement } from '../../storage/statement.ts';
import { requireSeal, sealOf, updateGrantList } from '../../vault/grants/index.ts';

export interface ConfigurationRow {
  readonly seq: number;
  readonly id: string;
  /** Row id. */
  readonly space: number;
  /** The origin of the target's URL; the only part stored in plain text. */
  readonly origin: string;
  /** JSON, sealed for this id. */
  readonly sealed_configuration: Uint8Array;
  readonly enabled: number;
  readonly created_at: number;
  readonly seal: Uint8Array | null;
}

type NewRow = Omit<ConfigurationRow, 'seq' | 'seal'>;

interface StoredConfiguration {
  seal: Uint8Array;
  id: string;
  space: number;
  enabled: number;
  created_at: number;
  origin: string;
  sealed_configuration: Uint8Array;
}

export function insertConfiguration(database: Database, row: NewRow): void {
  statement<StoredConfiguration>(`INSERT INTO proxy_configurations (id, space, origin, sealed_configuration, enabled, created_at, seal)
     VALUES (@id, @space, @origin, @sealed_configuration, @enabled, @created_at, @seal)`).run(database, {
    ...row,
    seal: sealOf(database, 'proxy_configurations', row),
  });
  updateGrantList(database);
}

/** Updates the row with the given changes. */
export function updateConfiguration(database: Database, row: NewRow): void {
  statement<StoredConfiguration>(`UPDATE proxy_configurations SET origin = @origin, sealed_configuration = @sealed_configuration,
       enabled = @enabled, seal = @seal WHERE id = @id`).run(database, {
    ...row,
    seal: sealOf(database, 'proxy_configurations', row),
  });
  updateGrantList(database);
}

export function deleteConfiguration(database: Database, id: string): void {
  statement<[string]>('DELETE FROM proxy_configurations WHERE id = ?').run(database, id);
  updateGrantList(database);
}

export function deleteAllConfigurations(database: Database): void {
  statement('DELETE FROM proxy_configurations').run(database);
  updateGrantList(database);
}

/** Throws `vault_damaged` when another program has changed it. */
export function findConfiguration(database: Database, id: string): ConfigurationRow | undefined {
  const row = findAnyConfiguration(database, id);
  if (row) requireSeal(database, 'proxy_configurations', row, row.seal);
  return row;
}

/** Also returns a row that another program has changed, so that it can be deleted. */
export function findAnyConfiguration(database: Database, id: string): ConfigurationRow | undefined {
  const row = statement<[string], ConfigurationRow>('SELECT * FROM proxy_configurations WHERE id = ?').get(
    database,
    id,
  );
  if (!row) requireAbsent(database, BY_ID, [id]);
  return row;
}

const BY_ID: TableIndex = {
  table: 'proxy_configurations',
  index: 'sqlite_autoindex_proxy_configurations_1',
  columns: ['id'],
};

/** Newest first, starting before the row `before` if given; up to one more than `limit`. Throws `vault_damaged`. */
export function listConfigurations(
  database: Database,
  space: number,
  { before, limit }: { before: number | undefined; limit: number },
): ConfigurationRow[] {
  const rows = statement<
    { space: number; before: number | null; limit: number },
    ConfigurationRow
  >(`SELECT * FROM proxy_configurations WHERE space = @space AND (@before IS NULL OR seq < @before)
     ORDER BY seq DESC LIMIT @limit + 1`).all(database, { space, before: before ?? null, limit });
  for (const row of rows) requireSeal(database, 'proxy_configurations', row, row.seal);
  return rows;
}

export function countConfigurations(database: Database, space: number): number {
  return scalarStatement<[number], number>('SELECT count(*) FROM proxy_configurations WHERE space = ?').one(
    database,
    space,
  );
}

/** Copies the configurations of one store into one that has none. Throws `vault_damaged`. */
export function copyConfigurations(
  from: Database,
  to: Database,
  how: {
    /** Row ids of the target's spaces by those of the source. */
    readonly spaces: ReadonlyMap<number, number>;
    readonly reseal: (id: string, sealed: Uint8Array) => Uint8Array;
  },
): void {
  const rows = statement<[], ConfigurationRow>('SELECT * FROM proxy_configurations ORDER BY seq').all(from);
  for (const row of rows) {
    requireSeal(from, 'proxy_configurations', row, row.seal);
    const space = how.spaces.get(row.space);
    if (space === undefined) continue;
    const sealed_configuration = how.reseal(row.id, row.sealed_configuration);
    insertConfiguration(to, { ...row, space, sealed_configuration });
  }
}
