/** What every driver of SQLite is to the rest of the storage. */

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

/** What SQLite refuses is thrown as an error named `SqliteError` with a `code` such as `SQLITE_IOERR_FSYNC`. */
export interface Database {
  /** Its path; `:memory:` for one that has no file. */
  readonly name: string;
  readonly memory: boolean;
  readonly open: boolean;
  readonly inTransaction: boolean;
  prepare<Parameters extends unknown[] = unknown[], Row = unknown>(
    sql: string,
  ): BindingStatement<Parameters, Row>;
  exec(sql: string): unknown;
  /** The rows that the pragma answers, or with `simple` the first value of the first one. */
  pragma(text: string, options?: { readonly simple: true }): unknown;
  /** Returns a function that does `work` in a transaction, or in a savepoint of the one that is open. */
  transaction<Arguments extends unknown[], Result>(
    work: (...given: Arguments) => Result,
  ): (...given: Arguments) => Result;
  /** The content as a store's file has it. SQLite of Node 22 has no such thing. */
  serialize?(): Buffer;
  /** Copies the pages into the file at `path`, some at a time, while others are served. */
  backup(path: string, options: BackupOptions): Promise<unknown>;
  /** Does nothing to one that is closed. */
  close(): unknown;
}

export interface BackupOptions {
  readonly pagesAtATime: number;
  /**
   * Called between two steps with how many pages are left. False: nothing is copied in the next step, where the driver
   * can wait; Node's own copies in a thread and goes on.
   */
  readonly onStep: (remainingPages: number) => boolean;
}

export interface OpenOptions {
  readonly fileMustExist?: boolean;
  readonly readonly?: boolean;
}

export const DRIVERS = ['node:sqlite', 'better-sqlite3'] as const;
export type DriverName = (typeof DRIVERS)[number];

/** A way to SQLite; `binding.ts` says what its functions promise. */
export interface Driver {
  readonly name: DriverName;
  /** Whether a backup is made a few pages at a time. Otherwise it is one step, for which others wait. */
  readonly backsUpInSteps: boolean;
  open(path: string, options: OpenOptions): Database;
  openInMemory(path: string): Database;
  openContent?(content: Uint8Array): Database;
}

/** That of Node 22.13: the oldest which the tests run with. */
export const OLDEST_SQLITE = [3, 47, 2] as const;

/** Whether a SQLite of this version may hold a store. */
export function isRecentEnough(version: string): boolean {
  const parts = version.split('.').map(Number);
  for (const [index, oldest] of OLDEST_SQLITE.entries()) {
    const part = parts[index] ?? 0;
    if (part !== oldest) return part > oldest;
  }
  return true;
}
