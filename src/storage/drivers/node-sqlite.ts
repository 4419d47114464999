/** Node's own SQLite, of Node 22.16 and later: nothing to install or compile. */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { BackupOptions, BindingStatement, Database, Driver, OpenOptions, RunResult } from './driver.ts';
import { backedUp } from './first-step.ts';
import { asSqliteError } from './sqlite-error.ts';

/** As far as it is used here; the types of the oldest Node that is supported have nothing of it. */
interface NativeStatement {
  get(...parameters: unknown[]): unknown;
  all(...parameters: unknown[]): unknown[];
  run(...parameters: unknown[]): RunResult;
  setReturnArrays(areArrays: boolean): void;
  setAllowUnknownNamedParameters(areAllowed: boolean): void;
}

interface NativeDatabase {
  readonly isTransaction: boolean;
  prepare(sql: string): NativeStatement;
  exec(sql: string): void;
  close(): void;
  /** Since Node 24. */
  serialize?(): Uint8Array;
  deserialize?(content: Uint8Array): void;
}

interface NodeSqlite {
  readonly DatabaseSync: new (path: string | URL, options?: object) => NativeDatabase;
  readonly StatementSync: { readonly prototype: Partial<NativeStatement> };
  readonly backup?: (
    from: NativeDatabase,
    path: string,
    options: { rate: number; progress: (pages: { remainingPages: number }) => void },
  ) => Promise<number>;
}

/** Undefined where this Node has none, or one that can't do what the store needs. */
export function nodeSqlite(): Driver | undefined {
  const sqlite = withoutItsWarning(
    () => process.getBuiltinModule('node:sqlite') as unknown as NodeSqlite | undefined,
  );
  if (!sqlite || !isEnough(sqlite)) return undefined;
  const { DatabaseSync } = sqlite;
  const inMemory = (source: string | URL = ':memory:') =>
    new NodeDatabase(sqlite, new DatabaseSync(source), { name: ':memory:', memory: true });

  const openContent = (content: Uint8Array): Database => {
    const native = new DatabaseSync(':memory:');
    guarded(() => native.deserialize?.(content));
    return new NodeDatabase(sqlite, native, { name: ':memory:', memory: true });
  };
  const canDeserialize = 'deserialize' in (DatabaseSync.prototype as object);

  return {
    name: 'node:sqlite',
    open(path, options) {
      if (path === ':memory:') return inMemory();
      const native = guarded(
        () => new DatabaseSync(addressOf(path, options), { readOnly: options.readonly }),
      );
      return new NodeDatabase(sqlite, native, { name: path, memory: false });
    },
    openInMemory(path) {
      if (canDeserialize) return openContent(readFileSync(path));
      // SQLite's own file system in memory: what is written there lives as long as a database of that name is open.
      const name = `file:/kyclone-${++named}?vfs=memdb`;
      const database = inMemory(name);
      const source = this.open(path, { readonly: true, fileMustExist: true });
      try {
        source.prepare('VACUUM INTO ?').run(name);
      } finally {
        source.close();
      }
      return database;
    },
    ...(canDeserialize && { openContent }),
  };
}

let named = 0;

/** What the first versions of it lack, Node 22.13 to 22.15. */
function isEnough({ DatabaseSync, StatementSync, backup }: NodeSqlite): boolean {
  return (
    backup !== undefined &&
    'setReturnArrays' in StatementSync.prototype &&
    'setAllowUnknownNamedParameters' in StatementSync.prototype &&
    'isTransaction' in new DatabaseSync(':memory:')
  );
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

function guarded<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw asSqliteError(error);
  }
}

class NodeDatabase implements Database {
  readonly name: string;
  readonly memory: boolean;
  readonly serialize?: () => Buffer;
  readonly #sqlite: NodeSqlite;
  readonly #native: NativeDatabase;
  #isOpen = true;

  constructor(
    sqlite: NodeSqlite,
    native: NativeDatabase,
    { name, memory }: { name: string; memory: boolean },
  ) {
    this.name = name;
    this.memory = memory;
    this.#sqlite = sqlite;
    this.#native = native;
    if ('serialize' in native) {
      this.serialize = () =>
        Buffer.from(guarded(() => native.serialize?.() ?? new Uint8Array()).buffer as ArrayBuffer);
    }
  }

  get open(): boolean {
    return this.#isOpen;
  }

  get inTransaction(): boolean {
    return this.#isOpen && this.#native.isTransaction;
  }

  prepare<Parameters extends unknown[], Row>(sql: string): BindingStatement<Parameters, Row> {
    return new NodeStatement(guarded(() => this.#native.prepare(sql)));
  }

  exec(sql: string): void {
    guarded(() => this.#native.exec(sql));
  }

  pragma(text: string, options?: { readonly simple: true }): unknown {
    const statement = this.prepare(`PRAGMA ${text}`);
    return options ? statement.pluck().get() : statement.all();
  }

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

  async backup(path: string, { pagesAtATime, onStep }: BackupOptions): Promise<void> {
    await backedUp(async () => {
      try {
        await this.#sqlite.backup?.(this.#native, path, {
          rate: pagesAtATime,
          progress: ({ remainingPages }) => void onStep(remainingPages),
        });
        return true;
      } catch (error) {
        if (isNoError(error)) return false;
        throw asSqliteError(error);
      }
    });
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    guarded(() => this.#native.close());
  }
}

/** A backup fails with it where its first step meets a write; at the others Node waits. */
function isNoError(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as { code?: string; errcode?: number };
  return code === 'ERR_SQLITE_ERROR' && errcode === 0;
}

class NodeStatement<Parameters extends unknown[], Row> implements BindingStatement<Parameters, Row> {
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

  run(...parameters: Parameters): RunResult {
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
