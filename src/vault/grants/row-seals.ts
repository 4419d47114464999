/**
 * Rows that grant access have a seal: an HMAC-SHA256 over what they grant, under a key of the vault. An edit of the
 * database without that key, such as a row moved to another tenant, or a key enabled or added, is detected when the row
 * is read. API keys, webhook endpoints, proxy configurations and settings are also sealed as a set, so that restoring
 * an old row with its old seal is detected, too.
 *
 * A revoked client token has a tombstone in addition to its row, and the set of tombstones is sealed.
 *
 * Not detected: a rollback of the whole database, or of rows together with the seal of their set.
 */
import { timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../../kernel/errors.ts';
import type { Database } from '../../storage/database.ts';
import { rememberDamage } from '../../storage/store-health.ts';
import { hmac } from '../hmac.ts';
import type { RowSeal } from '../../storage/table.ts';
import { findValue, putValue } from '../../storage/instance-values.ts';
import { listSeals } from './repository.ts';
import { GRANTS, type Grant, type GrantRow, type GrantTable } from './tables.ts';

const keys = new WeakMap<Database, Uint8Array>();

/** Sets the 32-byte key for seals of this database; called when the vault is opened. */
export function useGrantKey(database: Database, key: Uint8Array): void {
  keys.set(database, key);
}

export function grantKey(database: Database): Uint8Array {
  const key = keys.get(database);
  if (!key) throw new Error('the vault of this database is not open');
  return key;
}

/** The seal to store with the row. */
export function sealOf<Table extends GrantTable>(
  database: Database,
  table: Table,
  row: GrantRow<Table>,
): Buffer {
  return hmac(grantKey(database), messageOf(table, row));
}

/** Whether this service wrote the row in its present form; compares in constant time. */
export function isSealed<Table extends GrantTable>(
  database: Database,
  table: Table,
  row: GrantRow<Table>,
  seal: Uint8Array | null,
): boolean {
  return seal !== null && isEqual(seal, sealOf(database, table, row));
}

/**
 * Throws `vault_damaged`, naming table and id, when this vault did not store the row in this form. Compares in constant
 * time. For an entity, a token or an API key, this also stops all writes, since a damaged page looks the same.
 */
export function requireSeal<Table extends GrantTable>(
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
    changed: GRANTS[table].isListed ? updateGrantList : () => undefined,
  };
}

/** Most requests start with one of these. Rows of other tables can be deleted or replaced after a manipulation. */
const STOPS_WRITES: ReadonlySet<GrantTable> = new Set(['entities', 'client_tokens', 'api_keys']);

/** The same for a row sealed when fewer columns were covered. */
export function requireEarlierSeal<Table extends GrantTable>(
  database: Database,
  table: Table,
  row: GrantRow<Table>,
  seal: Uint8Array | null,
): void {
  const grant: Grant = GRANTS[table];
  const earlier = hmac(grantKey(database), messageOf(table, row, grant.before?.columns));
  if (seal === null || !isEqual(seal, earlier)) throw damagedRow(table, row);
}

/** The error for a row that this vault did not store in this form. */
export function damagedRow<Table extends GrantTable>(table: Table, row: GrantRow<Table>): ServiceError {
  const id = row[GRANTS[table].id as keyof GrantRow<Table>] as string | number | Uint8Array;
  return notOurs(`row ${id instanceof Uint8Array ? hexOrNull(id)?.slice(0, 12) : id} of table ${table}`);
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
  if (stored !== undefined && isEqual(Buffer.from(stored, 'hex'), listMac(database))) return;
  throw notOurs('list of API keys, webhook endpoints, proxy configurations and settings');
}

export const SETTINGS = 'settings';
const SETTINGS_SEAL = 'settings seal';

/** The stored settings as text; undefined when there are none. Throws `vault_damaged`. */
export function findSettings(database: Database): string | undefined {
  const text = findValue(database, SETTINGS);
  if (text === undefined) return undefined;
  const seal = findValue(database, SETTINGS_SEAL) ?? '';
  if (isEqual(Buffer.from(seal, 'hex'), settingsMac(database, text))) return text;
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
    return value instanceof Uint8Array ? { hex: hexOrNull(value) } : value;
  });
  return `row ${JSON.stringify([table, ...values])}`;
}

function hexOrNull(bytes: Uint8Array | null): string | null {
  return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

/** The error for data that this vault did not store in this form. */
export function notOurs(what: string): ServiceError {
  return new ServiceError(
    'vault_damaged',
    `The ${what} fails its authentication: it was changed by something other than kyclone`,
  );
}
