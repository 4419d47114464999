/**
 * A table with its columns, given once: the types of its rows, and the SQL that inserts, updates and reads whole rows,
 * follow from them. Conditions and orders are SQL, and so is everything else: see statement.ts.
 *
 * A table whose rows are sealed (vault/grants/) seals each row that it writes. It checks the seal of each row that it
 * reads and throws `vault_damaged` for one that another program has changed, except for the reads in `unchecked`.
 */
import type { Database } from './binding.ts';
import {
  reportDamage,
  exists,
  scalarStatement,
  statement,
  tupleStatement,
  type Arguments,
  type Bindable,
  type Bindables,
} from './statement.ts';

/**
 * `given` when a row is inserted, or left out with an `initial` value, or `assigned` by SQLite. `joined` columns belong
 * to another table and are only read.
 */
type Role = 'given' | 'initial' | 'assigned' | 'joined';

export interface Column<Value, Is extends Role = 'given'> {
  readonly role: Is;
  /** Without these two the value is stored as it is. */
  readonly read?: (stored: Bindable) => Value;
  store?(value: Value): Bindable;
  readonly initial?: Value;
  /** The SQL of a joined column. */
  readonly sql?: string;
  readonly isOptional?: true;
}

const GIVEN = { role: 'given' } as const;

export const text: Column<string> = GIVEN;
export const integer: Column<number> = GIVEN;
export const real: Column<number> = GIVEN;
export const bytes: Column<Uint8Array> = GIVEN;
/** Stored as 1 or 0. */
export const boolean: Column<boolean> = { ...GIVEN, read: (stored) => stored === 1, store: Number };

/** A text that has certain values only. */
export const textOf = <Value extends string>(): Column<Value> => GIVEN;

/** Stored as a text of JSON. */
export const json = <Value>(): Column<Value> => ({
  ...GIVEN,
  read: (stored) => JSON.parse(stored as string) as Value,
  store: (value) => JSON.stringify(value),
});

/** Null is stored as NULL. */
export function optional<Value>(column: Column<Value>): Column<Value | null> {
  const { read } = column;
  if (!read) return { ...GIVEN, isOptional: true };
  return {
    ...GIVEN,
    isOptional: true,
    read: (stored) => (stored === null ? null : read(stored)),
    store: (value) => (value === null ? null : (column.store?.(value) ?? null)),
  };
}

/** The row id, chosen by SQLite. */
export const assigned: Column<number, 'assigned'> = { role: 'assigned' };

/** May be left out of a new row. */
export const initially = <Value>(value: Value, column: Column<Value>): Column<Value, 'initial'> => ({
  ...column,
  role: 'initial',
  initial: value,
});

/** Read from another table by `sql`. Join with LEFT JOIN, so that a row whose other row is lost is found as damaged. */
export const joined = <Value>(sql: string, column: Column<Value>): Column<Value, 'joined'> => ({
  ...column,
  role: 'joined',
  sql,
});

type Columns = Readonly<Record<string, Column<unknown, Role>>>;
type ValueOf<Of> = Of extends Column<infer Value, Role> ? Value : never;
type NamesOf<Of extends Columns, Is extends Role> = {
  [Name in keyof Of]: Of[Name] extends Column<unknown, Is> ? Name : never;
}[keyof Of];
type Values<Of extends Columns> = { readonly [Name in keyof Of]: ValueOf<Of[Name]> };
type Sealed = { readonly seal: Uint8Array | null };
/** `Covered`: the columns under the seal of a row; never for a table without seals. */
type WithSeal<Covered> = [Covered] extends [never] ? unknown : Sealed;

/** How the rows of a table are sealed. `row` has the stored form of its values. */
export interface RowSeal<Covered extends string> {
  readonly columns: readonly Covered[];
  of(database: Database, row: Readonly<Record<Covered, Bindable>>): Uint8Array;
  isOwn(database: Database, row: Readonly<Record<Covered, Bindable>> & Sealed): boolean;
  require(database: Database, row: Readonly<Record<Covered, Bindable>> & Sealed): void;
  /** Called when a row is new, gone, or sealed again. */
  changed(database: Database): void;
}

interface Options<Of extends Columns, Key, Fixed, Covered extends string> {
  /** The columns by which a row is updated. */
  readonly key?: readonly Key[];
  /** The columns that no update changes. */
  readonly fixed?: readonly Fixed[];
  /** The table with those that it is joined with. */
  readonly from?: string;
  readonly seal?: RowSeal<Covered & keyof Of & string>;
  /** Throws for a row that is wrong although its seal is right; called where the seal is checked. */
  readonly check?: (row: Values<Of>) => void;
}

/** The columns that order a list, with the types of their values. */
type Order<Row, Place extends keyof Row> = {
  readonly [Name in Place]: Row[Name] extends string ? 'string' : 'number';
};

/** One function for each read, made where its SQL is. */
interface Reads<Row> {
  /** The first row. `tail`: all that follows FROM. */
  first<Parameters extends Bindables<Parameters> = []>(
    tail: string,
  ): (database: Database, ...parameters: Arguments<Parameters>) => Row | undefined;
  all<Parameters extends Bindables<Parameters> = []>(
    tail: string,
  ): (database: Database, ...parameters: Arguments<Parameters>) => Row[];
  /** The rows with one of these values in the column. `order`: all that follows. */
  among(column: string, order: string): (database: Database, values: readonly (string | number)[]) => Row[];
  /** A list that is read in pages, in this order, with the count of all its rows. */
  page<Filter extends Bindables<Filter>, Place extends keyof Row & string>(
    where: string,
    by: Order<Row, Place>,
    order: 'ASC' | 'DESC',
  ): (
    database: Database,
    filter: Filter,
  ) => {
    readonly by: Order<Row, Place>;
    readonly count: number;
    /** Up to one more than `limit` rows, starting after the place `after`. */
    list(page: { readonly after: Pick<Row, Place> | undefined; readonly limit: number }): Row[];
  };
  /** The same of a list that is read by offset, of what the one parameter names. `tail` has an order. */
  offsetPage(tail: string): (database: Database, of: number, page: { offset: number; size: number }) => Row[];
}

export function table<
  Of extends Columns,
  Key extends keyof Of & string = never,
  Fixed extends keyof Of & string = never,
  Covered extends keyof Of & string = never,
>(name: string, columns: Of, options: Options<Of, Key, Fixed, Covered> = {}) {
  type Row = Values<Of> & WithSeal<Covered>;
  type New = Pick<Values<Of>, NamesOf<Of, 'given'> | Extract<NamesOf<Of, 'joined'>, Covered>> &
    Partial<Pick<Values<Of>, NamesOf<Of, 'initial'>>>;
  type Changing = Exclude<NamesOf<Of, 'given' | 'initial'>, Key | Fixed>;
  type Sealing = Pick<Values<Of>, Key | Covered>;
  type Stored = Record<Covered, Bindable> & Sealed;
  type Members = Readonly<Record<string, unknown>>;

  const { key = [], fixed = [], from = name, seal, check } = options;
  const entries = Object.entries(columns);
  const own = entries
    .filter(([, { role }]) => role !== 'joined' && role !== 'assigned')
    .map(([each]) => each);
  const changing = own.filter((each) => ![...key, ...fixed].some((other) => other === each));
  const coded = entries.filter(([, column]) => column.read !== undefined);
  const needed = entries.filter(([, { role, isOptional }]) => role === 'joined' && !isOptional);
  const sealColumn = seal ? ['seal'] : [];
  const names = [...entries.map(([each]) => each), ...sealColumn];
  const shown = names.map((each) => columns[each]?.sql ?? `${name}.${each}`);
  const select = `SELECT ${shown.join(', ')} FROM ${from}`;
  const rowsOf = (where: string | undefined) => (where === undefined ? name : `${name} WHERE ${where}`);
  const isKey = key.map((each) => `${each} = ?`).join(' AND ');

  const written = [...own, ...sealColumn];
  const insertion = `INSERT INTO ${name} (${written.join(', ')}) VALUES (${written.map(() => '?').join(', ')})`;
  const replaced = [...changing, ...sealColumn].map((each) => `${each} = excluded.${each}`).join(', ');
  const inserting = statement<readonly Bindable[]>(insertion);
  const insertingNew = statement<readonly Bindable[]>(`${insertion} ON CONFLICT DO NOTHING`);
  const putting = statement<readonly Bindable[]>(`${insertion} ON CONFLICT DO UPDATE SET ${replaced}`);

  function stored(row: Members, each: string): Bindable {
    const column = columns[each];
    const value = row[each] === undefined ? column?.initial : row[each];
    return column?.store ? column.store(value) : (value as Bindable);
  }

  /** By position: a job may insert fifty thousand rows, and names cost a third more. */
  const valuesOf = (row: Members, of: readonly string[]) => of.map((each) => stored(row, each));

  /** The values that are sealed, in their stored form. */
  function covered(row: Members): Record<Covered, Bindable> {
    const values: Record<string, Bindable> = {};
    for (const each of seal?.columns ?? []) values[each] = stored(row, each);
    return values;
  }

  function add(database: Database, row: Members, insert: typeof inserting) {
    const values = valuesOf(row, own);
    if (seal) values.push(seal.of(database, covered(row)));
    const result = insert.run(database, ...values);
    seal?.changed(database);
    return result;
  }

  function set(database: Database, row: Members, changes: Members): void {
    const given = Object.keys(changes);
    statement<readonly Bindable[]>(
      `UPDATE ${name} SET ${given.map((each) => `${each} = ?`).join(', ')} WHERE ${isKey}`,
    ).run(database, ...valuesOf(changes, given), ...valuesOf(row, key));
  }

  function change(database: Database, row: Members, changes: Members): void {
    if (!seal?.columns.some((each) => each in changes)) {
      set(database, row, changes);
      return;
    }
    set(database, row, { ...changes, seal: seal.of(database, covered({ ...row, ...changes })) });
    seal.changed(database);
  }

  /** The row of the table, from the tuple that SQLite returned: its objects are slow. */
  function read(database: Database, tuple: readonly Bindable[], isChecked: boolean): Row {
    const row: Record<string, unknown> = {};
    for (let at = 0; at < names.length; at++) row[names[at] ?? ''] = tuple[at];
    if (needed.some(([each]) => row[each] === null)) throw reportDamage(database);
    if (isChecked) seal?.require(database, row as Stored);
    for (const [each, column] of coded) row[each] = column.read?.(row[each] as Bindable);
    if (isChecked) check?.(row as Row);
    return row as Row;
  }

  function reads(isChecked: boolean): Reads<Row> {
    function all<Parameters extends Bindables<Parameters>>(tail: string) {
      const query = tupleStatement<Parameters, readonly Bindable[]>(`${select} ${tail}`);
      return (database: Database, ...parameters: Arguments<Parameters>) =>
        query.all(database, ...parameters).map((row) => read(database, row, isChecked));
    }
    function first<Parameters extends Bindables<Parameters>>(tail: string) {
      const query = tupleStatement<Parameters, readonly Bindable[]>(`${select} ${tail}`);
      return (database: Database, ...parameters: Arguments<Parameters>) => {
        const row = query.get(database, ...parameters);
        return row && read(database, row, isChecked);
      };
    }
    return {
      all,
      first,
      among(column, order) {
        const list = all<[string]>(`WHERE ${column} IN (SELECT value FROM json_each(?)) ${order}`);
        return (database, values) => list(database, JSON.stringify(values));
      },
      offsetPage(tail) {
        const list = all<[number, number, number]>(`${tail} LIMIT ? + 1 OFFSET ?`);
        return (database, of, { offset, size }) => list(database, of, size, offset);
      },
      page(where, by, order) {
        const places = Object.keys(by);
        const place = places.map((each) => `${name}.${each}`);
        const after = places.map((each) => `@after_${each}`);
        const list = all<Readonly<Record<string, Bindable>>>(`WHERE ${where}
          AND (${after[0] ?? ''} IS NULL OR (${place.join(', ')}) ${order === 'ASC' ? '>' : '<'} (${after.join(', ')}))
          ORDER BY ${place.map((each) => `${each} ${order}`).join(', ')} LIMIT @limit + 1`);
        const count = scalarStatement<Readonly<Record<string, Bindable>>, number>(
          `SELECT count(*) FROM ${rowsOf(where)}`,
        );
        return (database, filter) => ({
          by,
          count: count.one(database, { ...filter }),
          list({ after: start, limit }) {
            const begun = new Map<string, unknown>(Object.entries(start ?? {}));
            const values = places.map(
              (each) => [`after_${each}`, (begun.get(each) ?? null) as Bindable] as const,
            );
            return list(database, { ...filter, ...Object.fromEntries<Bindable>(values), limit });
          },
        });
      },
    };
  }

  const scalars = <Parameters extends Bindables<Parameters>, Name extends keyof Of & string>(
    column: Name,
    tail: string,
  ) =>
    scalarStatement<Parameters, ValueOf<Of[Name]> & Bindable>(
      `SELECT ${name}.${column} FROM ${name} ${tail}`,
    );

  return {
    ...reads(true),
    unchecked: reads(false),

    /** Returns the row id. */
    insert: (database: Database, row: New): number => Number(add(database, row, inserting).lastInsertRowid),
    /** Returns false, without a change, when there is such a row already. */
    insertNew: (database: Database, row: New): boolean => add(database, row, insertingNew).changes === 1,

    /** Inserts the row, or stores it over the one with its key. */
    put: (database: Database, row: New): void => void add(database, row, putting),

    /** Stores all columns that may change. */
    update: (database: Database, row: Pick<Values<Of>, Changing> & Sealing): void =>
      change(database, row, Object.fromEntries(changing.map((each) => [each, (row as Members)[each]]))),
    /** Stores these columns, and seals the row again if the seal covers one. */
    change: (database: Database, row: Sealing, changes: Partial<Pick<Values<Of>, Changing>>): void =>
      change(database, row, changes),
    /** Stores columns that no seal covers; the key is enough. */
    set: (
      database: Database,
      row: Pick<Values<Of>, Key>,
      changes: Partial<Omit<Values<Of>, Key | Covered>>,
    ): void => set(database, row, changes),

    /** Returns how many rows were deleted. */
    delete<Parameters extends Bindables<Parameters> = []>(where?: string) {
      const deletion = statement<Parameters>(`DELETE FROM ${rowsOf(where)}`);
      return (database: Database, ...parameters: Arguments<Parameters>): number => {
        const { changes } = deletion.run(database, ...parameters);
        seal?.changed(database);
        return changes;
      };
    },

    /** One column of the first row. `tail`: all that follows FROM. */
    value: <Parameters extends Bindables<Parameters>, Name extends keyof Of & string>(
      column: Name,
      tail: string,
    ) => scalars<Parameters, Name>(column, tail).get,
    /** One column of all rows. */
    values: <Parameters extends Bindables<Parameters>, Name extends keyof Of & string>(
      column: Name,
      tail: string,
    ) => scalars<Parameters, Name>(column, tail).all,

    has: <Parameters extends Bindables<Parameters> = []>(where?: string) =>
      exists<Parameters>(`SELECT 1 FROM ${rowsOf(where)} LIMIT 1`),

    count: <Parameters extends Bindables<Parameters> = []>(where?: string) =>
      scalarStatement<Parameters, number>(`SELECT count(*) FROM ${rowsOf(where)}`).one,

    /** The next number of a column, as SQLite would choose its row id; chosen before, since the seal covers it. */
    next: (database: Database, column: keyof Of & string): number =>
      scalarStatement<[], number>(`SELECT coalesce(max(${column}), 0) + 1 FROM ${name}`).one(database),

    isOwn: (database: Database, row: Pick<Values<Of>, Covered> & Sealed): boolean =>
      seal?.isOwn(database, { ...covered(row), seal: row.seal }) ?? true,
    requireOwn: (database: Database, row: Pick<Values<Of>, Covered> & Sealed): void =>
      seal?.require(database, { ...covered(row), seal: row.seal }),
  };
}

/** A row of the table, as it is read. */
export type RowOf<Table> = Table extends { readonly unchecked: Reads<infer Row> } ? Row : never;
