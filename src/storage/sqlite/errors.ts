/** What SQLite refuses, by the names of its result codes: https://sqlite.org/rescode.html. */

const PRIMARY =
  'OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN PROTOCOL ' +
  'EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB NOTICE WARNING';
const NAMES = PRIMARY.split(' ');

/** In the order of their numbers, from 1 on; `-` stands for a number that isn't used. */
const EXTENDED: Readonly<Record<string, string>> = {
  ERROR: 'MISSING_COLLSEQ RETRY SNAPSHOT',
  ABORT: '- ROLLBACK',
  BUSY: 'RECOVERY SNAPSHOT TIMEOUT',
  LOCKED: 'SHAREDCACHE VTAB',
  READONLY: 'RECOVERY CANTLOCK ROLLBACK DBMOVED CANTINIT DIRECTORY',
  IOERR:
    'READ SHORT_READ WRITE FSYNC DIR_FSYNC TRUNCATE FSTAT UNLOCK RDLOCK DELETE BLOCKED NOMEM ACCESS ' +
    'CHECKRESERVEDLOCK LOCK CLOSE DIR_CLOSE SHMOPEN SHMSIZE SHMLOCK SHMMAP SEEK DELETE_NOENT MMAP GETTEMPPATH ' +
    'CONVPATH VNODE AUTH BEGIN_ATOMIC COMMIT_ATOMIC ROLLBACK_ATOMIC DATA CORRUPTFS IN_PAGE',
  CORRUPT: 'VTAB SEQUENCE INDEX',
  CANTOPEN: 'NOTEMPDIR ISDIR FULLPATH CONVPATH DIRTYWAL SYMLINK',
  CONSTRAINT:
    'CHECK COMMITHOOK FOREIGNKEY FUNCTION NOTNULL PRIMARYKEY TRIGGER UNIQUE VTAB ROWID PINNED DATATYPE',
  AUTH: 'USER',
};

const EXTENDED_BY = 256;

/** `SQLITE_IOERR_FSYNC` of 1034; one that is not known has the name of its primary code. */
export function resultName(code: number): string {
  const primary = NAMES[code % EXTENDED_BY] ?? 'ERROR';
  const extended = EXTENDED[primary]?.split(' ')[Math.floor(code / EXTENDED_BY) - 1];
  return ['SQLITE', primary, ...(extended === undefined || extended === '-' ? [] : [extended])].join('_');
}

export class SqliteError extends Error {
  override readonly name = 'SqliteError';
  readonly code: string;

  constructor(message: string, code: string, cause: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** SQLite's texts of the results that a read can meet: the package gives no number when it lists rows. */
const RESULT_OF_TEXT: Readonly<Record<string, string>> = {
  'database is locked': 'SQLITE_BUSY',
  'out of memory': 'SQLITE_NOMEM',
  'disk I/O error': 'SQLITE_IOERR',
  'database disk image is malformed': 'SQLITE_CORRUPT',
  'database or disk is full': 'SQLITE_FULL',
  'unable to open database file': 'SQLITE_CANTOPEN',
  'file is not a database': 'SQLITE_NOTADB',
  'attempt to write a readonly database': 'SQLITE_READONLY',
};

/** What SQLite has thrown, as the rest of the storage knows it. */
export function asSqliteError(error: unknown): unknown {
  const {
    code,
    errcode,
    message = '',
  } = (error ?? {}) as { code?: string; errcode?: number; message?: string };
  if (code === 'ERR_SQLITE_ERROR') {
    const name = errcode === undefined ? (RESULT_OF_TEXT[message] ?? 'SQLITE_ERROR') : resultName(errcode);
    return new SqliteError(message, name, error);
  }
  // No number that the store keeps is that large: the page isn't as it was written.
  if (code === 'ERR_OUT_OF_RANGE')
    return new SqliteError('a number is out of range', 'SQLITE_CORRUPT', error);
  return error;
}

/** Whether SQLite has thrown it, with this number. */
export function isSqliteResult(error: unknown, result: number): boolean {
  const { code, errcode } = (error ?? {}) as { code?: string; errcode?: number };
  return code === 'ERR_SQLITE_ERROR' && errcode === result;
}

/** Runs it, and throws what SQLite refuses as `SqliteError`. */
export function guarded<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw asSqliteError(error);
  }
}
