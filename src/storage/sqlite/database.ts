/** An open database and its statements, as the storage uses them. */
import { pathToFileURL } from 'node:url';
import { type LoadedSqlite, type NativeDatabase, type NativeStatement, sqlite } from './load.ts';
import { realTime } from '../../kernel/time/real-time.ts';

export interface OpenOptions {
  readonly fileMustExist?: boolean;
  readonly readonly?: boolean;
}

export interface BackupOptions {
  readonly pagesAtATime: number;
  /** Called between two steps with the number of pages that are left. */
  readonly onStep: (remainingPages: number) => void;
}

export interface StatementResult {
  readonly changes: number;
  readonly lastInsertRowid: number | bigint;
}

/** A compiled statement; statement.ts has what the rest of the service uses. Blobs are read as `Uint8Array`. */
export interface BindingStatement<Parameters extends unknown[] = unknown[], Row = unknown> {
  /** The first row; undefined when there is none. */
  get(...parameters: Parameters): Row | undefined;
  all(...parameters: Parameters): Row[];
  run(...parameters: Parameters): StatementResult;
  /** From now on each row is the value of its first column. */
  pluck(): this;
  /** From now on each row is a tuple of its columns. */
  raw(): this;
}

const NO_ERROR = 0;
/** A backup's first step doesn't wait for a write that is going on. That ends long before these are over. */
const BACKUP_TRIES = 2_000;
const MS_BETWEEN_TRIES = 5;

/** What SQLite refuses is thrown as an error named `SqliteError` with a `code` such as `SQLITE_IOERR_FSYNC`. */
export class Database {
  /** Its path; `:memory:` for one that has no file. */
  readonly name: string;
  readonly memory: boolean;
  readonly #sqlite: LoadedSqlite;
  readonly #native: NativeDatabase;
  #isOpen = true;

  /** Opens a file, or `:memory:`. It never waits for a lock. `from` is for tests that compare one SQLite with another. */
  constructor(path: string, options: OpenOptions = {}, from: LoadedSqlite = sqlite()) {
    this.name = path;
    this.memory = path === ':memory:';
    this.#sqlite = from;
    this.#native = guarded(
      () =>
        new from.DatabaseSync(this.memory ? path : addressOf(path, options), {
          readOnly: options.readonly ?? false,
        }),
    );
  }

  get open(): boolean {
    return this.#isOpen;
  }

  get inTransaction(): boolean {
    return this.#isOpen && this.#native.isTransaction;
  }

  prepare<Parameters extends unknown[] = unknown[], Row = unknown>(
    sql: string,
  ): BindingStatement<Parameters, Row> {
    return new CompiledStatement(guarded(() => this.#native.prepare(sql)));
  }

  exec(sql: string): void {
    guarded(() => this.#native.exec(sql));
  }

  /** The rows that the pragma returns, or with `simple` the first value of the first one. */
  pragma(text: string, options?: { readonly simple: true }): unknown {
    const statement = this.prepare(`PRAGMA ${text}`);
    return options ? statement.pluck().get() : statement.all();
  }

  /** Returns a function that does `work` in a transaction, or in a savepoint of the one that is open. */
  transaction<Arguments extends unknown[], Result>(
    work: (...given: Arguments) => Result,
  ): (...given: Arguments) => Result {
    return (...given) => {
      const isWithin = this.inTransaction;
      this.exec(isWithin ? 'SAVEPOINT work' : 'BEGIN');
      try {
        const result = work(...given);
        this.exec(isWithin ? 'RELEASE work' : 'COMMIT');
        return result;
      } catch (error) {
        // A full disk or a broken file has ended the transaction already.
        if (this.inTransaction) this.exec(isWithin ? 'ROLLBACK TO work; RELEASE work' : 'ROLLBACK');
        throw error;
      }
    };
  }

  /**
   * Copies the pages into the file at `path`, some at a time, in a thread, while others are served. Throws
   * `SQLITE_BUSY` when a write that was going on at the start doesn't end.
   */
  async backup(path: string, { pagesAtATime, onStep }: BackupOptions): Promise<void> {
    for (let tries = 0; tries < BACKUP_TRIES; tries++) {
      try {
        await this.#sqlite.backup(this.#native, path, {
          rate: pagesAtATime,
          progress: ({ remainingPages }) => onStep(remainingPages),
        });
        return;
      } catch (error) {
        if (!isSqliteResult(error, NO_ERROR)) throw asSqliteError(error);
      }
      await realTime.sleep(MS_BETWEEN_TRIES);
    }
    throw new SqliteError('the store is being written', 'SQLITE_BUSY', undefined);
  }

  /** Does nothing to one that is closed. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (!this.#sqlite.closesAtOnce) this.#letGo();
    guarded(() => this.#native.close());
  }

  /**
   * A database of the package closes when its last statement is garbage collected. Until then it keeps no transaction,
   * write-ahead log, lock or content. What is refused here, as by a failing disk, stays as a killed process leaves it.
   */
  #letGo(): void {
    const steps = this.memory
      ? ['PRAGMA writable_schema = ON; DELETE FROM sqlite_schema; PRAGMA writable_schema = RESET; VACUUM']
      : ['PRAGMA journal_mode = DELETE', 'PRAGMA locking_mode = NORMAL; SELECT count(*) FROM sqlite_schema'];
    if (this.#native.isTransaction) steps.unshift('ROLLBACK');
    for (const step of steps) {
      try {
        this.#native.exec(step);
      } catch {
        // The next step, and then the close, may still be possible.
      }
    }
  }
}

/** As an address, so that SQLite doesn't make a file that is missing, and no path is taken for an address. */
function addressOf(path: string, { fileMustExist = false, readonly = false }: OpenOptions): URL {
  const address = pathToFileURL(path);
  address.searchParams.set('mode', readonly ? 'ro' : fileMustExist ? 'rw' : 'rwc');
  return address;
}

class CompiledStatement<Parameters extends unknown[], Row> implements BindingStatement<Parameters, Row> {
  readonly #native: NativeStatement;
  #isPlucked = false;

  constructor(native: NativeStatement) {
    this.#native = native;
    native.setAllowUnknownNamedParameters(true);
  }

  get(...parameters: Parameters): Row | undefined {
    try {
      const row = this.#native.get(...parameters);
      return (this.#isPlucked ? (row as unknown[] | undefined)?.[0] : row) as Row | undefined;
    } catch (error) {
      throw asSqliteError(error);
    }
  }

  all(...parameters: Parameters): Row[] {
    try {
      const rows = this.#native.all(...parameters);
      return (this.#isPlucked ? (rows as unknown[][]).map(([value]) => value) : rows) as Row[];
    } catch (error) {
      throw asSqliteError(error);
    }
  }

  run(...parameters: Parameters): StatementResult {
    try {
      return this.#native.run(...parameters);
    } catch (error) {
      throw asSqliteError(error);
    }
  }

  pluck(): this {
    this.#isPlucked = true;
    return this.raw();
  }

  raw(): this {
    this.#native.setReturnArrays(true);
    return this;
  }
}

// What SQLite refuses, by the names of its result codes: https://sqlite.org/rescode.html.

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
function isSqliteResult(error: unknown, result: number): boolean {
  const { code, errcode } = (error ?? {}) as { code?: string; errcode?: number };
  return code === 'ERR_SQLITE_ERROR' && errcode === result;
}

/** Runs it, and throws what SQLite refuses as `SqliteError`. */
function guarded<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw asSqliteError(error);
  }
}
