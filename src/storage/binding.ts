/**
 * The one seam to SQLite: an open database and its statements, as the rest of the storage sees them. Two drivers stand
 * behind it, Node's own SQLite and better-sqlite3; `drivers/choice.ts` says which, once for each process.
 */
import { chosenDriver } from './drivers/choice.ts';

export interface RunResult {
  readonly changes: number;
  readonly lastInsertRowid: number | bigint;
}

/** A compiled statement; statement.ts has what the rest of the service uses. Blobs are read as `Uint8Array`. */
export interface BindingStatement<Parameters extends unknown[] = unknown[], Row = unknown> {
  /** The first row; undefined when there is none. */
  get(...parameters: Parameters): Row | undefined;
  all(...parameters: Parameters): Row[];
  run(...parameters: Parameters): RunResult;
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

/** The value of a pragma that is a number. */
export function numberPragma(database: Database, name: string): number {
  const value = database.pragma(name, { simple: true });
  if (typeof value !== 'number') throw new Error(`SQLite has no number for ${name}`);
  return value;
}

/** Opens a database that waits for no lock. Throws what SQLite throws, and `not_ready` when there is no SQLite. */
export function openBinding(path: string, options: OpenOptions = {}): Database {
  return chosenDriver().open(path, options);
}

/** A database in memory that begins as the file at `path`, one in rollback-journal mode that is closed. */
export function openInMemory(path: string): Database {
  return chosenDriver().openInMemory(path);
}

/** A database in memory with the content that `serialize` has answered. Undefined where the driver can't do that. */
export function openContent(content: Uint8Array): Database | undefined {
  return chosenDriver().openContent?.(content);
}

let inUse: string | undefined;

/** Which SQLite stands behind this: `node:sqlite 3.53.4`. Throws `not_ready` when there is none. */
export function sqliteInUse(): string {
  return (inUse ??= nameAndVersion());
}

function nameAndVersion(): string {
  const database = openBinding(':memory:');
  try {
    const version = database.prepare<[], string>('SELECT sqlite_version()').pluck().get() ?? '';
    return `${chosenDriver().name} ${version}`;
  } finally {
    database.close();
  }
}
