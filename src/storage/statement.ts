/**
 * The only way to run SQL. Parameters and rows are typed once, where the text of the statement is. A text is compiled
 * once for each database, so repositories pass constant texts or a small number of generated ones.
 */
import type { BindingStatement, Database, StatementResult } from './binding.ts';
import { forgetRows, outdatedBy } from './kept-rows.ts';
import { isPageDamage, reportDamage } from './store-health.ts';

/** Values that SQLite accepts, without `undefined`. */
export type Bindable = string | number | bigint | null | Uint8Array;
export type Bindables<Parameters> = { readonly [Name in keyof Parameters]: Bindable };
export type Arguments<Parameters> = Parameters extends readonly unknown[] ? Parameters : [named: Parameters];

/**
 * Each method fails with `vault_damaged` when a page of the store is damaged, which is then remembered for the store.
 */
export interface Statement<Parameters, Row> {
  /** The first row; undefined when there is none. */
  get(database: Database, ...parameters: Arguments<Parameters>): Row | undefined;
  /** The row of a query that always has one, such as a count. */
  one(database: Database, ...parameters: Arguments<Parameters>): Row;
  all(database: Database, ...parameters: Arguments<Parameters>): Row[];
  run(database: Database, ...parameters: Arguments<Parameters>): StatementResult;
}

type Mode = 'rows' | 'scalars' | 'tuples';

class PreparedStatement<Row> {
  readonly #sql: string;
  readonly #mode: Mode;
  readonly #outdated: readonly string[];
  readonly #prepared = new WeakMap<Database, BindingStatement<unknown[], Row>>();

  constructor(sql: string, mode: Mode) {
    this.#sql = sql;
    this.#mode = mode;
    this.#outdated = outdatedBy(sql);
  }

  get(database: Database, ...parameters: readonly unknown[]): Row | undefined {
    try {
      return this.#on(database).get(...parameters);
    } catch (error) {
      throw noticed(database, error);
    }
  }

  one(database: Database, ...parameters: readonly unknown[]): Row {
    const row = this.get(database, ...parameters);
    if (row === undefined) throw new Error(`no row: ${this.#sql}`);
    return row;
  }

  all(database: Database, ...parameters: readonly unknown[]): Row[] {
    try {
      return this.#on(database).all(...parameters);
    } catch (error) {
      throw noticed(database, error);
    }
  }

  run(database: Database, ...parameters: readonly unknown[]): StatementResult {
    try {
      return this.#on(database).run(...parameters);
    } catch (error) {
      throw noticed(database, error);
    }
  }

  #on(database: Database): BindingStatement<unknown[], Row> {
    if (this.#outdated.length > 0) forgetRows(database, this.#outdated);
    return this.#prepared.get(database) ?? this.#prepare(database);
  }

  #prepare(database: Database): BindingStatement<unknown[], Row> {
    const prepared = database.prepare<unknown[], Row>(this.#sql);
    if (this.#mode === 'scalars') prepared.pluck();
    if (this.#mode === 'tuples') prepared.raw();
    this.#prepared.set(database, prepared);
    return prepared;
  }
}

function noticed(database: Database, error: unknown): unknown {
  return isPageDamage(error) ? reportDamage(database, error) : error;
}

const known: Readonly<Record<Mode, Map<string, PreparedStatement<never>>>> = {
  rows: new Map(),
  scalars: new Map(),
  tuples: new Map(),
};

function statementOf<Parameters, Row>(mode: Mode, sql: string): Statement<Parameters, Row> {
  let found = known[mode].get(sql);
  if (!found) known[mode].set(sql, (found = new PreparedStatement<never>(sql, mode)));
  // Two places may have the same text, each with its own row type.
  return found;
}

/** `Parameters`: a tuple for `?`, or an object for `@names`. `Row`: an object with the columns as members. */
export function statement<Parameters extends Bindables<Parameters> = [], Row = never>(
  sql: string,
): Statement<Parameters, Row> {
  return statementOf('rows', sql);
}

/** For a query of one column: each row is its value. */
export function scalarStatement<Parameters extends Bindables<Parameters>, Value extends Bindable>(
  sql: string,
): Statement<Parameters, Value> {
  return statementOf('scalars', sql);
}

/**
 * For queries of every request: rows are tuples in the order of their columns. The binding's objects are slow
 * dictionaries, which cost more than the query itself.
 */
export function tupleStatement<Parameters extends Bindables<Parameters>, Row extends readonly Bindable[]>(
  sql: string,
): Statement<Parameters, Row> {
  return statementOf('tuples', sql);
}
