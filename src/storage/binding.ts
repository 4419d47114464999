/**
 * SQLite's binding, and the one way in which its objects may be let go: never, where that would end the process. Built
 * against the headers of Node 24.19 or later the binding's objects abort it when the garbage collector takes them; as
 * long as it is not known of any later release that it doesn't, they are kept until the process ends. What a closed
 * database has on disk and in memory is given back all the same, so that only its small objects stay.
 */
import { createRequire } from 'node:module';
import BetterSqlite3 from 'better-sqlite3';
import { ServiceError } from '../kernel/errors.ts';

export type Database = BetterSqlite3.Database;
export type RunResult = BetterSqlite3.RunResult;
/** A compiled statement; statement.ts has what the rest of the service uses. */
export type BindingStatement<Row = unknown> = BetterSqlite3.Statement<unknown[], Row>;

/** The value of a pragma that is a number. */
export function numberPragma(database: Database, name: string): number {
  const value = database.pragma(name, { simple: true });
  if (typeof value !== 'number') throw new Error(`SQLite has no number for ${name}`);
  return value;
}

/** The first major release with a version that aborts. */
const ABORTING_NODE = 24;

/** What is kept from the garbage collector. */
const kept: unknown[] = [];

/** A database of the binding, as whoever makes statements sees it: `pragma` and `transaction` do it here, too. */
interface Native {
  prepare(...given: unknown[]): unknown;
  backup(...given: unknown[]): unknown;
}

/** Where an install of the binding puts its binary. The binding itself would look in a dozen places. */
const BINARY = 'better-sqlite3/build/Release/better_sqlite3.node';

let loaded: unknown;

/** The binding's binary, loaded once. Throws `not_ready` when it is missing or made for another Node. */
function binary(): unknown {
  try {
    return (loaded ??= createRequire(import.meta.url)(BINARY) as unknown);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ServiceError(
      'not_ready',
      `SQLite's binary ${code === 'MODULE_NOT_FOUND' ? 'is missing' : 'cannot be loaded'}: ` +
        'npm rebuild better-sqlite3, in the folder where kyclone is installed, makes it anew',
      { cause: error },
    );
  }
}

/**
 * Opens a database that waits for no lock. Iterate over no statement of it: iterators are out of reach and would not be
 * kept. Throws what SQLite throws, and `not_ready` when there is no SQLite.
 */
export function openBinding(
  path: string | Buffer,
  options: { fileMustExist?: boolean; readonly?: boolean } = {},
): Database {
  // It takes the binary itself, whatever its type says.
  const nativeBinding = binary() as string;
  const database = new BetterSqlite3(path, { ...options, timeout: 0, nativeBinding });
  if (Number.parseInt(process.versions.node, 10) >= ABORTING_NODE) keepAll(database);
  return database;
}

function keepAll(database: Database): void {
  const native = nativeOf(database);
  for (const name of ['prepare', 'backup'] as const) {
    const make = native[name].bind(native);
    native[name] = (...given) => {
      const made = make(...given);
      kept.push(made);
      return made;
    };
  }
  kept.push(database, native);
}

function nativeOf(database: Database): Native {
  const held = Object.getOwnPropertySymbols(database).map(
    (symbol) => Reflect.get(database, symbol) as unknown,
  );
  const native = held.find((value) => typeof (value as Partial<Native> | null)?.prepare === 'function');
  if (native === undefined) throw new Error('SQLite’s binding has no native database where it had one');
  return native as Native;
}
