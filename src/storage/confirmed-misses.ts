/**
 * Confirms that a key is really missing. When an index doesn't have a key, a second look-up checks the entries around
 * its place by other pages: they must be in order, and agree with their second copy. So a damaged index can't report an
 * existing row as missing, or let it be created twice.
 *
 * An index of a table is compared with the rows of the table. A table without row ids is its own index, so it is
 * compared with a second index over the same key, or with the rows it was derived from.
 */
import type { Database } from './database.ts';
import { scalarStatement, statement, tupleStatement, type Statement, reportDamage } from './statement.ts';

/** More entries than fit on a page. If a wrong page took the place of the right one, its end is visible. */
const NEIGHBOURS = 160;

type Key = string | number | Uint8Array;

/** An index of a table with row ids. */
export interface TableIndex {
  readonly table: string;
  readonly index: string;
  /** All columns of the index; look-ups may use a prefix of them. */
  readonly columns: readonly string[];
  /** The condition of a partial index; undefined if it has every row with a value in its columns. */
  readonly holds?: string;
}

/** The index that SQLite makes for the table's first, second or third key. */
export function ownIndex(table: string, number: number, ...columns: readonly string[]): TableIndex {
  return { table, index: `sqlite_autoindex_${table}_${number}`, columns };
}

/** The primary key of a table without row ids, and the second copy of its entries. */
export interface OwnKey {
  readonly table: string;
  /** All columns of the key. */
  readonly columns: readonly string[];
  /** A second index over the same entries, and its first columns. */
  readonly twin: { readonly index: string; readonly columns: readonly string[] };
}

/** A table without row ids that lists values from the rows of another table. */
export interface DerivedKey {
  readonly table: string;
  readonly columns: readonly string[];
  /** The other table, with a condition on `near`, the entry, and `source`, its row. */
  readonly source: { readonly table: string; readonly matches: string };
}

export type KeyIndex = TableIndex | OwnKey | DerivedKey;

/** Throws `vault_damaged` unless the entries around the key prove that no row has it. */
export function requireAbsent(database: Database, index: KeyIndex, key: readonly Key[]): void {
  const { isIntact, isHeld } = lookAround(database, index, key);
  if (!isIntact || isHeld) throw reportDamage(database);
}

/** Throws `vault_damaged` unless the entries around the place of the key are intact; a list may begin there. */
export function requireIntactAround(database: Database, index: KeyIndex, key: readonly Key[]): void {
  if (!lookAround(database, index, key).isIntact) throw reportDamage(database);
}

function lookAround(
  database: Database,
  index: KeyIndex,
  key: readonly Key[],
): { isIntact: boolean; isHeld: boolean } {
  requireWholeTrees(database, index);
  const from = neighbours(index, key.length, 'ASC').all(database, ...key);
  const before = neighbours(index, key.length, 'DESC').all(database, ...key);
  const isIntact =
    ascends(from) &&
    ascends([...before].reverse()) &&
    from.every((entry) => compare(entry, key) >= 0) &&
    before.every((entry) => compare(entry, key) < 0) &&
    [...from, ...before].every((entry) => entry.at(-1) === 1) &&
    isWhole(from, { key, met: range(index, key.length, 'ASC').all(database, ...key) }) &&
    isWhole(before, { key, met: range(index, key.length, 'DESC').all(database, ...key) });
  const [first] = from;
  return { isIntact, isHeld: first !== undefined && compare(first, key) === 0 };
}

/**
 * Whether a scan along the index meets the same entries as the neighbours. The neighbours are selected by all columns,
 * which misses an entry with damaged columns. A range scan compares only its ends.
 */
function isWhole(
  near: readonly Entry[],
  { key, met }: { readonly key: readonly Key[]; readonly met: readonly Entry[] },
): boolean {
  const alike = near.filter((entry) => compare(entry, key.slice(0, -1)) === 0);
  const isCut = alike.length === NEIGHBOURS;
  return (
    (isCut || met.length === alike.length) &&
    alike.every((entry, at) => met[at] !== undefined && compare(entry, met[at]) === 0)
  );
}

/** Indexes whose entries were counted, and names of tables that were checked whole. */
const counted = new WeakMap<Database, Set<KeyIndex | string>>();

/**
 * An entry that has lost its bytes has no columns, so the look-up skips it while the entries beside it stay in order.
 * The same holds for a page that claims to be empty. So the entries of the index are counted once for each opened
 * store: by the page headers, and by reading them.
 */
function requireWholeTrees(database: Database, index: KeyIndex): void {
  let known = counted.get(database);
  if (!known) counted.set(database, (known = new Set()));
  const { table, columns } = index;
  if (known.has(index)) return;
  const filled = FILLED_COLUMNS.all(database, table).filter((column) => columns.includes(column));
  const isFilled = filled.map((column) => `typeof(${column}) <> 'null'`).join(' AND ');
  for (const { name, from } of treesOf(index)) {
    const { entries, isEmpty } = TREE.one(database, name);
    if (isEmpty === 1) throw reportDamage(database);
    // In an index whose columns may all be NULL, missing entries can't be detected.
    if (filled.length === 0) continue;
    const readable = scalarStatement<[], number>(
      `SELECT coalesce(sum(${isFilled}), 0) FROM ${table} ${from}
       ${'holds' in index ? `WHERE ${index.holds}` : ''}`,
    ).one(database);
    if (readable !== entries) throw reportDamage(database);
  }
  known.add(index);
}

function treesOf(index: KeyIndex): { name: string; from: string }[] {
  if ('index' in index) return [{ name: index.index, from: `INDEXED BY ${index.index}` }];
  const own = { name: index.table, from: 'NOT INDEXED' };
  return 'twin' in index ? [own, { name: index.twin.index, from: `INDEXED BY ${index.twin.index}` }] : [own];
}

const FILLED_COLUMNS = scalarStatement<[table: string], string>(
  'SELECT name FROM pragma_table_info(?) WHERE "notnull" = 1 OR pk > 0',
);

/** The number of entries by the page headers of a tree, and whether a page other than the root claims to be empty. */
const TREE = statement<[tree: string], { entries: number; isEmpty: 0 | 1 }>(
  `SELECT coalesce(sum(ncell), 0) AS entries,
     coalesce(max(pagetype = 'corrupted' OR (pagetype = 'leaf' AND ncell = 0 AND path <> '/')), 0) AS isEmpty
   FROM dbstat WHERE name = ?`,
);

/** The columns of the index, the row id if there is one, and 1 if the second copy agrees. */
type Entry = readonly (Key | null)[];

type Order = 'ASC' | 'DESC';
type TextOf = (index: KeyIndex, given: number, order: Order) => string;

/** Caches the texts. */
function textsOf(make: TextOf): (...given: Parameters<TextOf>) => Statement<readonly Key[], Entry> {
  const known = new WeakMap<KeyIndex, Map<string, string>>();
  return (index, given, order) => {
    let texts = known.get(index);
    if (!texts) known.set(index, (texts = new Map<string, string>()));
    let text = texts.get(`${given} ${order}`);
    if (text === undefined) texts.set(`${given} ${order}`, (text = make(index, given, order)));
    return tupleStatement(text);
  };
}

const neighbours = textsOf(neighboursText);
const range = textsOf(rangeText);

/** The entries with the key as a prefix, from its place on. Only their position in the index matters. */
function rangeText(index: KeyIndex, given: number, order: Order): string {
  const { table, columns } = index;
  const key = columns.slice(0, given);
  const conditions = key.map((column, at) =>
    at < given - 1 ? `${column} = ?` : `${column} ${order === 'ASC' ? '>=' : '<'} ?`,
  );
  return `SELECT ${columns.join(', ')} FROM ${table} ${copiesOf(index).from}
    WHERE ${conditions.join(' AND ')} ${'holds' in index ? `AND ${index.holds}` : ''}
    ORDER BY ${columns.map((column) => `${column} ${order}`).join(', ')} LIMIT ${NEIGHBOURS}`;
}

function neighboursText(index: KeyIndex, given: number, order: Order): string {
  const { table, columns } = index;
  const key = columns.slice(0, given);
  const { carried, from, join, agrees } = copiesOf(index);
  const shown = [...columns, ...('index' in index ? ['entry_row'] : [])];
  return `SELECT ${shown.map((column) => `near.${column}`).join(', ')}, ${agrees}
    FROM (SELECT ${[...columns, ...carried].join(', ')} FROM ${table} ${from}
      WHERE ${key.map((column) => `${column} IS NOT NULL`).join(' AND ')}
        ${'holds' in index ? `AND ${index.holds}` : ''} AND (${key.join(', ')}) ${order === 'ASC' ? '>=' : '<'} (${key.map(() => '?').join(', ')})
      ORDER BY ${columns.map((column) => `${column} ${order}`).join(', ')} LIMIT ${NEIGHBOURS}) AS near
    LEFT JOIN ${join}`;
}

function copiesOf(index: KeyIndex): { carried: string[]; from: string; join: string; agrees: string } {
  const { table, columns } = index;
  const same = (names: readonly string[], operator: string) =>
    names.map((name) => `stored.${name} ${operator} near.${name}`).join(' AND ');
  if ('index' in index) {
    return {
      carried: ['rowid AS entry_row'],
      from: `INDEXED BY ${index.index}`,
      join: `${table} AS stored NOT INDEXED ON stored.rowid = near.entry_row`,
      agrees: `stored.rowid IS NOT NULL AND ${same(columns, 'IS')}`,
    };
  }
  if ('source' in index) {
    const { source } = index;
    return {
      carried: [],
      from: 'NOT INDEXED',
      join: `${source.table} AS source ON source.rowid = near.entity`,
      agrees: `source.rowid IS NOT NULL AND ${source.matches}`,
    };
  }
  const carried = index.twin.columns.filter((column) => !columns.includes(column));
  return {
    carried,
    from: 'NOT INDEXED',
    join: `${table} AS stored INDEXED BY ${index.twin.index} ON ${same([...index.twin.columns, ...columns], '=')}`,
    agrees: `stored.${columns[0] ?? ''} IS NOT NULL`,
  };
}

function ascends(entries: readonly Entry[]): boolean {
  return entries.every((entry, at) => {
    const previous = entries[at - 1];
    return previous === undefined || compare(previous, entry.slice(0, -1)) < 0;
  });
}

/** Compares in SQLite's order, up to the length of `key`: NULL, numbers, texts by their bytes, blobs. */
function compare(entry: Entry, key: Entry): number {
  for (const [at, wanted] of key.entries()) {
    const order = compareValues(entry[at] ?? null, wanted);
    if (order !== 0) return order;
  }
  return 0;
}

function compareValues(one: Key | null, other: Key | null): number {
  const byKind = rank(one) - rank(other);
  if (byKind !== 0 || one === null || other === null) return byKind;
  if (typeof one === 'number') return one - (other as number);
  return Buffer.compare(bytesOf(one), bytesOf(other));
}

function rank(value: Key | null): number {
  if (value === null) return 0;
  if (typeof value === 'number') return 1;
  return typeof value === 'string' ? 2 : 3;
}

function bytesOf(value: Key): Uint8Array {
  return typeof value === 'string' ? Buffer.from(value) : (value as Uint8Array);
}
