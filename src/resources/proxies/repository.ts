/** All SQL of stored proxy configurations. Times are epoch milliseconds. */
import type { TableIndex } from '../../storage/confirmed-misses.ts';
import type { Database } from '../../storage/database.ts';
import { assigned, boolean, bytes, integer, table, text, type RowOf } from '../../storage/table.ts';
import { rowSeal } from '../../vault/grants/index.ts';

const CONFIGURATIONS = table(
  'proxy_configurations',
  {
    seq: assigned,
    id: text,
    /** Row id. */
    space: integer,
    /** The origin of the target's URL; the only part stored in plain text. */
    origin: text,
    /** JSON, sealed for this id. */
    sealed_configuration: bytes,
    enabled: boolean,
    created_at: integer,
  },
  { key: ['id'], fixed: ['space', 'created_at'], seal: rowSeal('proxy_configurations') },
);

export type ConfigurationRow = RowOf<typeof CONFIGURATIONS>;

export const insertConfiguration = CONFIGURATIONS.insert;
/** Updates the row with the given changes. */
export const updateConfiguration = CONFIGURATIONS.update;
export const deleteConfiguration = CONFIGURATIONS.delete<[id: string]>('id = ?');
export const deleteAllConfigurations = CONFIGURATIONS.delete();

const BY_ID: TableIndex = {
  table: 'proxy_configurations',
  index: 'sqlite_autoindex_proxy_configurations_1',
  columns: ['id'],
};

/** Throws `vault_damaged` when another program has changed it. */
export const findConfiguration = CONFIGURATIONS.find<[id: string]>(BY_ID);

/** Also returns a row that another program has changed, so that it can be deleted. */
export const findAnyConfiguration = CONFIGURATIONS.unchecked.find<[id: string]>(BY_ID);

/** Newest first. Throws `vault_damaged`. */
export const listConfigurations = CONFIGURATIONS.page<{ space: number }, 'seq'>(
  'space = @space',
  ['seq'],
  'DESC',
);
export const countConfigurations = CONFIGURATIONS.count<[space: number]>('space = ?');

const listAll = CONFIGURATIONS.all('ORDER BY seq');

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
  for (const row of listAll(from)) {
    const space = how.spaces.get(row.space);
    if (space === undefined) continue;
    const sealed_configuration = how.reseal(row.id, row.sealed_configuration);
    insertConfiguration(to, { ...row, space, sealed_configuration });
  }
}
