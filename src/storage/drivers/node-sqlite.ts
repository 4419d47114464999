/** Node's own SQLite, of Node 22.13 and later: nothing to install or compile. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { copyInto } from './copy-into.ts';
import { isRecentEnough, type Database, type Driver, type OpenOptions } from './driver.ts';
import { EarlyNodeDatabase } from './early-node-database.ts';
import { NodeDatabase, type NodeSqlite } from './node-database.ts';
import { guarded, SqliteError } from './sqlite-error.ts';

/** Undefined where this Node has none, or one that is too old to hold a store. */
export function nodeSqlite(): Driver | undefined {
  const sqlite = loaded();
  if (!sqlite) return undefined;
  return isComplete(sqlite) ? driverOf(sqlite) : earlyDriverOf(sqlite);
}

/** As `nodeSqlite`, with what that of Node 22.13 has and no more: for tests of it under any Node. */
export function earlyNodeSqlite(): Driver | undefined {
  const sqlite = loaded();
  return sqlite && earlyDriverOf(sqlite);
}

function loaded(): NodeSqlite | undefined {
  if (!isRecentEnough(process.versions.sqlite ?? '')) return undefined;
  return withoutItsWarning(
    () => process.getBuiltinModule('node:sqlite') as unknown as NodeSqlite | undefined,
  );
}

/** What came with Node 22.16. */
function isComplete({ DatabaseSync, StatementSync, backup }: NodeSqlite): boolean {
  return (
    backup !== undefined &&
    'setReturnArrays' in StatementSync.prototype &&
    'setAllowUnknownNamedParameters' in StatementSync.prototype &&
    'isTransaction' in new DatabaseSync(':memory:')
  );
}

function driverOf(sqlite: NodeSqlite): Driver {
  const { DatabaseSync } = sqlite;
  const inMemory = () =>
    new NodeDatabase(sqlite, new DatabaseSync(':memory:'), { name: ':memory:', memory: true });

  const openContent = (content: Uint8Array): Database => {
    const native = new DatabaseSync(':memory:');
    guarded(() => native.deserialize?.(content));
    return new NodeDatabase(sqlite, native, { name: ':memory:', memory: true });
  };
  const canDeserialize = 'deserialize' in (DatabaseSync.prototype as object);

  return {
    name: 'node:sqlite',
    backsUpInSteps: true,
    open(path, options) {
      if (path === ':memory:') return inMemory();
      const native = guarded(
        () => new DatabaseSync(addressOf(path, options), { readOnly: options.readonly }),
      );
      return new NodeDatabase(sqlite, native, { name: path, memory: false });
    },
    openInMemory(path) {
      if (canDeserialize) return openContent(readFileSync(path));
      return copied(path, inMemory());
    },
    ...(canDeserialize && { openContent }),
  };
}

/** Without addresses of files, with which Node 22.13 opens nothing. */
function earlyDriverOf(sqlite: NodeSqlite): Driver {
  const { DatabaseSync } = sqlite;
  const inMemory = () =>
    new EarlyNodeDatabase(sqlite, new DatabaseSync(':memory:'), { name: ':memory:', memory: true });
  return {
    name: 'node:sqlite',
    backsUpInSteps: false,
    open(path, { fileMustExist = false, readonly = false }) {
      if (path === ':memory:') return inMemory();
      if (fileMustExist) assertExists(path);
      const native = guarded(() => new DatabaseSync(resolve(path), { readOnly: readonly }));
      return new EarlyNodeDatabase(sqlite, native, { name: path, memory: false });
    },
    openInMemory: (path) => copied(path, inMemory()),
  };
}

/** Without `deserialize`, which came with Node 24. */
function copied<Given extends NodeDatabase>(path: string, database: Given): Given {
  try {
    assertExists(path);
    copyInto(database, path);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function assertExists(path: string): void {
  if (existsSync(path)) return;
  throw new SqliteError('unable to open database file', 'SQLITE_CANTOPEN', undefined);
}

/** Node 22 warns that its SQLite may change. That one warning says nothing to whoever runs the daemon. */
function withoutItsWarning<T>(load: () => T): T {
  const emitWarning = process.emitWarning.bind(process) as (...given: unknown[]) => void;
  const before = Object.getOwnPropertyDescriptor(process, 'emitWarning');
  process.emitWarning = (warning: string | Error, ...given: unknown[]) => {
    if (given[0] === 'ExperimentalWarning' && String(warning).startsWith('SQLite ')) return;
    emitWarning(warning, ...given);
  };
  try {
    return load();
  } finally {
    if (before) Object.defineProperty(process, 'emitWarning', before);
    else Reflect.deleteProperty(process, 'emitWarning');
  }
}

/** As an address, so that SQLite doesn't make a file that is missing, and no path is taken for an address. */
function addressOf(path: string, { fileMustExist = false, readonly = false }: OpenOptions): URL {
  const address = pathToFileURL(path);
  address.searchParams.set('mode', readonly ? 'ro' : fileMustExist ? 'rw' : 'rwc');
  return address;
}
