/**
 * An open database of Node's own SQLite before Node 22.16. What that lacks is made up for here, exactly but slower: rows
 * as tuples, whether a transaction is open, names of parameters that a statement doesn't have, and databases in memory
 * that begin as a file. A backup is one step there, so other requests wait until it is complete.
 */
import type { BackupOptions, BindingStatement, StatementResult } from './driver.ts';
import { backedUp } from './first-step.ts';
import { NodeDatabase, type NativeStatement } from './node-database.ts';
import { asSqliteError, guarded, isSqliteResult } from './sqlite-error.ts';

/** A text without any of them neither begins nor ends a transaction, unless it fails. */
const OF_TRANSACTIONS = /\b(?:BEGIN|COMMIT|END|ROLLBACK|SAVEPOINT|RELEASE)\b/i;
const PARAMETER_NAMES = /[@:$](\w+)/g;
/** The code of `BEGIN` within a transaction. */
const SQLITE_ERROR = 1;

/** As far as it is there. */
type EarlyStatement = Pick<NativeStatement, 'get' | 'all' | 'run'>;

export class EarlyNodeDatabase extends NodeDatabase {
  /** Undefined: something has run that may have changed it. */
  #isWithin: boolean | undefined = false;

  override get inTransaction(): boolean {
    return this.open && (this.#isWithin ??= this.#asksWhetherWithin());
  }

  override prepare<Parameters extends unknown[], Row>(sql: string): BindingStatement<Parameters, Row> {
    return new PreparedEarly(this, sql);
  }

  override exec(sql: string): void {
    this.ran(OF_TRANSACTIONS.test(sql), () => this.native.exec(sql));
  }

  override pragma(text: string, options?: { readonly simple: true }): unknown {
    const statement = this.prepare(`PRAGMA ${text}`);
    return options ? Object.values(statement.get() ?? {})[0] : statement.all();
  }

  /** All in one step: Node has no other way there. Unused pages are left out. */
  override async backup(path: string, { onStep }: BackupOptions): Promise<void> {
    await backedUp(() => Promise.resolve(this.#copiedTo(path)));
    onStep(0);
  }

  #copiedTo(path: string): boolean {
    if (this.inTransaction) return false;
    this.prepare('VACUUM INTO ?').run(path);
    return true;
  }

  compiled(sql: string): EarlyStatement {
    return guarded(() => this.native.prepare(sql));
  }

  /** Remembers what `run` may change. What fails may have ended the transaction: a full disk does. */
  ran<Result>(isOfTransactions: boolean, run: () => Result): Result {
    try {
      const result = run();
      if (isOfTransactions) this.#isWithin = undefined;
      return result;
    } catch (error) {
      this.#isWithin = undefined;
      throw asSqliteError(error);
    }
  }

  /** SQLite refuses a transaction within a transaction. One that does nothing locks nothing. */
  #asksWhetherWithin(): boolean {
    try {
      this.native.exec('BEGIN');
    } catch (error) {
      if (isSqliteResult(error, SQLITE_ERROR)) return true;
      throw asSqliteError(error);
    }
    guarded(() => this.native.exec('COMMIT'));
    return false;
  }
}

/** One row of what `EXPLAIN` says of a program. */
interface Instruction {
  readonly opcode: string;
  readonly p2: number;
}

class PreparedEarly<Parameters extends unknown[], Row> implements BindingStatement<Parameters, Row> {
  readonly #database: EarlyNodeDatabase;
  readonly #sql: string;
  readonly #isOfTransactions: boolean;
  readonly #names: ReadonlySet<string>;
  #native: EarlyStatement;
  #rowsAre: 'objects' | 'tuples' | 'values' = 'objects';
  /** Whether an object has been seen to have all columns, in their order. */
  #isExact = false;

  constructor(database: EarlyNodeDatabase, sql: string) {
    this.#database = database;
    this.#sql = sql;
    this.#native = database.compiled(sql);
    this.#isOfTransactions = OF_TRANSACTIONS.test(sql);
    this.#names = new Set(Array.from(sql.matchAll(PARAMETER_NAMES), ([, name = '']) => name));
  }

  get(...parameters: Parameters): Row | undefined {
    const given = this.#known(parameters);
    const read = () => this.#ran(() => this.#native.get(...given));
    const row = read();
    if (row === undefined) return undefined;
    return this.#shaped(this.#makeExact(row) ? row : read());
  }

  all(...parameters: Parameters): Row[] {
    const given = this.#known(parameters);
    const read = () => this.#ran(() => this.#native.all(...given));
    const rows = read();
    if (rows.length === 0) return [];
    return (this.#makeExact(rows[0]) ? rows : read()).map((row) => this.#shaped(row));
  }

  run(...parameters: Parameters): StatementResult {
    const given = this.#known(parameters);
    return this.#ran(() => this.#native.run(...given));
  }

  pluck(): this {
    this.#rowsAre = 'values';
    return this;
  }

  raw(): this {
    this.#rowsAre = 'tuples';
    return this;
  }

  #ran<Result>(run: () => Result): Result {
    return this.#database.ran(this.#isOfTransactions, run);
  }

  #shaped(row: unknown): Row {
    if (this.#rowsAre === 'objects') return row as Row;
    const values = Object.values(row as object);
    return (this.#rowsAre === 'values' ? values[0] : values) as Row;
  }

  /** False: the columns of the statement have names of their own from now on, and what was read is to be read again. */
  #makeExact(row: unknown): boolean {
    if (this.#isExact || this.#rowsAre === 'objects') return true;
    this.#isExact = true;
    if (this.#hasAllInOrder(row)) return true;
    if (!/^\s*(?:SELECT|WITH)\b/i.test(this.#sql)) {
      throw new Error(`Columns that only Node 22.16 and later can tell apart: ${this.#sql}`);
    }
    // SQLite gives the columns of a query within another one names that differ.
    this.#native = this.#database.compiled(`SELECT * FROM (${this.#sql})`);
    return false;
  }

  /** An object has one of two columns that share a name, and begins with names that are numbers. */
  #hasAllInOrder(row: unknown): boolean {
    const names = Object.keys(row as object);
    const program = this.#database.compiled(`EXPLAIN ${this.#sql}`).all() as Instruction[];
    const columns = program.find(({ opcode }) => opcode === 'ResultRow')?.p2;
    return columns === names.length && (columns === 1 || !names.some((name) => /^\d+$/.test(name)));
  }

  /** Node refuses a name that the statement doesn't have. */
  #known(parameters: Parameters): unknown[] {
    const [named] = parameters;
    if (typeof named !== 'object' || named === null || ArrayBuffer.isView(named)) return parameters;
    const entries = Object.entries(named);
    const known = entries.filter(([name]) => this.#names.has(name));
    return known.length === entries.length ? parameters : [Object.fromEntries(known)];
  }
}
