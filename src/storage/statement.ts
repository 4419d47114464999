/**
 * The only way to run SQL. Parameters and rows are typed once, where the text of the statement is. A text is compiled
 * once for each database, so repositories pass constant texts or a small number of generated ones.
 */
import type { BindingStatement, Database, StatementResult } from './binding.ts';
import { ServiceError } from '../kernel/errors.ts';
import { realTime } from '../kernel/time/real-time.ts';

/** Values that SQLite accepts, without `undefined`. */
export type Bindable = string | number | bigint | null | Uint8Array;
export type Bindables<Parameters> = { readonly [Name in keyof Parameters]: Bindable };
export type Arguments<Parameters> = Parameters extends readonly unknown[] ? Parameters : [named: Parameters];

/**
 * Each function fails with `vault_damaged` when a page of the store is damaged, which is then remembered for the store.
 */
export interface Statement<Parameters, Row> {
  /** The first row; undefined when there is none. */
  readonly get: (database: Database, ...parameters: Arguments<Parameters>) => Row | undefined;
  /** The row of a query that always has one, such as a count. */
  readonly one: (database: Database, ...parameters: Arguments<Parameters>) => Row;
  readonly all: (database: Database, ...parameters: Arguments<Parameters>) => Row[];
  readonly run: (database: Database, ...parameters: Arguments<Parameters>) => StatementResult;
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

  readonly get = (database: Database, ...parameters: readonly unknown[]): Row | undefined => {
    try {
      return this.#on(database).get(...parameters);
    } catch (error) {
      throw noticed(database, error);
    }
  };

  readonly one = (database: Database, ...parameters: readonly unknown[]): Row => {
    const row = this.get(database, ...parameters);
    if (row === undefined) throw new Error(`no row: ${this.#sql}`);
    return row;
  };

  readonly all = (database: Database, ...parameters: readonly unknown[]): Row[] => {
    try {
      return this.#on(database).all(...parameters);
    } catch (error) {
      throw noticed(database, error);
    }
  };

  readonly run = (database: Database, ...parameters: readonly unknown[]): StatementResult => {
    try {
      return this.#on(database).run(...parameters);
    } catch (error) {
      throw noticed(database, error);
    }
  };

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

/** Whether a query has a row. */
export function exists<Parameters extends Bindables<Parameters> = []>(sql: string) {
  const query = scalarStatement<Parameters, Bindable>(sql);
  return (database: Database, ...parameters: Arguments<Parameters>): boolean =>
    query.get(database, ...parameters) !== undefined;
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

// Inserts many rows with one statement, since each run of a statement costs as much as inserting a row.

/** Covers the usual creation of a user. A text is compiled for each number of rows. */
const ROWS_PER_STATEMENT = 24;

export interface Insertion<Row extends readonly Bindable[]> {
  /** Inserts the rows in this order. */
  run(database: Database, rows: readonly Row[]): void;
}

/** `head` is the SQL before VALUES; `Row` has one member for each of its `columns`. */
export function insertion<Row extends readonly Bindable[]>(
  head: string,
  columns: Row['length'],
): Insertion<Row> {
  const row = `(${Array.from({ length: columns }, () => '?').join(', ')})`;
  const byCount: Statement<readonly Bindable[], never>[] = [];
  const ofRows = (count: number) =>
    (byCount[count] ??= statement<readonly Bindable[]>(
      `${head} VALUES ${Array(count).fill(row).join(', ')}`,
    ));
  return {
    run(database, rows) {
      for (let from = 0; from < rows.length; from += ROWS_PER_STATEMENT) {
        const some = rows.slice(from, from + ROWS_PER_STATEMENT);
        ofRows(some.length).run(database, ...some.flat());
      }
    },
  };
}

// Damage found in an open store. SQLite keeps no checksums, so damage is only found when a page is read. After the
// first failed read nothing more is written to that store. Reads of other pages continue.

const DAMAGE_CODES =
  /^SQLITE_(?:CORRUPT(?:_.*)?|NOTADB|IOERR_READ|IOERR_SHORT_READ|IOERR_CORRUPTFS|IOERR_DATA)$/;

const damaged = new WeakMap<Database, ServiceError>();

/** Whether SQLite could not read or parse a page. */
export function isPageDamage(error: unknown): boolean {
  // Checks the name: the native module keeps the class of its first loader, and a test runner loads it for each file.
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
  return name === 'SqliteError' && typeof code === 'string' && DAMAGE_CODES.test(code);
}

/** Marks the store as damaged. Returns the error for the request that found the damage. */
export function reportDamage(database: Database, cause?: unknown): ServiceError {
  const error = new ServiceError(
    'vault_damaged',
    'A page of the store is damaged and cannot be read; nothing is written until the store is restored from a copy or a snapshot',
    { cause },
  );
  return damaged.get(database) ?? rememberDamage(database, error);
}

/** Marks the store as damaged for a reason other than an unreadable page. Returns the error. */
export function rememberDamage(database: Database, damage: ServiceError): ServiceError {
  if (!damaged.has(database)) damaged.set(database, damage);
  forgetRows(database);
  return damage;
}

/** The damage found in this run, if any. */
export function damageOf(database: Database): ServiceError | undefined {
  return damaged.get(database);
}

// A cache of recently read rows. A row is cached at its second read: rows of a large store that are read once would only
// cost memory. Sealed columns stay sealed and are opened again by each request. A cached row is dropped when any
// statement changes or deletes rows of its table or of a table that cascades to it, when damage of the store is found,
// and after KEPT_MS. That limits how long an edit of the file by another program stays unnoticed.
//
// Rows read inside a transaction are not cached, since it may be rolled back. Missing rows are not cached either.

const KEPT_MS = 5_000;

/** Tables whose rows are deleted or changed by a change of the given table. Inserts don't affect existing rows. */
const KEPT_OF: Readonly<Record<string, readonly string[]>> = {
  spaces: ['entities', 'vault_values'],
  entities: ['entities', 'vault_values'],
  vault_values: ['vault_values'],
};

interface Kept {
  since: number;
  /** By owner, then by name: two keys as they are cost less than one that is joined for each read. */
  readonly rows: Map<number, Map<string, KeptRow>>;
  count: number;
  /**
   * Hashes of the rows that were read lately, cached or not. If two rows have the same hash, one of them is cached a read
   * too early.
   */
  readonly seen: Set<number>;
}

interface KeptRow {
  readonly asOf: number;
  readonly row: object;
}

export interface KeptKey {
  /** The id of the row that it belongs to. */
  readonly owner: number;
  readonly name: string;
  /** One row of each name is kept, with the version that was asked for; 0 for a table without versions. */
  readonly asOf: number;
}

const stores = new WeakMap<Database, Map<string, Kept>>();

export interface KeptRows<Row extends object> {
  /** The row of `key` from the cache, or from `read`. It is shared and must not be modified. */
  get(database: Database, key: KeptKey, read: () => Row | undefined): Row | undefined;
}

/** Caches up to `limit` rows of the table for each store, if `small` accepts them. */
export function keptRows<Row extends object>(
  table: 'entities' | 'vault_values',
  { limit, isSmall = () => true }: { limit: number; isSmall?: (row: Row) => boolean },
): KeptRows<Row> {
  return {
    get(database, { owner, name, asOf }, read) {
      if (database.inTransaction) return read();
      const kept = keptOf(database, table);
      const known = kept.rows.get(owner)?.get(name);
      if (known?.asOf === asOf) return known.row as Row;
      const row = read();
      if (row && isSmall(row) && isSecondRead(kept, hashOf(owner, name), limit)) {
        if (kept.count >= limit) clear(kept);
        let names = kept.rows.get(owner);
        if (!names) kept.rows.set(owner, (names = new Map<string, KeptRow>()));
        if (!names.has(name)) kept.count += 1;
        names.set(name, { asOf, row });
      }
      return row;
    },
  };
}

function keptOf(database: Database, table: string): Kept {
  let tables = stores.get(database);
  if (!tables) stores.set(database, (tables = new Map<string, Kept>()));
  const now = realTime.elapsed();
  let kept = tables.get(table);
  if (!kept) tables.set(table, (kept = { since: now, rows: new Map(), count: 0, seen: new Set() }));
  if (now - kept.since >= KEPT_MS) {
    clear(kept);
    kept.since = now;
  }
  return kept;
}

function clear(kept: Kept): void {
  kept.rows.clear();
  kept.count = 0;
}

function isSecondRead({ seen }: Kept, hash: number, limit: number): boolean {
  if (seen.has(hash)) return true;
  if (seen.size >= limit) seen.clear();
  seen.add(hash);
  return false;
}

const FNV_PRIME = 16_777_619;

/** FNV-1a, of 32 bits. */
function hashOf(owner: number, name: string): number {
  let hash = owner | 0;
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), FNV_PRIME);
  return hash;
}

const CHANGE = /\b(?:UPDATE(?:\s+OR\s+[A-Z]+)?|DELETE\s+FROM|REPLACE\s+INTO)\s+(\w+)/gi;

/** The tables whose cached rows a statement invalidates. */
export function outdatedBy(sql: string): readonly string[] {
  return [...sql.matchAll(CHANGE)].flatMap(([, table = '']) => KEPT_OF[table.toLowerCase()] ?? []);
}

/** Drops all cached rows of these tables; of every table when none are named. */
export function forgetRows(database: Database, tables?: readonly string[]): void {
  const kept = stores.get(database);
  if (!kept) return;
  for (const table of tables ?? kept.keys()) {
    const rows = kept.get(table);
    if (rows) clear(rows);
  }
}

// Single values of a store by name: the clock, the settings, the head of the access log.

export const findValue = scalarStatement<[name: string], string>(
  'SELECT value FROM instance_values WHERE name = ?',
).get;

export const putValue = statement<[name: string, value: string]>(
  'INSERT INTO instance_values (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
).run;

/** Returns whether there was one. */
export function deleteValue(database: Database, name: string): boolean {
  return statement<[string]>('DELETE FROM instance_values WHERE name = ?').run(database, name).changes === 1;
}
