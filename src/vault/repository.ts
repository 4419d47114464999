/** All SQL of vault values. `entity` is the row id of the entity; times are epoch milliseconds. */
import type { Database } from '../storage/database.ts';
import {
  exists,
  insertion,
  scalarStatement,
  statement,
  tupleStatement,
  keptRows,
} from '../storage/statement.ts';
import { bytes, integer, table, text } from '../storage/table.ts';

export interface ValueRow {
  readonly version: number;
  /** Null when this version is a deletion. */
  readonly sealed: Uint8Array | null;
  readonly created_at: number;
}

const NEWEST_AS_OF = tupleStatement<
  [entity: number, identifier: string, version: number],
  [version: number, sealed: Uint8Array | null, created_at: number]
>(`SELECT version, sealed, created_at FROM vault_values
   WHERE entity = ? AND identifier = ? AND version <= ? ORDER BY version DESC LIMIT 1`);

/** The row of an identifier in the state as of `version`; may be a deletion. */
export function findValue(
  database: Database,
  { entity, identifier, version }: { entity: number; identifier: string; version: number },
): ValueRow | undefined {
  return kept.get(database, { owner: entity, name: identifier, asOf: version }, () => {
    const row = NEWEST_AS_OF.get(database, entity, identifier, version);
    return row && { version: row[0], sealed: row[1], created_at: row[2] };
  });
}

/** The state as of a version never changes, since a later write has a later version. A few MiB at most. */
const kept = keptRows<ValueRow>('vault_values', {
  limit: 8_192,
  isSmall: ({ sealed }) => sealed === null || sealed.length <= KEPT_VALUE_BYTES,
});
const KEPT_VALUE_BYTES = 1_024;

/** The names of all values that are stored as of `version`, sorted. Reads no sealed value. */
export function listStoredNames(database: Database, entity: number, version: number): string[] {
  // With max(), SQLite takes `sealed` from the row that holds the maximum.
  return tupleStatement<[number, number], [string, number]>(`SELECT identifier, max(version) FROM vault_values
     WHERE entity = ? AND version <= ? GROUP BY identifier HAVING sealed IS NOT NULL ORDER BY identifier`)
    .all(database, entity, version)
    .map(([identifier]) => identifier);
}

/**
 * At most `limit` names after `after` that were stored or deleted by `version`, sorted, and whether each is stored as
 * of it. Reads no sealed value.
 */
export function listNamesAfter(
  database: Database,
  { entity, version }: { entity: number; version: number },
  { after, limit }: { after: string; limit: number },
): { name: string; isStored: boolean }[] {
  // With max(), SQLite takes `sealed` from the row that holds the maximum.
  return tupleStatement<[number, number, string, number], [string, number, number]>(
    `SELECT identifier, max(version), sealed IS NOT NULL FROM vault_values
     WHERE entity = ? AND version <= ? AND identifier > ? GROUP BY identifier ORDER BY identifier LIMIT ?`,
  )
    .all(database, entity, version, after, limit)
    .map(([name, , isStored]) => ({ name, isStored: isStored === 1 }));
}

/** Whether anything whose name begins with `prefix` is or was stored. */
export const hasHistoryUnder = exists<{ entity: number; prefix: string }>(`SELECT 1 FROM vault_values
  WHERE entity = @entity AND substr(identifier, 1, length(@prefix)) = @prefix LIMIT 1`);

/** The changes of one write, by names only. */
export interface VaultWrite {
  readonly version: number;
  readonly created_at: number;
  readonly written: readonly string[];
  readonly deleted: readonly string[];
}

/** All writes up to `version` that still have rows, oldest first. Reads no sealed value. */
export function listVaultWrites(database: Database, entity: number, version: number): VaultWrite[] {
  const rows = tupleStatement<
    [number, number],
    [version: number, created_at: number, written: string, deleted: string]
  >(`SELECT version, min(created_at), json_group_array(identifier) FILTER (WHERE sealed IS NOT NULL),
       json_group_array(identifier) FILTER (WHERE sealed IS NULL)
     FROM vault_values WHERE entity = ? AND version <= ? GROUP BY version ORDER BY version`).all(
    database,
    entity,
    version,
  );
  return rows.map(([version, created_at, written, deleted]) => ({
    version,
    created_at,
    written: JSON.parse(written) as string[],
    deleted: JSON.parse(deleted) as string[],
  }));
}

/** Names of all values that any version has stored, including deleted ones. */
export const listEverStored = scalarStatement<[entity: number], string>(
  'SELECT DISTINCT identifier FROM vault_values WHERE entity = ?',
).all;

/** The last version up to `version` of which all changes were made at or before `time`. */
export const findVersionAt = scalarStatement<[entity: number, version: number, time: number], number>(
  'SELECT coalesce(max(version), 0) FROM vault_values WHERE entity = ? AND version <= ? AND created_at <= ?',
).one;

const INSERT_VALUES = insertion<
  [entity: number, identifier: string, version: number, sealed: Uint8Array | null, created_at: number]
>('INSERT INTO vault_values (entity, identifier, version, sealed, created_at)', 5);

/** Inserts the values of one write, including deletions. */
export function insertValues(
  database: Database,
  { entity, version, created_at }: { entity: number; version: number; created_at: number },
  values: readonly { readonly identifier: string; readonly sealed: Uint8Array | null }[],
): void {
  INSERT_VALUES.run(
    database,
    values.map(({ identifier, sealed }) => [entity, identifier, version, sealed, created_at]),
  );
}

/** Destroys the versions of an identifier up to `version`; secure_delete overwrites the pages. */
export function deleteHistory(
  database: Database,
  { entity, version }: { entity: number; version: number },
  identifier: string,
): void {
  statement<[number, string, number]>(
    'DELETE FROM vault_values WHERE entity = ? AND identifier = ? AND version <= ?',
  ).run(database, entity, identifier, version);
}

export function updateVault(
  database: Database,
  row: { entity: number; version: number; fingerprints: string; updated_at: number },
): void {
  statement<[number, string, number, number]>(
    'UPDATE entities SET vault_version = ?, fingerprints = ?, updated_at = ? WHERE id = ?',
  ).run(database, row.version, row.fingerprints, row.updated_at, row.entity);
}

export function updateFingerprints(
  database: Database,
  row: { entity: number; fingerprints: string; updated_at: number },
): void {
  statement<[string, number, number]>(
    'UPDATE entities SET fingerprints = ?, updated_at = ? WHERE id = ?',
  ).run(database, row.fingerprints, row.updated_at, row.entity);
}

const FILES = table('vault_files', { name: text, entity: integer, identifier: text, version: integer });

export const insertFile = FILES.insert;

/** Whether this version of the identifier stored a file. */
export const isFileVersion = FILES.has<{ entity: number; identifier: string; version: number }>(
  'entity = @entity AND identifier = @identifier AND version = @version',
);

/** Whether a row references it: a vault value, or a session that holds it until its completion. */
export const isFileName = exists<{ name: string }>(
  'SELECT 1 FROM vault_files WHERE name = @name UNION ALL SELECT 1 FROM held_files WHERE name = @name',
);

/** Deletes the file rows of an identifier up to `version`; returns the file names. */
export function deleteFiles(
  database: Database,
  { entity, version }: { entity: number; version: number },
  identifier: string,
): string[] {
  const sql = 'DELETE FROM vault_files WHERE entity = ? AND identifier = ? AND version <= ? RETURNING name';
  return scalarStatement<[number, string, number], string>(sql).all(database, entity, identifier, version);
}

/** Every version of every identifier that is or was a file. */
export const listFileVersions = FILES.all<[entity: number]>('WHERE entity = ?');
export const listFilesOfEntity = FILES.values<[entity: number], 'name'>('name', 'WHERE entity = ?');

export const listFiles = scalarStatement<[], string>(
  'SELECT name FROM vault_files UNION ALL SELECT name FROM held_files',
).all;

const ATTRIBUTES = table(
  'entity_attributes',
  { entity: integer, name: text, sealed: bytes },
  { key: ['entity', 'name'] },
);

export const saveAttribute = ATTRIBUTES.put;
export const findAttribute = ATTRIBUTES.value<[entity: number, name: string], 'sealed'>(
  'sealed',
  'WHERE entity = ? AND name = ?',
);
export const deleteAttribute = ATTRIBUTES.delete<[entity: number, name: string]>('entity = ? AND name = ?');
