/**
 * Seals of the rows that grant something, and of sets of them.
 *
 * A set is authenticated incrementally: its seal adds up the keyed digests of its members as numbers of 1,024 bits, and
 * seals their count and sum. Without the key nobody can add or remove a member. An old sum only matches the members of
 * that time: who knows the digests from earlier sums would have to find other members whose numbers have the same sum.
 * (By exclusive or, as before, that is a system of linear equations.)
 */
import { isUint8Array } from 'node:util/types';
import type { Database } from '../../storage/database.ts';
import { deleteValue, findValue, putValue, rememberDamage } from '../../storage/statement.ts';
import { areEqual, hmac } from '../envelope.ts';
import {
  listRows,
  listSeals,
  updateSeal,
  grantOf,
  GRANT_TABLES,
  type GrantRow,
  GRANTS,
  type GrantTable,
  keyOf,
  type SealGeneration,
} from './tables.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { RowSeal } from '../../storage/table.ts';

interface Sum {
  readonly count: number;
  /** In hexadecimal digits. */
  readonly total: string;
}

const DIGEST_BITS = 256;
const BITS = 1024;
const DIGITS = BITS / 4;
const HEX = /^[0-9a-f]+$/;

/** Call it in the write job that adds or removes the member. Throws `vault_damaged` when the sum isn't ours. */
export function addToSum(database: Database, name: string, member: string, change?: 'taken out'): void {
  const { count, total } = readSum(database, name);
  const [sign, one] = change === 'taken out' ? [-1n, -1] : [1n, 1];
  const next = numberOf(total) + sign * numberOfMember(database, name, member);
  store(database, name, { count: count + one, total: textOf(next) });
}

/** Starts the sum over exactly these members. */
export function startSum(database: Database, name: string, members: readonly string[]): void {
  store(database, name, sumOf(database, name, members));
}

/** Throws `vault_damaged` unless these are exactly the members of the sum. */
export function requireSum(database: Database, name: string, members: readonly string[]): void {
  const sum = beginSum(database, name);
  sum.add(members);
  sum.require();
}

/** Checks members that are read in slices. */
export function beginSum(database: Database, name: string) {
  const text = () => findValue(database, name);
  const atFirst = text();
  const known = readSum(database, name);
  let [count, total] = [0, 0n];
  return {
    add(members: readonly string[]): void {
      for (const member of members) total += numberOfMember(database, name, member);
      count += members.length;
    },
    /** Whether no member was added or taken out since the beginning. */
    isStill: (): boolean => text() === atFirst,
    /** Throws `vault_damaged` unless exactly the members that it had at the beginning were added. */
    require(): void {
      const isOurs = known.total.length === DIGITS && isSameSum(known, { count, total: textOf(total) });
      if (!isOurs) throw foreign(name);
    },
  };
}

/** The same for a sum of an earlier version. */
export function requireEarlierSum(database: Database, name: string, members: readonly string[]): void {
  const known = readSum(database, name);
  if (known.total.length === DIGITS) requireSum(database, name, members);
  else if (!isSameSum(known, earlierSumOf(database, name, members))) throw foreign(name);
}

function isSameSum(one: Sum, other: Sum): boolean {
  const isSame = areEqual(Buffer.from(one.total, 'hex'), Buffer.from(other.total, 'hex'));
  return one.count === other.count && isSame;
}

function sumOf(database: Database, name: string, members: readonly string[]): Sum {
  const total = members.reduce((sum, member) => sum + numberOfMember(database, name, member), 0n);
  return { count: members.length, total: textOf(total) };
}

/** The exclusive or of one digest for each member. */
function earlierSumOf(database: Database, name: string, members: readonly string[]): Sum {
  const digests = members.map((member) => numberOf(digestOfMember(database, name, member)));
  const bits = digests.reduce((one, other) => one ^ other, 0n);
  return { count: members.length, total: bits.toString(16).padStart(DIGEST_BITS / 4, '0') };
}

function numberOfMember(database: Database, name: string, member: string): bigint {
  const parts = Array.from({ length: BITS / DIGEST_BITS }, (_, part) =>
    digestOfMember(database, `${name}, part ${part},`, member),
  );
  return numberOf(parts.join(''));
}

function digestOfMember(database: Database, name: string, member: string): string {
  return hmac(grantKey(database), `member of ${name} ${member}`).toString('hex');
}

function numberOf(digits: string): bigint {
  return BigInt(`0x${digits}`);
}

function textOf(number: bigint): string {
  return BigInt.asUintN(BITS, number).toString(16).padStart(DIGITS, '0');
}

function readSum(database: Database, name: string): Sum {
  const [count = '', total = '', seal = ''] = (findValue(database, name) ?? '').split(' ');
  const sum = { count: Number(count), total };
  if (HEX.test(total) && areEqual(Buffer.from(seal, 'hex'), sealOfSum(database, name, sum))) return sum;
  throw foreign(name);
}

function store(database: Database, name: string, sum: Sum): void {
  putValue(database, name, `${sum.count} ${sum.total} ${sealOfSum(database, name, sum).toString('hex')}`);
}

function sealOfSum(database: Database, name: string, { count, total }: Sum): Buffer {
  return hmac(grantKey(database), `sum of ${name} ${count} ${total}`);
}

function foreign(name: string) {
  return notOurs(`list of ${name}`);
}

// Notes whether snapshots beside the store still need seals: those of an older vault, until each has its own. The note
// is authenticated.

const NAME = 'unsealed snapshots';

export function noteUnsealedSnapshots(database: Database): void {
  putValue(database, NAME, mac(database).toString('hex'));
}

export function hasUnsealedSnapshots(database: Database): boolean {
  return areEqual(Buffer.from(findValue(database, NAME) ?? '', 'hex'), mac(database));
}

export function forgetUnsealedSnapshots(database: Database): void {
  deleteValue(database, NAME);
}

function mac(database: Database): Buffer {
  return hmac(grantKey(database), NAME);
}

export { NEWEST_SEALS, type GrantRow, type GrantTable, type SealGeneration } from './tables.ts';

// Adds seals to the rows of an older store that has none, or not all of them.

const ROWS_AT_A_TIME = 1000;
const BEFORE_ALL = { rowid: 0, digest: new Uint8Array() };

/**
 * Runs in the transaction that marks the vault as fully sealed. Throws `vault_damaged` for a row that differs from its
 * existing seal.
 */
export function sealExistingRows(database: Database, from: SealGeneration): void {
  for (const table of GRANT_TABLES) {
    const { since, before } = grantOf(table);
    // Its seals of that generation may cover fewer columns than now.
    if (since > from || (before && from < before.generation)) sealTable(database, table, from);
  }
  if (from > 0) return;
  const settings = findValue(database, SETTINGS);
  if (settings === undefined) updateGrantList(database);
  else storeSettings(database, settings);
}

function sealTable(database: Database, table: GrantTable, from: SealGeneration): void {
  let after: number | Uint8Array = BEFORE_ALL[keyOf(table)];
  for (;;) {
    const rows = listRows(database, table, { after, limit: ROWS_AT_A_TIME });
    for (const row of rows) {
      if (grantOf(table).since <= from) requireEarlierSeal(database, table, row, row.seal);
      updateSeal(database, table, row.row, sealOf(database, table, row));
    }
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_AT_A_TIME) return;
    after = last.row;
  }
}

// Rows that grant access have a seal: an HMAC-SHA256 over what they grant, under a key of the vault. An edit of the
// database without that key, such as a row moved to another tenant, or a key enabled or added, is detected when the row
// is read. API keys, webhook endpoints, proxy configurations and settings are also sealed as a set, so that restoring
// an old row with its old seal is detected, too.
//
// A revoked client token has a tombstone in addition to its row, and the set of tombstones is sealed.
//
// Not detected: a rollback of the whole database, or of rows together with the seal of their set.

const keys = new WeakMap<Database, Uint8Array>();

/** Sets the 32-byte key for seals of this database; called when the vault is opened. */
export function useGrantKey(database: Database, key: Uint8Array): void {
  keys.set(database, key);
}

function grantKey(database: Database): Uint8Array {
  const key = keys.get(database);
  if (!key) throw new Error('the vault of this database is not open');
  return key;
}

/** The seal to store with the row. */
function sealOf<Table extends GrantTable>(database: Database, table: Table, row: GrantRow<Table>): Buffer {
  return hmac(grantKey(database), messageOf(table, row));
}

/** Whether this service wrote the row in its present form; compares in constant time. */
function isSealed<Table extends GrantTable>(
  database: Database,
  table: Table,
  row: GrantRow<Table>,
  seal: Uint8Array | null,
): boolean {
  return seal !== null && areEqual(seal, sealOf(database, table, row));
}

/**
 * Throws `vault_damaged`, naming table and id, when this vault did not store the row in this form. Compares in constant
 * time. For an entity, a token or an API key, this also stops all writes, since a damaged page looks the same.
 */
function requireSeal<Table extends GrantTable>(
  database: Database,
  table: Table,
  row: GrantRow<Table>,
  seal: Uint8Array | null,
): void {
  if (isSealed(database, table, row, seal)) return;
  const damage = damagedRow(table, row);
  throw STOPS_WRITES.has(table) ? rememberDamage(database, damage) : damage;
}

/** The seals of a table's rows, for `table()`. */
export function rowSeal<Table extends GrantTable>(
  table: Table,
): RowSeal<(typeof GRANTS)[Table]['columns'][number]> {
  return {
    columns: GRANTS[table].columns,
    of: (database, row) => sealOf(database, table, row as GrantRow<Table>),
    isOwn: (database, row) => isSealed(database, table, row as GrantRow<Table>, row.seal),
    require: (database, row) => requireSeal(database, table, row as GrantRow<Table>, row.seal),
    changed: grantOf(table).isListed ? updateGrantList : () => undefined,
  };
}

/** Most requests start with one of these. Rows of other tables can be deleted or replaced after a manipulation. */
const STOPS_WRITES: ReadonlySet<GrantTable> = new Set(['entities', 'client_tokens', 'api_keys']);

/** The same for a row sealed when fewer columns were covered. */
function requireEarlierSeal<Table extends GrantTable>(
  database: Database,
  table: Table,
  row: GrantRow<Table>,
  seal: Uint8Array | null,
): void {
  const earlier = hmac(grantKey(database), messageOf(table, row, grantOf(table).before?.columns));
  if (seal === null || !areEqual(seal, earlier)) throw damagedRow(table, row);
}

/** The error for a row that this vault did not store in this form. */
export function damagedRow(table: GrantTable, row: object): ServiceError {
  const columns = row as Readonly<Record<string, unknown>>;
  const id = columns[grantOf(table).id ?? 'id'] as string | number | Uint8Array;
  return notOurs(`row ${isUint8Array(id) ? hexOrNull(id)?.slice(0, 12) : id} of table ${table}`);
}

const LIST = 'grants';

/**
 * Seals the current list. Call it in the write job that changes an API key, a webhook endpoint, a proxy configuration
 * or the settings.
 */
export function updateGrantList(database: Database): void {
  putValue(database, LIST, listMac(database).toString('hex'));
}

/** Throws `vault_damaged` when another program has added, restored or removed a row. */
export function checkGrantList(database: Database): void {
  const stored = findValue(database, LIST);
  if (stored !== undefined && areEqual(Buffer.from(stored, 'hex'), listMac(database))) return;
  throw notOurs('list of API keys, webhook endpoints, proxy configurations and settings');
}

const SETTINGS = 'settings';
const SETTINGS_SEAL = 'settings seal';

/** The stored settings as text; undefined when there are none. Throws `vault_damaged`. */
export function findSettings(database: Database): string | undefined {
  const text = findValue(database, SETTINGS);
  if (text === undefined) return undefined;
  const seal = findValue(database, SETTINGS_SEAL) ?? '';
  if (areEqual(Buffer.from(seal, 'hex'), settingsMac(database, text))) return text;
  throw notOurs('row settings of table instance_values');
}

/** Call it in a write job. */
export function storeSettings(database: Database, text: string): void {
  putValue(database, SETTINGS, text);
  putValue(database, SETTINGS_SEAL, settingsMac(database, text).toString('hex'));
  updateGrantList(database);
}

function settingsMac(database: Database, text: string): Buffer {
  return hmac(grantKey(database), `settings ${text}`);
}

function listMac(database: Database): Buffer {
  const rows = listSeals(database).map(({ table, id, seal }) => [table, id, hexOrNull(seal)]);
  const settings = findValue(database, SETTINGS) ?? null;
  return hmac(grantKey(database), `list ${JSON.stringify([settings, rows])}`);
}

/** A JSON list is unambiguous: different rows never give the same text, and null differs from an empty text. */
function messageOf<Table extends GrantTable>(table: Table, row: GrantRow<Table>, first?: number): string {
  const columns: readonly (keyof GrantRow<Table>)[] = GRANTS[table].columns;
  const values = columns.slice(0, first).map((column) => {
    const value = row[column];
    return isUint8Array(value) ? { hex: hexOrNull(value) } : value;
  });
  return `row ${JSON.stringify([table, ...values])}`;
}

function hexOrNull(bytes: Uint8Array | null): string | null {
  return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
}

/** The error for data that this vault did not store in this form. */
function notOurs(what: string): ServiceError {
  return new ServiceError(
    'vault_damaged',
    `The ${what} is damaged: it fails its authentication, so a fault of the disk or another program changed it`,
  );
}
