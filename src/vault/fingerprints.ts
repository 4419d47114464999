/**
 * Blind indexes (contract §1.2, docs/architecture.md#vault) find entities with the same value without opening one. The
 * entity's row has its indexes by slot, so that a change finds those it replaces. The table only finds entities by
 * digest, and covers new ones a moment later.
 */
import { type Database, isSqliteError } from '../storage/database.ts';
import { derivedKey, hmac } from './envelope.ts';
import { fingerprintParts, fingerprintSlotsTouchedBy } from './identifiers/index.ts';
import { insertion, reportDamage, scalarStatement, statement } from '../storage/statement.ts';
import type { WriteQueue } from '../storage/writer.ts';
import { realTime } from '../kernel/time/real-time.ts';

/** Tenant and environment: fingerprints of different spaces are unrelated. */
export interface FingerprintSpace {
  readonly tenant: string;
  readonly environment: string;
}

export type Fingerprint = (kind: string, parts: readonly string[]) => Buffer;

/** Hex digests by slot, such as `ssn9` or `card_number_cvc/primary`. */
export type FingerprintMap = Readonly<Record<string, string>>;

/** Enough to rule out accidental collisions, at half the row size of the whole digest. */
const INDEX_BYTES = 16;

/** HMAC-SHA256(K, kind 00 part 1F part …) with a key K for each space. */
export function createFingerprinter(rootKey: Uint8Array): (space: FingerprintSpace) => Fingerprint {
  const bySpace = new Map<string, Fingerprint>();
  return ({ tenant, environment }) => {
    const name = `${tenant}/${environment}`;
    let fingerprint = bySpace.get(name);
    if (!fingerprint) {
      const key = derivedKey(rootKey, 'space', tenant, environment);
      fingerprint = (kind, parts) => hmac(key, `${kind}\0${parts.join('\x1f')}`);
      bySpace.set(name, fingerprint);
    }
    return fingerprint;
  };
}

/** The part of a fingerprint that is stored in the index. */
export function indexDigest(fingerprint: Buffer): Buffer {
  return fingerprint.subarray(0, INDEX_BYTES);
}

/** The indexes after a change of these identifiers; `read` returns the new values. */
export function refreshedFingerprints(
  before: FingerprintMap,
  change: {
    changed: Iterable<string>;
    read: (identifier: string) => string | undefined;
    fingerprint: Fingerprint;
  },
): FingerprintMap {
  const after: Record<string, string> = { ...before };
  for (const slot of fingerprintSlotsTouchedBy(change.changed)) {
    const name = slot.slot === '' ? slot.kind : `${slot.kind}/${slot.slot}`;
    const parts = fingerprintParts(slot, change.read);
    if (parts) after[name] = indexDigest(change.fingerprint(slot.kind, parts)).toString('hex');
    else Reflect.deleteProperty(after, name);
  }
  return after;
}

/** Updates the table from `before` to `after`. */
export function storeFingerprints(
  database: Database,
  entity: number,
  { before, after }: { before: FingerprintMap; after: FingerprintMap },
): void {
  const kept = new Set(Object.values(after));
  const had = new Set(Object.values(before));
  for (const digest of had)
    if (!kept.has(digest)) deleteFingerprint(database, Buffer.from(digest, 'hex'), entity);
  const added = [...kept].filter((digest) => !had.has(digest));
  INSERT.run(
    database,
    added.map((digest) => [Buffer.from(digest, 'hex'), entity]),
  );
}

// All SQL of blind indexes. `entity` is the row id of the entity. The table covers the entities up to a stored row id;
// later entities are found through their own rows.

export type FingerprintEntry = readonly [digest: Uint8Array, entity: number];

const INSERT = insertion<FingerprintEntry>('INSERT OR IGNORE INTO fingerprints (digest, entity)', 2);

const deleteFingerprint = statement<[digest: Uint8Array, entity: number]>(
  'DELETE FROM fingerprints WHERE digest = ? AND entity = ?',
).run;

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

const newestEntity = scalarStatement<[], number>('SELECT coalesce(max(id), 0) FROM entities').one;

/** Row ids of the entities with this blind index. */
export function listEntitiesByFingerprint(database: Database, digest: Uint8Array): number[] {
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

// Moves the blind indexes of new entities into their table in batches, sorted in table order. Written one by one, each
// would dirty a separate page, which is most of the cost of creating an entity. Until then they are in the entity's
// row, and searches read these rows, too; so nothing is lost when the process is killed.

/** The most unlisted rows that a search reads, in less than a millisecond. */
const MOST_UNLISTED = 1_024;
const IDLE_MS = 100;

export interface FingerprintListing {
  /** Call it within the write job that creates an entity whose blind indexes are only in its row. */
  created(): void;
}

export function createFingerprintListing(queue: WriteQueue): FingerprintListing {
  let waiting = 0;
  let seen = 0;
  let isRunning = false;
  let timer: NodeJS.Timeout | undefined;

  /** A failed batch is retried after the next creation: nothing is lost, and the queue reports the problem. */
  async function list(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    try {
      let isDone = newestEntity(queue.database) <= listedUpTo(queue.database);
      while (!isDone) {
        waiting = 0;
        isDone = await queue.write((database) => listMore(database, MOST_UNLISTED));
      }
    } catch {
      waiting = 0;
    } finally {
      isRunning = false;
    }
  }

  /** Waits for a moment without creations. */
  function look(): void {
    timer = undefined;
    if (waiting === seen) void list();
    else arm();
  }

  function arm(): void {
    seen = waiting;
    timer ??= realTime.setTimeout(look, IDLE_MS).unref();
  }

  // Lists the rows left by an earlier process.
  arm();
  queue.beforeClose(() => {
    realTime.clearTimeout(timer);
    void list();
  });
  return {
    created() {
      waiting += 1;
      if (waiting >= MOST_UNLISTED) queue.afterCommit(() => void list());
      else if (timer === undefined) arm();
    },
  };
}
