/** All SQL of vault values and fingerprints. `entity` is the row id of the entity; times are epoch milliseconds. */
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
  return statement(database, 'SELECT entity FROM fingerprints WHERE digest = ?')
    .pluck()
    .all(digest) as number[];
}
