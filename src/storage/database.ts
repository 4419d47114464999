/**
 * Opens SQLite with the settings that this service relies on (docs/architecture.md#storage): write-ahead log, a sync
 * before every commit is acknowledged, deleted content overwritten, no functions or views run from the schema, one
 * process at a time. Every setting is read back; if one was not applied, the database is not opened.
 */
import { ServiceError, conflict } from '../kernel/errors.ts';
import { nextTurn } from '../kernel/time/turns.ts';
import { openBinding, openInMemory, type Database } from './binding.ts';
import { currentSchema } from './current-schema.ts';
import { readSchema, writeSchema } from './log-number.ts';
import { MIGRATIONS } from './migrations.ts';

export type { Database } from './binding.ts';

/** "kycl" in ASCII: distinguishes our files from any other SQLite file. */
export const APPLICATION_ID = 0x6b79636c;
const PAGE_CACHE_KIB = 8 * 1024;
/** 16 MiB of log: pages that change often are copied once for many changes, and rarely during a request. */
export const CHECKPOINT_PAGES = 4_096;

/**
 * A store's path; ':memory:' for a new store in memory; `copyOf` for one that starts as a copy of a closed store's
 * file.
 */
export type StoreSource = string | { readonly copyOf: string };

/**
 * Opens and migrates the store of `source`; a copied file must be in rollback-journal mode. `onBlank` is called before
 * an empty store is used and may refuse it by throwing. Throws `instance_running` when another process holds the file,
 * `vault_damaged` when it isn't our store, and `conflict` when a newer version wrote it.
 */
export function openDatabase(source: StoreSource, { onBlank }: { onBlank?: () => void } = {}): Database {
  const database = open(source);
  try {
    configure(database, source);
    if (onBlank && readSchema(database) === 0) onBlank();
    migrate(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function open(source: StoreSource): Database {
  try {
    return typeof source === 'string' ? openBinding(source) : openInMemory(source.copyOf);
  } catch (error) {
    // Errors of the disk are reported by their cause.
    if (error instanceof ServiceError || isSqliteError(error, 'SQLITE_CANTOPEN')) throw error;
    throw new ServiceError(
      'vault_damaged',
      `${nameOf(source)} cannot be opened: check the folder and its permissions`,
      { cause: error },
    );
  }
}

function nameOf(source: StoreSource): string {
  return typeof source === 'string' ? `The store ${source}` : 'The store';
}

function configure(database: Database, source: StoreSource): void {
  const inMemory = database.memory;
  try {
    // The first statement that reads the file, so it fails if the file is damaged.
    database.pragma('locking_mode = EXCLUSIVE');
    const isOurs = database.pragma('application_id', { simple: true }) === APPLICATION_ID;
    if (!isOurs && !isBlank(database)) {
      throw new ServiceError('vault_damaged', 'The file is a SQLite database of another program');
    }
    refuseNewerSchema(database);
    set(database, 'journal_mode', 'WAL', inMemory ? 'memory' : 'wal');
    set(database, 'synchronous', 'FULL', 2);
    set(database, 'foreign_keys', 'ON', 1);
    set(database, 'secure_delete', 'ON', 1);
    set(database, 'trusted_schema', 'OFF', 0);
    set(database, 'cache_size', String(-PAGE_CACHE_KIB), -PAGE_CACHE_KIB);
    set(database, 'cell_size_check', 'ON', 1);
    set(database, 'temp_store', 'MEMORY', 2);
    set(database, 'wal_autocheckpoint', String(CHECKPOINT_PAGES), CHECKPOINT_PAGES);
    database.exec('BEGIN IMMEDIATE; COMMIT');
    if (!isOurs) set(database, 'application_id', String(APPLICATION_ID), APPLICATION_ID);
  } catch (error) {
    if (isSqliteError(error, 'SQLITE_BUSY')) {
      throw new ServiceError('instance_running', 'Another process has this store open', { cause: error });
    }
    if (isSqliteError(error, 'SQLITE_NOTADB') || isSqliteError(error, 'SQLITE_CORRUPT')) {
      const message = `${nameOf(source)} is damaged: it is not a SQLite database. Restore it from a copy, or move its folder away and load a snapshot`;
      throw new ServiceError('vault_damaged', message, { cause: error });
    }
    throw error;
  }
}

/** A new database, as an interrupted start leaves it. */
function isBlank(database: Database): boolean {
  return (
    database.pragma('application_id', { simple: true }) === 0 &&
    readSchema(database) === 0 &&
    database.prepare<[], number>('SELECT count(*) FROM sqlite_schema').pluck().get() === 0
  );
}

/** Whether the store needs no migration. */
export function isCurrentSchema(database: Database): boolean {
  return readSchema(database) === MIGRATIONS.length;
}

/** Throws `conflict` for a store of a newer version. Call it before anything is written to the file. */
export function refuseNewerSchema(database: Database): void {
  const version = readSchema(database);
  if (version <= MIGRATIONS.length) return;
  throw conflict(`The store has schema ${version}, this version knows ${MIGRATIONS.length}: upgrade`);
}

function set(database: Database, pragma: string, value: string, expected: string | number): void {
  database.pragma(`${pragma} = ${value}`);
  const actual: unknown = database.pragma(pragma, { simple: true });
  if (actual !== expected) {
    throw new Error(`SQLite refused ${pragma} = ${value}`);
  }
}

/**
 * Migrates forwards only, or makes the schema of a new store. All steps are one transaction, so that the older version
 * can still open the store after a failure. Runs under the exclusive lock.
 */
function migrate(database: Database): void {
  const version = readSchema(database);
  if (version === MIGRATIONS.length) return;
  let step = version;
  try {
    database.transaction(() => {
      if (version === 0) {
        const { objects, rows } = currentSchema();
        database.exec(`${objects.map(([, , sql]) => sql).join(';\n')};\n${rows}`);
        writeSchema(database, MIGRATIONS.length);
        return;
      }
      for (; step < MIGRATIONS.length; step++) {
        database.exec(MIGRATIONS[step] ?? '');
        writeSchema(database, step + 1);
      }
    })();
  } catch (error) {
    // Errors of the disk are reported by their cause.
    if (!['SQLITE_ERROR', 'SQLITE_CONSTRAINT'].some((code) => isSqliteError(error, code))) throw error;
    throw new ServiceError(
      'not_ready',
      `The store ${database.name} cannot be brought from schema ${version} to ${MIGRATIONS.length}: ` +
        `step ${step + 1} failed (${(error as Error).message}). The store is as it was: ` +
        'start the version that wrote it, or move its folder away and load a snapshot',
      { cause: error },
    );
  }
}

/**
 * Whether SQLite failed with this code or one of its extended forms, such as SQLITE_IOERR_FSYNC for SQLITE_IOERR.
 * Checks the name, because the class is not unique: the native module keeps the class of its first loader, and a test
 * runner loads it for each file.
 */
export function isSqliteError(error: unknown, code: string): boolean {
  const { name, code: actual } = (error ?? {}) as { name?: unknown; code?: unknown };
  return (
    name === 'SqliteError' && typeof actual === 'string' && (actual === code || actual.startsWith(`${code}_`))
  );
}

// Slices of long work on a store, between which other requests have their turn.

/**
 * Resolves at the caller's next turn. Throws `not_ready` when the store was closed meanwhile: a load or a reset has
 * replaced it, or the daemon stops.
 */
export async function nextTurnOf(database: Database): Promise<void> {
  await nextTurn();
  if (!database.open)
    throw new ServiceError(
      'not_ready',
      'The state was replaced while the request was in progress: repeat it',
    );
}
