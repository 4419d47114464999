/**
 * Rows that grant something carry a seal, an HMAC-SHA256 over what they grant, under a key of the vault. An edit
 * of the database without that key, such as a row moved to another tenant, a key enabled again or added, shows when the
 * row is read. API keys, webhook endpoints, proxy configurations and settings are sealed as a whole too, so that an old row
 * that is put back with its old seal shows as well.
 *
 * A revoked client token has a tombstone beside its row, and the set of tombstones is sealed, too.
 *
 * Not defended: the database, or rows of it together with what seals them as a set, put back as they once were.
 */
import { timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../../kernel/errors.ts';
import type { Database } from '../../storage/database.ts';
import { rememberDamage } from '../../storage/store-health.ts';
import { hmac } from '../hmac.ts';
import { findValue, listSeals, putValue } from './repository.ts';
import { GRANTS, type Grant, type GrantRow, type GrantTable } from './tables.ts';

const keys = new WeakMap<Database, Uint8Array>();

/** From now on rows of this database are sealed and judged with this 32-byte key: what opens the vault calls it. */
export function useGrantKey(database: Database, key: Uint8Array): void {
  keys.set(database, key);
}

export function grantKey(database: Database): Uint8Array {
  const key = keys.get(database);
  if (!key) throw new Error('the vault of this database is not open');
  return key;
}

/** To be stored with the row. */
export function sealOf<Table extends GrantTable>(
  database: Database,
  table: Table,
  row: GrantRow<Table>,
): Buffer {
  return hmac(grantKey(database), messageOf(table, row));
}

/** Whether the row is as this service has written it; compared in constant time. */
export function isSealed<Table extends GrantTable>(
  database: Database,
  table: Table,
  row: GrantRow<Table>,
  seal: Uint8Array | null,
): boolean {
  return seal !== null && isEqual(seal, sealOf(database, table, row));
}

/**
 * Throws `vault_damaged`, naming table and id, when the row isn't as this vault stored it. In constant time. Where it
 * is an entity, a token or an API key, nothing is written from then on: a damaged page shows like this, too.
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

/** Most requests begin with one of these. Others that somebody has changed can be deleted or replaced. */
const STOPS_WRITES: ReadonlySet<GrantTable> = new Set(['entities', 'client_tokens', 'api_keys']);

/** The same for a row as it was sealed before more of its columns were. */
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

/** What is to be thrown for a row that isn't as this vault stored it. */
export function damagedRow<Table extends GrantTable>(table: Table, row: GrantRow<Table>): ServiceError {
  const id = row[GRANTS[table].id as keyof GrantRow<Table>] as string | number | Uint8Array;
  return notOurs(`row ${id instanceof Uint8Array ? hexOrNull(id)?.slice(0, 12) : id} of table ${table}`);
}

const LIST = 'grants';

/**
 * In the write job that changes an API key, a webhook endpoint, a proxy configuration or the settings: what there is
 * now is all there is.
 */
export function updateGrantList(database: Database): void {
  putValue(database, LIST, listMac(database).toString('hex'));
}

/** Throws `vault_damaged` when a row was added, put back or removed by somebody else. */
export function checkGrantList(database: Database): void {
  const stored = findValue(database, LIST);
  if (stored !== undefined && isEqual(Buffer.from(stored, 'hex'), listMac(database))) return;
  throw notOurs('list of API keys, webhook endpoints, proxy configurations and settings');
}

export const SETTINGS = 'settings';
const SETTINGS_SEAL = 'settings seal';

/** The settings as they were stored, as text; undefined when none were. Throws `vault_damaged`. */
export function findSettings(database: Database): string | undefined {
  const text = findValue(database, SETTINGS);
  if (text === undefined) return undefined;
  const seal = findValue(database, SETTINGS_SEAL) ?? '';
  if (isEqual(Buffer.from(seal, 'hex'), settingsMac(database, text))) return text;
  throw notOurs('row settings of table instance_values');
}

/** In a write job. */
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

/** A list of JSON: no two rows have the same text, and no number is taken for a text or nothing for an empty one. */
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

/** What is to be thrown when something isn't as this vault stored it. */
export function notOurs(what: string): ServiceError {
  return new ServiceError(
    'vault_damaged',
    `The ${what} fails its authentication: it was changed by something other than kyclone`,
  );
}
