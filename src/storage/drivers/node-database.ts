/** An open database of Node's own SQLite, as Node 22.16 and later have it. */
import type { BackupOptions, BindingStatement, Database, StatementResult } from './driver.ts';
import { backedUp } from './first-step.ts';
import { asSqliteError, guarded, isSqliteResult } from './sqlite-error.ts';

/** As far as it is used here; the types of the oldest Node that is supported have nothing of it. */
export interface NativeStatement {
  get(...parameters: unknown[]): unknown;
  all(...parameters: unknown[]): unknown[];
  run(...parameters: unknown[]): StatementResult;
  setReturnArrays(areArrays: boolean): void;
  setAllowUnknownNamedParameters(areAllowed: boolean): void;
}

export interface NativeDatabase {
  readonly isTransaction: boolean;
  prepare(sql: string): NativeStatement;
  exec(sql: string): void;
  close(): void;
  /** Since Node 24. */
  serialize?(): Uint8Array;
  deserialize?(content: Uint8Array): void;
}

export interface NodeSqlite {
  readonly DatabaseSync: new (path: string | URL, options?: object) => NativeDatabase;
  readonly StatementSync: { readonly prototype: Partial<NativeStatement> };
  readonly backup?: (
    from: NativeDatabase,
    path: string,
    options: { rate: number; progress: (pages: { remainingPages: number }) => void },
  ) => Promise<number>;
}

const NO_ERROR = 0;

export class NodeDatabase implements Database {
  readonly name: string;
  readonly memory: boolean;
  readonly serialize?: () => Buffer;
  readonly #sqlite: Pick<NodeSqlite, 'backup'>;
  protected readonly native: NativeDatabase;
  #isOpen = true;

  constructor(
    sqlite: Pick<NodeSqlite, 'backup'>,
    native: NativeDatabase,
    { name, memory }: { name: string; memory: boolean },
  ) {
    this.name = name;
    this.memory = memory;
    this.#sqlite = sqlite;
    this.native = native;
    if ('serialize' in native) {
      this.serialize = () =>
        Buffer.from(guarded(() => native.serialize?.() ?? new Uint8Array()).buffer as ArrayBuffer);
    }
  }

  get open(): boolean {
    return this.#isOpen;
  }

  get inTransaction(): boolean {
    return this.#isOpen && this.native.isTransaction;
  }

  prepare<Parameters extends unknown[], Row>(sql: string): BindingStatement<Parameters, Row> {
    return new NodeStatement(guarded(() => this.native.prepare(sql)));
  }

  exec(sql: string): void {
    guarded(() => this.native.exec(sql));
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
        await this.#sqlite.backup?.(this.native, path, {
          rate: pagesAtATime,
          progress: ({ remainingPages }) => void onStep(remainingPages),
        });
        return true;
      } catch (error) {
        // Its first step has met a write; at the others Node waits.
        if (isSqliteResult(error, NO_ERROR)) return false;
        throw asSqliteError(error);
      }
    });
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    guarded(() => this.native.close());
  }
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
