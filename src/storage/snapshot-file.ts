/**
 * A snapshot as a file: the store's tables at one moment, plus two tables of its own. One describes the snapshot, the
 * other contains the sealed files of the store, so that it is a single file. Values stay sealed as in the store; key
 * slots are not included.
 *
 * A snapshot may come from an untrusted source. Before anything else is read, the file's head, the exact text of every
 * table, index and trigger, and the pages (by SQLite's own check) are verified.
 */
import { isUint8Array } from 'node:util/types';
import { jsonOf } from '../kernel/text/json.ts';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { ServiceError, storageFull, conflict } from '../kernel/errors.ts';
import { MIB } from '../kernel/numbers/units.ts';
import { openBinding } from './binding.ts';
import { isBlobName, isDiskFull } from './blobs.ts';
import { APPLICATION_ID, isSqliteError, type Database } from './database.ts';
import { readSchema, schemaOf } from './log-number.ts';
import { MIGRATIONS } from './migrations.ts';
import { foreignObject } from './own-schema.ts';

export interface SnapshotRecord {
  /** Epoch milliseconds, by the clock of the instance. */
  readonly createdAt: number;
  readonly counts: Readonly<Record<string, number>>;
  /** The positions in the sequences of seeded ids, as JSON. */
  readonly random: string | null;
  /** Present in a file for another instance. */
  readonly sealedVaultKey: Uint8Array | null;
}

export interface SnapshotFile {
  readonly database: Database;
  /** The store's schema. */
  readonly schema: number;
  readonly record: SnapshotRecord;
  fileNames(): string[];
  /** The sealed bytes of a file; throws `vault_damaged` when the snapshot doesn't have it. */
  readFile(name: string): Uint8Array;
  close(): void;
}

export const CURRENT_SCHEMA = MIGRATIONS.length;

const OWN_TABLES = `
CREATE TABLE snapshot_info (
  created_at INTEGER NOT NULL,
  counts TEXT NOT NULL,
  random TEXT,
  sealed_vault_key BLOB
) STRICT;

CREATE TABLE snapshot_files (
  name TEXT NOT NULL UNIQUE,
  content BLOB NOT NULL
) STRICT;
`;
/** Larger than any sealed upload. */
const FILE_LIMIT_BYTES = 16 * MIB;

/**
 * Turns the image of a store at `path` into a snapshot and adds `record` and the row counts; the caller adds the sealed
 * files. Throws `storage_full`.
 */
export function beginSnapshot(path: string, record: Omit<SnapshotRecord, 'counts'>): SnapshotDraft {
  return translated(() => {
    const draft = openBinding(path);
    try {
      // An unfinished draft is discarded, so it needs neither a journal nor syncs of its own.
      draft.pragma('journal_mode = OFF');
      draft.pragma('synchronous = OFF');
      draft.pragma('secure_delete = ON');
      draft.exec(`BEGIN; DELETE FROM keyring_slots; ${OWN_TABLES}`);
      draft
        .prepare('INSERT INTO snapshot_info VALUES (?, ?, ?, ?)')
        .run(record.createdAt, JSON.stringify(countRows(draft)), record.random, record.sealedVaultKey);
      draft.exec('COMMIT');
    } catch (error) {
      draft.close();
      throw error;
    }
    return draftOf(draft);
  });
}

export interface SnapshotDraft {
  fileNames(): string[];
  addFile(name: string, content: Uint8Array): void;
  close(): void;
}

function draftOf(draft: Database): SnapshotDraft {
  const insert = draft.prepare<[string, Uint8Array]>('INSERT INTO snapshot_files VALUES (?, ?)');
  return {
    fileNames: () =>
      draft
        .prepare<[], string>('SELECT name FROM vault_files UNION ALL SELECT name FROM held_files')
        .pluck()
        .all(),
    addFile: (name, content) => translated(() => void insert.run(name, content)),
    close: () => draft.close(),
  };
}

/** Numbers of users, businesses and their records, by name. */
function countRows(database: Database): Record<string, number> {
  const counted = {
    users: "entities WHERE kind = 'user'",
    businesses: "entities WHERE kind = 'business'",
    onboardings: 'onboardings',
    bank_links: 'bank_links',
    files: 'vault_files',
    events: 'events',
  };
  const countOf = (from: string) =>
    database.prepare<[], number>(`SELECT count(*) FROM ${from}`).pluck().get() ?? 0;
  return Object.fromEntries(Object.entries(counted).map(([name, from]) => [name, countOf(from)]));
}

/**
 * Opens a snapshot for reading. `isWhole` checks every page. Throws `vault_damaged` for a file that is damaged or no
 * snapshot, and `conflict` for one written by a newer version.
 */
export function openSnapshot(path: string, { isWhole }: { isWhole: boolean }): SnapshotFile {
  checkHead(path);
  return translated(() => {
    const database = openBinding(path, { readonly: true, fileMustExist: true });
    try {
      database.pragma('trusted_schema = OFF');
      database.pragma('cell_size_check = ON');
      const schema = checkSchema(database);
      if (isWhole && database.pragma('quick_check(1)', { simple: true }) !== 'ok') throw damaged();
      return { ...readerOf(database), schema, record: readRecord(database) };
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/** Modifies a snapshot that no other process has open: an exported copy, or an imported file. */
export function changeSnapshot(path: string, change: (database: Database) => void): void {
  translated(() => {
    const database = openBinding(path, { fileMustExist: true });
    try {
      database.pragma('trusted_schema = OFF');
      database.pragma('journal_mode = OFF');
      database.pragma('synchronous = OFF');
      database.pragma('secure_delete = ON');
      change(database);
    } finally {
      database.close();
    }
  });
}

export function setSealedVaultKey(database: Database, sealed: Uint8Array | null): void {
  database.prepare('UPDATE snapshot_info SET sealed_vault_key = ?').run(sealed);
}

function readerOf(database: Database): Pick<SnapshotFile, 'database' | 'fileNames' | 'readFile' | 'close'> {
  return {
    database,
    fileNames: () =>
      translated(() =>
        database.prepare<[], string>('SELECT name FROM snapshot_files').pluck().all().filter(isBlobName),
      ),
    readFile: (name) =>
      translated(() => {
        const sql = 'SELECT content FROM snapshot_files WHERE name = ? AND length(content) <= ?';
        const content = database.prepare<[string, number]>(sql).pluck().get(name, FILE_LIMIT_BYTES);
        if (!isUint8Array(content)) throw damaged();
        return content;
      }),
    close: () => database.close(),
  };
}

/** Checks SQLite's file header: magic, journal mode, version of the store, application id. */
function checkHead(path: string): void {
  const head = Buffer.alloc(100);
  const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants as Partial<typeof constants>;
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (cause) {
    // A missing file or a link is no snapshot. Other system errors say nothing about the file.
    if (['ENOENT', 'ELOOP'].includes((cause as NodeJS.ErrnoException).code ?? '')) throw damaged(cause);
    throw cause;
  }
  try {
    if (!fstatSync(file).isFile()) throw damaged();
    readSync(file, head, 0, head.length, 0);
  } finally {
    closeSync(file);
  }
  const isSqlite = head.toString('latin1', 0, 16) === 'SQLite format 3\0';
  const isJournalled = head[18] === 1 && head[19] === 1;
  if (!isSqlite || !isJournalled || head.readUInt32BE(68) !== APPLICATION_ID) throw damaged();
  const schema = schemaOf(head.readUInt32BE(60));
  if (schema > CURRENT_SCHEMA) {
    throw conflict(`The snapshot has schema ${schema}, this version knows ${CURRENT_SCHEMA}: upgrade`);
  }
}

function checkSchema(database: Database): number {
  const schema = readSchema(database);
  const isKnown = schema >= 1 && schema <= CURRENT_SCHEMA;
  if (!isKnown || foreignObject(database, OWN_TABLES) !== undefined) throw damaged();
  return schema;
}

interface SnapshotInfoRow {
  readonly created_at: number;
  readonly counts: string;
  readonly random: string | null;
  readonly sealed_vault_key: Uint8Array | null;
}

function readRecord(database: Database): SnapshotRecord {
  const row = database.prepare<[], SnapshotInfoRow>('SELECT * FROM snapshot_info').get();
  if (!row) throw damaged();
  return {
    createdAt: row.created_at,
    counts: readCounts(row.counts),
    random: row.random,
    sealedVaultKey: row.sealed_vault_key,
  };
}

function readCounts(text: string): Record<string, number> {
  const entries = Object.entries(parsed(text)).filter(([, count]) => Number.isSafeInteger(count));
  return Object.fromEntries(entries) as Record<string, number>;
}

function parsed(text: string): Record<string, unknown> {
  const value: unknown = jsonOf(text);
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Converts SQLite's errors to those of the service. */
export function translated<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw translatedFailure(error);
  }
}

export function translatedFailure(error: unknown): unknown {
  if (isSqliteError(error, 'SQLITE_FULL') || isDiskFull(error)) return storageFull(error);
  const isBroken = ['SQLITE_NOTADB', 'SQLITE_CORRUPT', 'SQLITE_ERROR', 'SQLITE_IOERR_SHORT_READ'];
  return isBroken.some((code) => isSqliteError(error, code)) ? damaged(error) : error;
}

function damaged(cause?: unknown): ServiceError {
  return new ServiceError('vault_damaged', 'The file is no snapshot of kyclone, or it is damaged', { cause });
}
