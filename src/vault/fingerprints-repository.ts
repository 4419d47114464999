/**
 * All SQL of blind indexes. `entity` is the row id of the entity. The table covers the entities up to a stored row id;
 * later entities are found through their own rows.
 */
import { requireIntactAround, type DerivedKey } from '../storage/confirmed-misses.ts';
import { isSqliteError, type Database } from '../storage/database.ts';
import { insertion } from '../storage/insertion.ts';
import { scalarStatement, statement } from '../storage/statement.ts';
import { reportDamage } from '../storage/store-health.ts';

export type FingerprintEntry = readonly [digest: Uint8Array, entity: number];

const INSERT = insertion<FingerprintEntry>('INSERT OR IGNORE INTO fingerprints (digest, entity)', 2);

export function insertFingerprints(database: Database, entries: readonly FingerprintEntry[]): void {
  INSERT.run(database, entries);
}

export function deleteFingerprint(database: Database, digest: Uint8Array, entity: number): void {
  statement<[Uint8Array, number]>('DELETE FROM fingerprints WHERE digest = ? AND entity = ?').run(
    database,
    digest,
    entity,
  );
}

/** Call it before all entities are deleted, since row ids may be reused. */
export function deleteAllFingerprints(database: Database): void {
  statement('DELETE FROM fingerprints').run(database);
  statement('UPDATE fingerprint_listing SET up_to = 0').run(database);
}

const FIND_LISTED = scalarStatement<[], number>('SELECT up_to FROM fingerprint_listing');

/** The row id up to which the table covers every entity. Throws `vault_damaged` when it can't be determined. */
export function listedUpTo(database: Database): number {
  const entity = FIND_LISTED.get(database);
  if (entity === undefined || entity < 0) throw reportDamage(database);
  return entity;
}

/** Whether the table covers all entities. */
export function isAllListed(database: Database): boolean {
  return newestEntity(database) <= listedUpTo(database);
}

/**
 * Lists the blind indexes of up to `limit` more row ids, in table order; returns whether that completes the table.
 * Throws `vault_damaged`.
 */
export function listMore(database: Database, limit: number): boolean {
  const from = listedUpTo(database);
  const newest = newestEntity(database);
  const to = Math.min(from + limit, newest);
  if (to <= from) return true;
  try {
    statement<[number, number]>(
      `INSERT OR IGNORE INTO fingerprints (digest, entity)
     SELECT unhex(slot.value), entities.id FROM entities, json_each(entities.fingerprints) AS slot
     WHERE entities.id > ? AND entities.id <= ? ORDER BY 1, 2`,
    ).run(database, from, to);
  } catch (error) {
    // The list in a row is written by us, so invalid JSON means damage.
    throw isSqliteError(error, 'SQLITE_ERROR') ? reportDamage(database, error) : error;
  }
  statement<[number]>('UPDATE fingerprint_listing SET up_to = ?').run(database, to);
  return to === newest;
}

function newestEntity(database: Database): number {
  return scalarStatement<[], number>('SELECT coalesce(max(id), 0) FROM entities').one(database);
}

/** Row ids of the entities with this blind index. */
export function listEntitiesByFingerprint(database: Database, digest: Uint8Array): number[] {
  requireIntactAround(database, FINGERPRINTS, [digest]);
  const listed = scalarStatement<[Uint8Array], number>(
    'SELECT entity FROM fingerprints WHERE digest = ?',
  ).all(database, digest);
  return [...new Set([...listed, ...listUnlistedBy(database, digest)])];
}

/** Matching entities that the table may not cover yet, newest first. */
export function listUnlistedBy(database: Database, digest: Uint8Array): number[] {
  return scalarStatement<[number, string], number>(
    'SELECT id FROM entities WHERE id > ? AND instr(fingerprints, ?) > 0 ORDER BY id DESC',
  ).all(database, listedUpTo(database), `"${Buffer.from(digest).toString('hex')}"`);
}

const FINGERPRINTS: DerivedKey = {
  table: 'fingerprints',
  columns: ['digest', 'entity'],
  source: { table: 'entities', matches: 'instr(source.fingerprints, lower(hex(near.digest))) > 0' },
};
