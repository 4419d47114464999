/** All SQL of vault values and fingerprints. `entity` is the row id of the entity; times are epoch milliseconds. */
import { requireIntactAround, type DerivedKey } from '../storage/confirmed-misses.ts';
import { rawStatement, statement, type Database } from '../storage/database.ts';

export interface ValueRow {
  readonly version: number;
  /** Absent when this version is a deletion. */
  readonly sealed: Uint8Array | null;
  readonly created_at: number;
}

export interface NamedValueRow extends ValueRow {
  readonly identifier: string;
}

/** The row of an identifier that counts in the state as of `version`, a deletion included. */
export function findValue(
  database: Database,
  key: { entity: number; identifier: string; version: number },
): ValueRow | undefined {
  const row = rawStatement(
    database,
    `SELECT version, sealed, created_at FROM vault_values
     WHERE entity = ? AND identifier = ? AND version <= ? ORDER BY version DESC LIMIT 1`,
  ).get(key.entity, key.identifier, key.version) as [number, Uint8Array | null, number] | undefined;
  return row && { version: row[0], sealed: row[1], created_at: row[2] };
}

/** The rows of every identifier that is stored as of `version`, by name. */
export function listValues(database: Database, entity: number, version: number): NamedValueRow[] {
  // With max(), SQLite takes the other columns from the row that holds the maximum.
  return statement(
    database,
    `SELECT identifier, max(version) AS version, sealed, created_at FROM vault_values
     WHERE entity = ? AND version <= ? GROUP BY identifier HAVING sealed IS NOT NULL ORDER BY identifier`,
  ).all(entity, version) as NamedValueRow[];
}

/** Whether anything whose name begins with `prefix` is or was stored. */
export function hasHistoryUnder(database: Database, entity: number, prefix: string): boolean {
  return (
    statement(
      database,
      `SELECT 1 FROM vault_values
       WHERE entity = @entity AND substr(identifier, 1, length(@prefix)) = @prefix LIMIT 1`,
    ).get({ entity, prefix }) !== undefined
  );
}

/** Names of all that any version has stored, deleted ones included. */
export function listEverStored(database: Database, entity: number): string[] {
  return statement(database, 'SELECT DISTINCT identifier FROM vault_values WHERE entity = ?')
    .pluck()
    .all(entity) as string[];
}

/** The last version whose changes were all made at or before `time`. */
export function findVersionAt(database: Database, entity: number, time: number): number {
  return statement(
    database,
    'SELECT coalesce(max(version), 0) FROM vault_values WHERE entity = ? AND created_at <= ?',
  )
    .pluck()
    .get(entity, time) as number;
}

export function insertValue(
  database: Database,
  row: { entity: number; identifier: string } & ValueRow,
): void {
  statement(
    database,
    'INSERT INTO vault_values (entity, identifier, version, sealed, created_at) VALUES (?, ?, ?, ?, ?)',
  ).run(row.entity, row.identifier, row.version, row.sealed, row.created_at);
}

/** Destroys every version of an identifier; secure_delete overwrites the pages. */
export function deleteHistory(database: Database, entity: number, identifier: string): number {
  return statement(database, 'DELETE FROM vault_values WHERE entity = ? AND identifier = ?').run(
    entity,
    identifier,
  ).changes;
}

export function updateVault(
  database: Database,
  row: { entity: number; version: number; fingerprints: string; updated_at: number },
): void {
  statement(
    database,
    'UPDATE entities SET vault_version = ?, fingerprints = ?, updated_at = ? WHERE id = ?',
  ).run(row.version, row.fingerprints, row.updated_at, row.entity);
}

export function updateFingerprints(
  database: Database,
  row: { entity: number; fingerprints: string; updated_at: number },
): void {
  statement(database, 'UPDATE entities SET fingerprints = ?, updated_at = ? WHERE id = ?').run(
    row.fingerprints,
    row.updated_at,
    row.entity,
  );
}

export function insertFile(
  database: Database,
  row: { name: string; entity: number; identifier: string; version: number },
): void {
  statement(database, 'INSERT INTO vault_files (name, entity, identifier, version) VALUES (?, ?, ?, ?)').run(
    row.name,
    row.entity,
    row.identifier,
    row.version,
  );
}

/** Whether this version of the identifier stored a file. */
export function isFileVersion(
  database: Database,
  key: { entity: number; identifier: string; version: number },
): boolean {
  const sql = 'SELECT 1 FROM vault_files WHERE entity = ? AND identifier = ? AND version = ?';
  return statement(database, sql).get(key.entity, key.identifier, key.version) !== undefined;
}

export function isFileName(database: Database, name: string): boolean {
  return statement(database, 'SELECT 1 FROM vault_files WHERE name = ?').get(name) !== undefined;
}

/** Forgets every version of an identifier's file; answers their names. */
export function deleteFiles(database: Database, entity: number, identifier: string): string[] {
  const sql = 'DELETE FROM vault_files WHERE entity = ? AND identifier = ? RETURNING name';
  return statement(database, sql).pluck().all(entity, identifier) as string[];
}

export function listFilesOfEntity(database: Database, entity: number): string[] {
  return statement(database, 'SELECT name FROM vault_files WHERE entity = ?').pluck().all(entity) as string[];
}

export function listFiles(database: Database): string[] {
  return statement(database, 'SELECT name FROM vault_files').pluck().all() as string[];
}

export function saveAttribute(
  database: Database,
  row: { entity: number; name: string; sealed: Uint8Array },
): void {
  statement(
    database,
    `INSERT INTO entity_attributes (entity, name, sealed) VALUES (?, ?, ?)
     ON CONFLICT (entity, name) DO UPDATE SET sealed = excluded.sealed`,
  ).run(row.entity, row.name, row.sealed);
}

export function findAttribute(database: Database, entity: number, name: string): Uint8Array | undefined {
  const sql = 'SELECT sealed FROM entity_attributes WHERE entity = ? AND name = ?';
  return statement(database, sql).pluck().get(entity, name) as Uint8Array | undefined;
}

export function deleteAttribute(database: Database, entity: number, name: string): void {
  statement(database, 'DELETE FROM entity_attributes WHERE entity = ? AND name = ?').run(entity, name);
}

export function insertFingerprint(database: Database, digest: Uint8Array, entity: number): void {
  statement(database, 'INSERT OR IGNORE INTO fingerprints (digest, entity) VALUES (?, ?)').run(
    digest,
    entity,
  );
}

export function deleteFingerprint(database: Database, digest: Uint8Array, entity: number): void {
  statement(database, 'DELETE FROM fingerprints WHERE digest = ? AND entity = ?').run(digest, entity);
}

export function deleteAllFingerprints(database: Database): void {
  statement(database, 'DELETE FROM fingerprints').run();
}

/** Row ids of the entities with this blind index. */
export function listEntitiesByFingerprint(database: Database, digest: Uint8Array): number[] {
  requireIntactAround(database, FINGERPRINTS, [digest]);
  return statement(database, 'SELECT entity FROM fingerprints WHERE digest = ?')
    .pluck()
    .all(digest) as number[];
}

const FINGERPRINTS: DerivedKey = {
  table: 'fingerprints',
  columns: ['digest', 'entity'],
  source: { table: 'entities', matches: 'instr(source.fingerprints, lower(hex(near.digest))) > 0' },
};
