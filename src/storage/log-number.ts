/**
 * Recognises a store's file beside a write-ahead log of another moment, as a copy of the folder of a running instance
 * has it. SQLite would join them, and most pages would be of one moment and some of another.
 *
 * SQLite begins its log anew after it has copied all of it into the file. Each log has a number. A log's first commits
 * write it into the header of the file, on the first page, and the number before into a row. So a file that doesn't
 * have the number before, or the log's own, isn't the file on which the log was begun. A copy reads the first page
 * first.
 *
 * The number is in `user_version`, above the schema.
 */
import { attempt } from '../kernel/attempt.ts';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { ServiceError } from '../kernel/errors.ts';
import { numberPragma, type Database } from './binding.ts';
import { deleteValue, findValue, putValue } from './statement.ts';

const SCHEMAS = 0x1_0000;
/** `user_version` is a signed number of 32 bits. */
const NUMBERS = 0x8000;
const BASE_NAME = 'log begun on';
const USER_VERSION_AT = 60;
/** In the header of a log: its checkpoint sequence number and its salts, which are others for each log. */
const MARK = { at: 12, bytes: 12 } as const;

export function schemaOf(userVersion: number): number {
  return userVersion % SCHEMAS;
}

/** The schema of the store; 0 when it has none yet. */
export function readSchema(database: Database): number {
  return schemaOf(numberPragma(database, 'user_version'));
}

export function writeSchema(database: Database, schema: number): void {
  writeUserVersion(database, schema, readNumber(database));
}

function readNumber(database: Database): number {
  return Math.floor(numberPragma(database, 'user_version') / SCHEMAS);
}

function writeUserVersion(database: Database, schema: number, number: number): void {
  database.pragma(`user_version = ${schema + SCHEMAS * number}`);
}

/**
 * Notes the number in the file at `path`. Returns a function that throws `vault_damaged` when the log beside it, which
 * `database` reads together with it, was begun on another file. Call it before SQLite opens the file: closing a
 * descriptor of an open one would end SQLite's lock.
 */
export function noteFileNumber(path: string): (database: Database) => void {
  const hasLog = bytesOf(`${path}-wal`, 0, MARK.at + MARK.bytes) !== undefined;
  const header = bytesOf(path, USER_VERSION_AT, 4);
  return (database) => {
    const base = findValue(database, BASE_NAME);
    if (!hasLog || header === undefined || base === undefined) return;
    const isOn = [0, 1].some(
      (step) => (Number(base) + step) % NUMBERS === Math.floor(header.readInt32BE() / SCHEMAS),
    );
    if (!isOn) throw mixed(path);
  };
}

function mixed(path: string): ServiceError {
  return new ServiceError(
    'vault_damaged',
    `The store ${path} and its log ${path}-wal are of different moments, as in a copy of the folder of a running ` +
      'instance. Restore the folder from another copy, or move it away and load a snapshot: ' +
      '`kyclone snapshot create --file FILE` copies a running instance',
  );
}

export type LogWatch = ReturnType<typeof watchLog>;

/** Watches the log beside the store at `path`. */
export function watchLog(path: string, database: Database) {
  let file: number | undefined;
  // The log of a killed process goes on, under its number.
  let numbered = markOf() ?? '';

  /** Undefined while the log is empty. */
  function markOf(): string | undefined {
    file ??= attempt(() => openSync(`${path}-wal`, 'r'));
    return file === undefined ? undefined : readAt(file, MARK.at, MARK.bytes)?.toString('hex');
  }

  function number(): void {
    try {
      numberLog(database);
      numbered = markOf() ?? '';
    } catch {
      // A full or failing disk, which the next write reports. The log gets its number after the next commit.
    }
  }

  return {
    /** Numbers the log if it has just begun. Call it after each commit. Returns the size of the log's file in bytes. */
    follow(): number {
      const mark = markOf();
      if (mark !== undefined && mark !== numbered) number();
      return file === undefined ? 0 : fstatSync(file).size;
    },
    close(): void {
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}

/** For a store in a new file, whose rows are of another file. */
export function forgetLogNumber(database: Database): void {
  deleteValue(database, BASE_NAME);
}

function numberLog(database: Database): void {
  database.transaction(() => {
    const base = readNumber(database);
    putValue(database, BASE_NAME, String(base));
    writeUserVersion(database, readSchema(database), (base + 1) % NUMBERS);
  })();
}

function bytesOf(path: string, at: number, length: number): Buffer | undefined {
  const file = attempt(() => openSync(path, 'r'));
  if (file === undefined) return undefined;
  try {
    return readAt(file, at, length);
  } finally {
    closeSync(file);
  }
}

/** Undefined when the file is shorter, or can't be read. */
function readAt(file: number, at: number, length: number): Buffer | undefined {
  const bytes = Buffer.alloc(length);
  return attempt(() => readSync(file, bytes, 0, length, at)) === length ? bytes : undefined;
}
